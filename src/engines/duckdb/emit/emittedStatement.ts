import type { Column } from '../../../googlesql/resolve/tree.ts';

export interface Statement {
  readonly sql: string;
  /** pathKeys that the statement assumes to be regular, by the scan's timestamp column. */
  readonly trusted: ReadonlyMap<Column, ReadonlySet<string>>;
  /** The stored columns that it reads, by the scan's timestamp column, without those in conditions on all events. */
  readonly stored: ReadonlyMap<Column, ReadonlySet<string>>;
  /** Whether it reads stored metadata, which costs far more than all other columns. */
  readonly readsMetadata: boolean;
}
