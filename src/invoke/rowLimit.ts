import type { QueryResult } from '../ports/queryEngine.ts';

/** What cut a result (contract, section 1: `truncated_by`). */
export type TruncatedBy = 'max_rows' | 'query_limit' | 'result_bytes';

/** How many rows a run may return, and what it means when there were more. */
export interface RowLimit {
  readonly rowsMax: number;
  /** Null where more rows are no truncation: the caller asked for no more. */
  readonly cutMeans: Exclude<TruncatedBy, 'result_bytes'> | null;
}

/**
 * The smaller of the definition's `max_rows` and the query's outermost LIMIT. A stored query's own
 * LIMIT that cuts is said; a caller's own smaller LIMIT is no truncation (contract, section 1).
 */
export function rowLimitOf(maxRows: number, outerLimit: number | null, isCallerQuery: boolean): RowLimit {
  if (outerLimit === null || outerLimit > maxRows) return { rowsMax: maxRows, cutMeans: 'max_rows' };
  return { rowsMax: outerLimit, cutMeans: isCallerQuery ? null : 'query_limit' };
}

/** What cut this result, or null when it is whole. Bytes come first: they cut before the row limit was reached. */
export function truncatedBy(limit: RowLimit, result: Pick<QueryResult, 'hasMore' | 'cutByBytes'>): TruncatedBy | null {
  if (result.cutByBytes) return 'result_bytes';
  return result.hasMore ? limit.cutMeans : null;
}
