import type { Pause } from '../core/concurrency/turns.ts';
import type { SqlType } from '../googlesql/types.ts';

/** A result to write. */
export interface ParquetTable {
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  /** Parts of the rows, each JSON objects separated by commas, members in column order. */
  readonly parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Texts in the footer of the file, by key; asked when all parts are written. */
  readonly metadata: () => ReadonlyMap<string, string>;
}

export interface ParquetCall {
  /** Whose file it is: owners write in turn. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

/** Writes results that were already redacted and restricted to projects. It reads nothing but what it gets. */
export interface ParquetWriter {
  /**
   * Writes a Parquet file, and removes it when `use` is done with it. A value of another form than the type of its column,
   * such as the mark of a redaction in place of a time, becomes NULL.
   *
   * @throws ServiceError `query.memory`, `service.disk_full`, `engine.restarting`, `engine.failed`, the signal's reason, and
   * whatever `parts` and `use` throw
   */
  write<T>(table: ParquetTable, call: ParquetCall, use: (path: string) => Promise<T>): Promise<T>;
}
