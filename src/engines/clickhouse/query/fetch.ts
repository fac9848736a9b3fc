import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { FetchedTable } from '../../duckdb/process/protocol.ts';

/** A SELECT over the events of one scan, or of several. */
export interface Fetch {
  readonly bounds: ScanBounds;
  /** Those of its other scans; absent if there are none. */
  readonly others?: readonly ScanBounds[];
  /** Without FORMAT and SETTINGS. */
  readonly sql: string;
  /** The table that the answer becomes. */
  readonly table: Pick<FetchedTable, 'columns' | 'irregular' | 'check' | 'events'>;
}

/** The bounds of its scans. */
export const allBounds = ({ bounds, others = [] }: Pick<Fetch, 'bounds' | 'others'>): readonly ScanBounds[] => [
  bounds,
  ...others,
];

/** Rows that came back, under the name by which the rest reads them. */
export interface Fetched {
  readonly alias: string;
  readonly path: string;
  readonly rows: number;
}
