import { ApiError } from '../api/callApi.ts';
import type { RowsCalls } from '../api/rows.ts';
import type { Row, RowsAnswer } from '../api/rowsProtocol.ts';
import { columnNames, idOf, type SearchPlan } from './searchPlan.ts';
import { cellCharsMax, type SearchTarget } from './searchTarget.ts';

export interface SearchPage {
  readonly answer: RowsAnswer;
  /** Rows that the pages before did not have. */
  readonly rows: readonly Row[];
  /** What was asked for. */
  readonly plan: SearchPlan;
}

/** Where a page begins. `before` is for services and queries without cursors. */
export type PagePlace =
  | { readonly kind: 'first' }
  | { readonly kind: 'cursor'; readonly cursor: string }
  | { readonly kind: 'before'; readonly time: string; readonly seen: readonly string[] };

export const firstPage: PagePlace = { kind: 'first' };

/** Rows that one page has at most, whatever the endpoint allows. */
const pageRowsMax = 1000;

/** Reads a page of the rows of a search, all as of the time of the first page. Throws an ApiError. */
export async function readPage(
  calls: RowsCalls,
  { endpoint, parameters }: SearchTarget,
  plan: SearchPlan,
  place: PagePlace,
  signal: AbortSignal,
): Promise<SearchPage> {
  const read = async (more: Readonly<Record<string, string | number>>, lql = plan.lql): Promise<RowsAnswer> => {
    const body = { ...parameters, lql, ...more };
    return await calls.call({ path: endpoint.path, body, charsMax: cellCharsMax, signal });
  };
  if (place.kind === 'before') {
    const answer = await read({}, `${plan.lql} t:<=${place.time}`);
    const seen = new Set(place.seen);
    return { answer, plan, rows: answer.rows.filter((row) => !seen.has(idOf(row))) };
  }
  const whole = (answer: RowsAnswer): SearchPage => ({ answer, plan, rows: answer.rows });
  const size = plan.isLog ? endpoint.pageRowsMax : null;
  if (size === null) return whole(await read({}));
  try {
    const cursor = place.kind === 'cursor' ? { cursor: place.cursor } : {};
    return whole(await read({ page_size: Math.min(size, pageRowsMax), ...cursor }));
  } catch (error) {
    const isUnpaged = error instanceof ApiError && /^page\.(unsupported|unorderable)$/.test(error.code);
    if (!isUnpaged || place.kind === 'cursor') throw error;
    return whole(await read({}));
  }
}

/** Where the page after this one begins; null if it is the last. */
export function placeAfter({ answer, rows, plan }: SearchPage): PagePlace | null {
  const { next, truncated } = answer.meta;
  if (next !== undefined) return next === null ? null : { kind: 'cursor', cursor: next };
  const time = answer.rows.at(-1)?.[columnNames.time];
  if (!plan.isLog || !truncated || rows.length === 0 || typeof time !== 'string') return null;
  return { kind: 'before', time, seen: answer.rows.filter((row) => row[columnNames.time] === time).map(idOf) };
}
