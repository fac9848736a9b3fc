import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { FetchedTable } from '../../duckdb/process/protocol.ts';

/** A SELECT over the events of one scan. */
export interface Fetch {
  readonly bounds: ScanBounds;
  /** Without FORMAT and SETTINGS. */
  readonly sql: string;
  /** The table that the answer becomes. */
  readonly table: Pick<FetchedTable, 'columns' | 'irregular' | 'check' | 'events'>;
}

/** Rows that came back, under the name by which the rest reads them. */
export interface Fetched {
  readonly alias: string;
  readonly path: string;
  readonly rows: number;
}
