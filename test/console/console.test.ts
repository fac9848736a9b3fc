import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, killAll, type StartedService, startService } from '../acceptance/startedService.ts';
import { findings } from './axe.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { exactInteger, hostile, hostileLines, shop, shopEvents } from './consoleEvents.ts';
import { endpointFlows } from './endpointFlows.ts';
import { errorFlows } from './errorFlows.ts';
import { barsIn, type FlowTools } from './flowTools.ts';
import { searchFlows } from './searchFlows.ts';
import { serviceFlows } from './serviceFlows.ts';
import { signIn } from './signIn.ts';
import { signInFlows } from './signInFlows.ts';

/** Everything is one service and one browser, because both take long to start. */
describe.skipIf(chromiumPath === undefined)('the console in Chromium', () => {
  let service: StartedService;
  let browser: Browser;
  let token: string;
  let base: string;
  let session: Awaited<ReturnType<BrowserContext['storageState']>>;

  beforeAll(async () => {
    build();
    service = await startService([]);
    token = readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim();
    base = `${service.url}/console/`;
    const now = Date.now();
    await send(
      `${shopEvents(now)
        .map((event) => JSON.stringify(event))
        .join('\n')}\n${hostileLines(now).join('\n')}`,
    );
    browser = await openChromium();
    // Once for all tests, because a token may begin only so many sessions in ten minutes.
    const page = await open();
    await signIn(page, token);
    session = await page.context().storageState();
    await page.context().close();
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    killAll();
  });

  async function send(lines: string): Promise<void> {
    expect(await statusOf(lines)).toBe(200);
  }

  async function statusOf(lines: string): Promise<number> {
    const response = await fetch(`${service.url}/api/logs?source=edge_logs&strict=true`, {
      method: 'POST',
      headers: { 'X-API-KEY': token, 'Content-Type': 'application/x-ndjson' },
      body: lines,
    });
    return response.status;
  }

  /** Opens a page in a new browser context that loads nothing from other hosts. `watch` gets it before it loads. */
  async function open(
    hash = '',
    options: Parameters<Browser['newContext']>[0] = {},
    watch: (page: Page) => void = () => {},
  ): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...options,
    });
    await context.route(
      (url) => url.origin !== new URL(base).origin,
      (route) => route.abort(),
    );
    // Far above what anything takes: a limit is for a hang, not for a busy machine.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    watch(page);
    await page.goto(base + hash);
    return page;
  }

  /** A page that is signed in, at a place. Ends its browser afterwards. The policy may refuse only what is expected. */
  async function signedIn(
    hash: string,
    use: (page: Page) => Promise<void>,
    options: Parameters<Browser['newContext']>[0] = {},
    isExpected: (refused: ConsoleMessage) => boolean = () => false,
  ) {
    const broken: string[] = [];
    const page = await open(hash, { storageState: session, ...options }, (opened) => {
      opened.on('pageerror', ({ message }) => broken.push(message));
      opened.on('console', (message) => {
        if (/Content Security Policy/.test(message.text()) && !isExpected(message)) broken.push(message.text());
      });
    });
    try {
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await use(page);
      expect(broken).toEqual([]);
    } finally {
      await page.context().close();
    }
  }

  const explore = (project: string, lql: string, more: Readonly<Record<string, string>> = {}) =>
    `#/explore?${new URLSearchParams({ p: project, q: lql, ...more })}`;

  const madeToken = async (body: object): Promise<{ readonly id: string; readonly token: string }> => {
    return await created<{ readonly id: string; readonly token: string }>('/api/tokens', body);
  };

  const deploy = async (name: string, query: string): Promise<string> =>
    (await created<{ readonly endpoint: { readonly id: string } }>('/api/endpoints', { name, query })).endpoint.id;

  async function created<Made>(path: string, body: object): Promise<Made> {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'X-API-KEY': token, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Made;
  }

  describe('Explore', () => {
    it('finds the failing requests by keyboard alone, and Back returns to the search before', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.keyboard.press('/');
        await page.keyboard.press('End');
        await page.keyboard.type(' m.response.status_code:>=500');
        await page.keyboard.press('Enter');
        await expect.poll(() => resultText(page)).toMatch(/^100 rows/);
        await expect.poll(() => page.locator('.row.error').count()).toBeGreaterThan(10);
        await page.goBack();
        await expect.poll(() => resultText(page)).toMatch(/^1,000 of 1,500 rows/);
        await page.reload();
        await expect.poll(() => resultText(page)).toMatch(/^1,000 of 1,500 rows/);
      });
    });

    it('counts the same rows in the histogram, the list and the field list', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await expect.poll(() => page.locator('.histogram caption').textContent()).toMatch(/^1500 rows/);
        await expect.poll(() => page.locator('.fields .values').first().textContent()).toMatch(/200.*83 %/);
        await page.locator('.fields').getByTitle('Keep only rows with 502').click();
        await expect.poll(() => resultText(page)).toMatch(/^100 rows/);
        expect(page.url()).toContain('status_code%3A502');
      });
    });

    it('loads older rows on the way down, and draws only those in sight', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        const rows = page.getByRole('grid', { name: 'Rows' });
        await rows.waitFor();
        await rows.press('End');
        await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('1501');
        await expect.poll(() => page.locator('.row').count()).toBeLessThan(100);
      });
    });

    it('opens a row to its members, keeps its value as a filter, and shows the rows around it', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.keyboard.press('j');
        await page.keyboard.press('o');
        const pane = page.getByRole('region', { name: 'Row', exact: true });
        await pane.getByText('/checkout').first().waitFor();
        await page.keyboard.press('e');
        await expect.poll(() => pane.locator('.around li').count()).toBeGreaterThan(5);
        await pane.getByRole('tab', { name: 'Tree' }).click();
        await pane.getByRole('button', { name: 'Keep only m.request.path with this value' }).click();
        await expect
          .poll(() => page.getByRole('combobox', { name: 'Search in LQL' }).inputValue())
          .toContain('m.request.path:"/checkout"');
      });
    });

    it('shows where an error is, and keeps the rows before it', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        const search = page.getByRole('combobox', { name: 'Search in LQL' });
        await search.fill('f:edge_logs m.response.status_code:>= t:last@1h');
        await search.press('Enter');
        await page.locator('.error-box .wrong').waitFor();
        expect(await page.locator('.error-box').textContent()).toContain('lql.syntax');
        await page.locator('.rows.old').waitFor();
      });
    });

    it('completes paths with Tab', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        const search = page.getByRole('combobox', { name: 'Search in LQL' });
        await search.fill('f:edge_logs m.request.pa');
        await search.press('Tab');
        await expect.poll(() => search.inputValue()).toBe('f:edge_logs m.request.path:');
      });
    });

    it('shows hostile events as text only', async () => {
      await signedIn(explore(hostile, 'f:edge_logs t:last@1h'), async (page) => {
        await expect.poll(() => page.locator('.row').count()).toBe(8);
        expect(await page.title()).toBe('Explore – Logmill');
        expect(await page.locator('.rows img, .rows script').count()).toBe(0);
        const text = (await page.locator('.rows').textContent()) ?? '';
        for (const shown of ['<img src=x', '␀', '␛', 'U+202E', 'U+2066', 'email hidden', '↵'])
          expect(text).toContain(shown);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(text.length).toBeLessThan(10_000);
      });
    });

    it('opens events of many members and with exact integers', async () => {
      await signedIn(explore(hostile, 'f:edge_logs "wide" t:last@1h'), async (page) => {
        await page.locator('.row').first().click();
        const pane = page.getByRole('region', { name: 'Row', exact: true });
        await pane.getByRole('button', { name: '4,800 more' }).waitFor();
        const search = page.getByRole('combobox', { name: 'Search in LQL' });
        await search.fill('f:edge_logs "exact" s:m.n t:last@1h');
        await search.press('Enter');
        await expect.poll(() => page.locator('.row').first().textContent()).toContain(exactInteger);
        await page.locator('.row').first().click();
        await pane.getByText(exactInteger).first().waitFor();
      });
    });

    it('says when the newest match was, and widens to it', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:2020-01-01..2020-01-02'), async (page) => {
        await page.getByText('No rows in this time').waitFor();
        await page.getByRole('button', { name: 'Widen the time to it' }).click();
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
      });
    });

    it('follows new rows, and holds them back while a row is open', async () => {
      await signedIn(explore('tailed', 'f:edge_logs t:last@1h'), async (page) => {
        const event = (text: string) => JSON.stringify({ project: 'tailed', event_message: text });
        // While the first search runs, the button cancels it.
        await page.getByText('has no events of tailed yet').waitFor();
        await send(event('first'));
        const rows = page.getByRole('grid', { name: 'Rows' });
        await page.getByRole('button', { name: 'Run' }).click();
        await rows.waitFor();
        await page.getByRole('button', { name: 'Tail' }).click();
        await send(event('second'));
        await rows.getByText('second').waitFor();
        await page.keyboard.press('j');
        await page.keyboard.press('o');
        await page.getByRole('region', { name: 'Row', exact: true }).waitFor();
        await send(event('third'));
        await page.getByRole('button', { name: '1 new' }).waitFor();
        expect(await rows.getByText('third').count()).toBe(0);
        await page.getByRole('button', { name: '1 new' }).click();
        await rows.getByText('third').waitFor();
      });
    });

    it('notices the first event of a project', async () => {
      await signedIn(explore('newcomer', 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByText('has no events of newcomer yet').waitFor();
        await send(JSON.stringify({ project: 'newcomer', event_message: 'hello' }));
        await page.getByRole('button', { name: 'Widen the time to it' }).waitFor();
      });
    });
  });

  describe('Query', () => {
    it('runs a query, draws it by time, and underlines an error while typing', async () => {
      await signedIn(
        `#/query?${new URLSearchParams({ p: shop, q: 'select timestamp_trunc(timestamp, minute) as minute, count(*) as n from edge_logs group by minute order by minute' })}`,
        async (page) => {
          await page.getByRole('region', { name: 'Result', exact: true }).first().waitFor();
          await page.getByRole('button', { name: 'Chart' }).click();
          await expect.poll(() => barsIn(page)).toBeGreaterThan(20);
          const editor = page.getByLabel('Query', { exact: true });
          await editor.click();
          await page.keyboard.press('Control+A');
          await page.keyboard.type('select event_mesage from edge_logs');
          await expect.poll(() => page.locator('.editor-help').textContent()).toContain('event_message');
          await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(1);
          await page.getByRole('button', { name: 'Table' }).click();
          await editor.click();
          await page.keyboard.press('Control+A');
          await page.keyboard.type('select count(*) as whole from edge_logs');
          await page.keyboard.press('Control+Enter');
          await expect.poll(() => page.locator('.result-table td').first().textContent()).toBe('1500');
        },
        {},
        isStyleOfTyping,
      );
    });
  });

  describe('Endpoints', () => {
    it('runs an endpoint from its form, and gives a line for the shell', async () => {
      await signedIn('#/endpoints/logs.all', async (page) => {
        await page.getByLabel('project', { exact: false }).first().fill(shop);
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await expect.poll(() => page.locator('.result .result-bar').textContent()).toMatch(/^100 rows/);
        expect(await page.locator('.snippet pre').textContent()).toContain(`--data-urlencode 'project=${shop}'`);
      });
    });
  });

  const tools: FlowTools = {
    signedIn,
    explore,
    send,
    sendAnyway: async (events) => await statusOf(events.map((event) => JSON.stringify(event)).join('\n')),
    deploy,
    serviceUrl: () => service.url,
    isStyleOfTyping,
  };
  signInFlows({ open, madeToken, token: () => token, base: () => base, serviceUrl: () => service.url });
  searchFlows(tools);
  endpointFlows(tools);
  serviceFlows(tools);
  errorFlows(tools);

  describe('every page', () => {
    const places = [
      '#/explore',
      explore(shop, 'f:edge_logs m.response.status_code:502 t:last@1h', { form: 'filters' }),
      '#/query',
      '#/endpoints',
      '#/endpoints/logs.all',
      '#/endpoints/d9a2e433-3286-44d9-a3b2-96b88c809d76?tab=edit',
      `#/endpoints/new?${new URLSearchParams({ lang: 'lql', q: 'f:edge_logs m.response.status_code:502 t:last@1h', p: shop })}`,
      '#/sources',
      '#/sources/edge_logs',
      '#/projects',
      `#/projects/${shop}`,
      '#/tokens',
      '#/tokens/new',
      '#/operations',
    ];
    const ready = async (page: Page) => {
      await page.locator('main h1').first().waitFor({ state: 'attached' });
      await expect
        .poll(() => page.locator('.waiting, .old, main [role=status]:text-matches("^Loading")').count())
        .toBe(0);
    };

    it('has no finding of axe, in both colour schemes and three widths', async () => {
      await signedIn(
        '',
        async (page) => {
          const found: string[] = [];
          for (const place of places) {
            await page.goto(base + place);
            for (const width of [1280, 390, 1600]) {
              await page.setViewportSize({ width, height: 844 });
              await ready(page);
              for (const colorScheme of ['light', 'dark'] as const) {
                await page.emulateMedia({ colorScheme });
                // The scheme changes colours only.
                const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
                const told = (each: string) => `${place} ${colorScheme} ${width}: ${each}`;
                found.push(...(await findings(page, rules)).map(told));
              }
            }
          }
          expect(found).toEqual([]);
        },
        {},
        isStyleOfAxe,
      );
    });

    it('takes the focus when it is opened, by key or by link', async () => {
      const focused = 'document.activeElement.id || document.activeElement.textContent';
      await signedIn('#/sources', async (page) => {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tokens' }).click();
        await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
        await expect.poll(() => page.evaluate(focused)).toBe('main');
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Projects' }).focus();
        await page.keyboard.press('g');
        await page.keyboard.press('s');
        await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
        await expect.poll(() => page.evaluate(focused)).toBe('main');
      });
    });

    it('fits the window at 200 % zoom, with colours that the system forces', async () => {
      await signedIn(
        '',
        async (page) => {
          const wide: string[] = [];
          for (const place of places) {
            await page.goto(base + place);
            await ready(page);
            const isWide = await page.evaluate(
              '[document.documentElement, document.getElementById("main")].some((each) => each.scrollWidth > each.clientWidth)',
            );
            if (isWide) wide.push(place);
          }
          expect(wide).toEqual([]);
          const outline = 'getComputedStyle(document.querySelector(".rail [aria-current=page]")).outlineStyle';
          expect(await page.evaluate(outline)).toBe('solid');
        },
        { viewport: { width: 640, height: 400 }, forcedColors: 'active' },
      );
    });

    it('of the sign-in has no finding of axe', async () => {
      const page = await open();
      try {
        await page.getByLabel('Token').waitFor();
        expect(await findings(page)).toEqual([]);
      } finally {
        await page.context().close();
      }
    });
  });
});

async function resultText(page: Page): Promise<string> {
  return (await page.locator('.list .result-bar > span:not(.unseen)').first().textContent()) ?? '';
}

/** Typing over a selection, Chromium writes the style of what it replaces to the line, which the editor then draws anew. */
const isStyleOfTyping = (refused: ConsoleMessage): boolean =>
  /^Applying inline style .* style attributes /.test(refused.text());

/** axe adds a style sheet. Its script is evaluated through the protocol, so it has no address. */
const isStyleOfAxe = (refused: ConsoleMessage): boolean =>
  /^Applying inline style /.test(refused.text()) && refused.location().url === '';
