import type { Browser, ConsoleMessage, Page } from 'playwright-core';

/** What the flows need of the one service and the one browser. */
export interface FlowTools {
  /** A page that is signed in, at a place. The policy may refuse only what is expected. */
  readonly signedIn: (
    hash: string,
    use: (page: Page) => Promise<void>,
    options?: Parameters<Browser['newContext']>[0],
    isExpected?: (refused: ConsoleMessage) => boolean,
  ) => Promise<void>;
  readonly explore: (project: string, lql: string) => string;
  /** Sends events, one a line. */
  readonly send: (lines: string) => Promise<void>;
  /** Sends events that may be refused, and returns the status. */
  readonly sendAnyway: (events: readonly object[]) => Promise<number>;
  /** Creates an endpoint, and returns its ID. */
  readonly deploy: (name: string, query: string) => Promise<string>;
  readonly serviceUrl: () => string;
  /** Whether a style was refused that typing in the editor writes. */
  readonly isStyleOfTyping: (refused: ConsoleMessage) => boolean;
}

/** Bars of a chart: each is a closed part of the path of its series. */
export async function barsIn(page: Page): Promise<number> {
  const paths = await page
    .locator('.chart .bars')
    .evaluateAll((all) => all.map((path) => path.getAttribute('d') ?? ''));
  return paths.join('').split('z').length - 1;
}
