import type { Notice } from '../../googlesql/resolve/tree.ts';
import type { QueryResult } from '../../ports/queryEngine.ts';
import { answerRows, bypass, type Rows, type RowsCall, type RowsServices, requireRun } from '../answerRows.ts';
import type { TruncatedBy } from '../rowLimit.ts';
import { runQuery } from '../run.ts';
import type { Page, PageLinks } from './pages.ts';

export interface PageRows extends Rows {
  /** Null if the call did not ask for pages. */
  readonly links: PageLinks | null;
  readonly pageNotices: readonly Notice[];
}

/** Gets the rows of a call, or of one page of it. Pages never come from the cache. */
export async function pageRows(page: Page | null, call: RowsCall, services: RowsServices): Promise<PageRows> {
  if (page === null) return { ...(await answerRows(call, services)), links: null, pageNotices: [] };
  const { endpoint, question, demand, token, signal, times } = call;
  requireRun(demand);
  const { result, asOfMicros, links, notices } = await page.read(({ ready, request, used }) =>
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
  return { run: { result, asOfMicros }, cache: bypass, cached: null, links, pageNotices: notices };
}

/** A page that ends at the byte limit goes on in the next one, unless not even one row fits. */
export function pageCutBy({ rowCount, cutByBytes }: QueryResult): TruncatedBy | null {
  return cutByBytes && rowCount === 0 ? 'result_bytes' : null;
}
