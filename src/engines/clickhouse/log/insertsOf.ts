import type { Source } from '../../../sources/source.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { tableColumns } from '../tables/tableLayout.ts';
import type { RowInsert } from './insertRows.ts';
import { type EncodedRows, numberRows } from './rowBinary.ts';

/** A batch whose events are encoded. */
export interface EncodedBatch {
  readonly source: Source;
  readonly encoded: readonly { readonly shard: number; readonly rows: EncodedRows }[];
}

export interface InsertsContext {
  /** Name of this node: another one for each start. */
  readonly node: string;
  readonly tableOf: (source: string) => string;
  readonly settings: Pick<ClickHouseSettings, 'insertRowsMax' | 'insertBytesMax'>;
}

/** Rows for one table of one shard, in the order of their numbers. */
interface Stream {
  readonly source: Source;
  readonly shard: number;
  readonly rows: Buffer[];
}

/**
 * The INSERTs of a commit: as few as possible for each source and shard. Gives the events their arrival numbers, from
 * `firsts` on for each batch.
 */
export function insertsOf(
  batches: readonly EncodedBatch[],
  firsts: readonly number[],
  context: InsertsContext,
): readonly RowInsert[] {
  const streams = new Map<string, Stream>();
  for (const [n, { source, encoded }] of batches.entries()) {
    for (const { shard, rows } of encoded) {
      numberRows(rows, firsts[n] ?? 0);
      const key = `${source.name}/${shard}`;
      const stream = streams.get(key) ?? { source, shard, rows: [] };
      streams.set(key, stream);
      let start = 0;
      for (const end of rows.ends) {
        stream.rows.push(rows.bytes.subarray(start, end));
        start = end;
      }
    }
  }
  return [...streams.values()].flatMap((stream) => cut(stream, firsts[0] ?? 0, context));
}

function cut(
  { source, shard, rows }: Stream,
  commit: number,
  { node, tableOf, settings }: InsertsContext,
): RowInsert[] {
  const table = tableOf(source.name);
  const columns = tableColumns(source).map(({ name }) => name);
  const inserts: RowInsert[] = [];
  let part: Buffer[] = [];
  let bytes = 0;
  const end = () => {
    if (part.length === 0) return;
    // Also with the node, so that it stays unique if an older copy of the ledger is restored.
    const token = `${node}/${commit}/${source.name}/${shard}/${inserts.length}`;
    inserts.push({ table, columns, shard, body: Buffer.concat(part, bytes), token });
    part = [];
    bytes = 0;
  };
  for (const row of rows) {
    if (part.length >= settings.insertRowsMax || bytes + row.length > settings.insertBytesMax) end();
    part.push(row);
    bytes += row.length;
  }
  end();
  return inserts;
}
