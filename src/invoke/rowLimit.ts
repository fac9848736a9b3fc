import type { QueryResult } from '../ports/queryEngine.ts';

/** The limit that cut a result (contract, section 1: `truncated_by`); `export_` for those of exports. */
export type TruncatedBy = 'max_rows' | 'query_limit' | 'result_bytes' | 'export_rows' | 'export_bytes';

/** The maximum number of rows of a run, and what reaching it means. */
export interface RowLimit {
  readonly rowsMax: number;
  /** Null if stopping there is not truncation, because the caller asked for no more. */
  readonly cutMeans: 'max_rows' | 'query_limit' | null;
}

/**
 * The smaller of `max_rows` and the query's outermost LIMIT. A LIMIT of the stored query that cuts rows is reported; a
 * smaller LIMIT in a caller query is not truncation (contract, section 1).
 */
export function rowLimitOf(maxRows: number, outerLimit: number | null, isCallerQuery: boolean): RowLimit {
  if (outerLimit === null || outerLimit > maxRows) return { rowsMax: maxRows, cutMeans: 'max_rows' };
  return { rowsMax: outerLimit, cutMeans: isCallerQuery ? null : 'query_limit' };
}

/**
 * The limit that cut this result, or null if it is complete. The byte limit comes first, because it cut before the row
 * limit was reached.
 */
export function truncatedBy(limit: RowLimit, result: Pick<QueryResult, 'hasMore' | 'cutByBytes'>): TruncatedBy | null {
  if (result.cutByBytes) return 'result_bytes';
  return result.hasMore ? limit.cutMeans : null;
}
