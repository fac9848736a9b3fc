import type { Notice } from '../../googlesql/resolve/tree.ts';
import { answerRows, bypass, type Rows, type RowsCall, type RowsServices, requireRun } from '../answerRows.ts';
import type { TruncatedBy } from '../rowLimit.ts';
import { runQuery } from '../run.ts';
import type { Page, PageLinks } from './pages.ts';

export interface PageRows extends Rows {
  /** Null if the call did not ask for pages. */
  readonly links: PageLinks | null;
  /** `PageRun.truncatedBy`; null if the call did not ask for pages. */
  readonly pageCutBy: TruncatedBy | null;
  readonly pageNotices: readonly Notice[];
}

/** Gets the rows of a call, or of one page of it. Pages never come from the cache. */
export async function pageRows(page: Page | null, call: RowsCall, services: RowsServices): Promise<PageRows> {
  if (page === null) return { ...(await answerRows(call, services)), links: null, pageCutBy: null, pageNotices: [] };
  const { endpoint, question, demand, token, signal, times } = call;
  requireRun(demand);
  const { result, asOfMicros, links, truncatedBy, notices } = await page.read(({ ready, request, used }) =>
    runQuery(
      {
        token,
        endpoint,
        ready,
        request: () => ({ ...question.request, ...request() }),
        timeoutMs: question.timeoutMs,
        used,
        callerSignal: signal,
        times,
      },
      services,
    ),
  );
  return {
    run: { result, asOfMicros },
    cache: bypass,
    cached: null,
    links,
    pageCutBy: truncatedBy,
    pageNotices: notices,
  };
}
