import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shop } from './consoleEvents.ts';
import type { FlowTools } from './flowTools.ts';

interface Fault {
  readonly answer: (route: Route) => Promise<void>;
  /** What the page says. */
  readonly says: RegExp;
}

const problem = (status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ status, code, detail, request_id: 'request-1' }),
});

const faults: readonly Fault[] = [
  {
    answer: (route) =>
      route.fulfill(problem(429, 'request.rate_limited', 'Too many requests.', { 'retry-after': '7' })),
    says: /Too many requests\..*Wait 7 s first\..*request\.rate_limited/,
  },
  {
    answer: (route) => route.fulfill(problem(503, 'service.starting', 'The service starts.')),
    says: /The service starts\..*service\.starting.*request-1/,
  },
  {
    answer: (route) => route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' }),
    says: /The service took too long to answer \(504\)\./,
  },
  { answer: (route) => route.abort(), says: /The service does not answer\. Is it running\?/ },
];

const pages: readonly string[] = [
  `#/explore?${new URLSearchParams({ p: shop, q: 'f:edge_logs t:last@1h' })}`,
  `#/query?${new URLSearchParams({ p: shop, q: 'select count(*) as n from edge_logs' })}`,
  '#/endpoints',
  `#/endpoints/logs.all?${new URLSearchParams({ 'v.project': shop, run: '1' })}`,
  '#/endpoints/logs.all?tab=source',
  '#/endpoints/logs.all?tab=callers',
  `#/endpoints/new?${new URLSearchParams({ lang: 'lql', q: 'f:edge_logs t:last@1h', p: shop })}`,
  '#/sources',
  '#/sources/edge_logs',
  '#/projects',
  `#/projects/${shop}`,
  '#/tokens',
  '#/operations',
];

/** Everything but the session, and what the token may do, which every page needs. */
const isOfPage = (url: URL): boolean => /\/(api|metrics)(\/|$)/.test(url.pathname) && !/\/session$/.test(url.pathname);

/** The same for the calls of the worker, which are those of the page too. */
const withFault = async (page: Page, { answer }: Fault, use: () => Promise<void>): Promise<void> => {
  await page.context().route(isOfPage, answer);
  await use();
  await page.context().unroute(isOfPage);
};

/** What pages show if the service cannot answer. */
export function errorFlows({ signedIn }: FlowTools): void {
  describe('an error of the service', () => {
    it('is told in words on each page, which goes on when it is asked again', async () => {
      await signedIn('', async (page) => {
        for (const [index, place] of pages.entries()) {
          const fault = faults[index % faults.length] as Fault;
          await withFault(page, fault, async () => {
            await page.goto(page.url().replace(/#.*$/, place));
            await page.reload();
            await expect
              .poll(() => page.locator('.error-box').first().textContent(), { message: place })
              .toMatch(fault.says);
          });
          await expect
            .poll(
              async () => {
                const again = page.locator('.error-box').getByRole('button', { name: 'Try again' }).first();
                if ((await again.count()) > 0) await again.click();
                return await page.locator('.error-box').count();
              },
              { message: place },
            )
            .toBe(0);
        }
      });
    });

    it('that makes a file of the console unavailable is shown in place of the page, and other pages work', async () => {
      const [place = ''] = pages;
      await signedIn('#/endpoints', async (page) => {
        await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
        const files = /\/assets\/(Tokens|rowsWorker)-/;
        await page.context().route(files, (route) => route.abort());
        await page.goto(page.url().replace(/#.*$/, '#/tokens'));
        await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
        await page.goto(page.url().replace(/#.*$/, place));
        await page.reload();
        await page.getByText('does not answer with the files of the console').first().waitFor();
        await page.context().unroute(files);
        await page.getByRole('button', { name: 'Try again' }).first().click();
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
      });
    });

    it('that is the end of the session leads to the sign-in, and back to the page', async () => {
      const [place = ''] = pages;
      await signedIn(place, async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        const ended = problem(401, 'session.invalid', 'The session is over.');
        await withFault(page, { answer: (route) => route.fulfill(ended), says: /./ }, async () => {
          await page.getByRole('button', { name: 'Run', exact: true }).click();
          await page.getByText('Your session is over.').waitFor();
          await page.getByLabel('Token').waitFor();
        });
        expect(page.url()).toContain(place);
      });
    });
  });
}
