import { setImmediate } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableLayout } from '../../files/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import { CancelledCall, RefusedFrame } from '../callFailure.ts';
import type { EngineCalls } from '../protocol.ts';
import type { Job } from '../read/statements.ts';
import { BatchReader } from './batchReader.ts';

interface OpenFile {
  /** Its temporary table is seen by no other connection, and ends with it. */
  readonly connection: DuckDBConnection;
  readonly layout: TableLayout;
}

/** Parquet files in the making. Their rows wait in temporary tables, which spill like a sort. */
export class ParquetFiles {
  readonly #instance: DuckDBInstance;
  readonly #files = new Map<number, OpenFile>();

  constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  async open(file: number, columns: number): Promise<void> {
    const connection = await this.#instance.connect();
    const layout: TableLayout = {
      table: 'rows',
      columns: Array.from({ length: columns }, (_, i) => ({ name: `c${i}`, type: 'VARCHAR', isLongText: false })),
    };
    this.#files.set(file, { connection, layout });
    // The batches of BatchReader have a number as their last column.
    const all = [...layout.columns.map(({ name }) => `${name} VARCHAR`), 'number BIGINT'];
    await connection.run(`CREATE TEMP TABLE rows (${all.join(', ')})`);
  }

  async add(file: number, batches: readonly number[], payload: Buffer): Promise<void> {
    const { connection, layout } = this.#get(file);
    const appender = await connection.createAppender('rows', 'main', 'temp');
    try {
      let at = 0;
      for (const bytes of batches) {
        for (const chunk of new BatchReader(layout, payload.subarray(at, at + bytes)).chunks(0)) {
          appender.appendDataChunk(chunk);
          // Gives statements a turn.
          await setImmediate();
        }
        at += bytes;
      }
      appender.flushSync();
    } finally {
      appender.closeSync();
    }
  }

  async finish({ file, path, select, metadata }: EngineCalls['finishParquet']['takes'], job: Job): Promise<void> {
    const { connection } = this.#get(file);
    if (job.isCancelled) throw new CancelledCall();
    job.interrupt = () => connection.interrupt();
    const texts = metadata.map(([key, text]) => `${quoteIdentifier(key)}: ${quoteText(text)}`);
    const options = `FORMAT parquet, COMPRESSION zstd, KV_METADATA {${texts.join(', ')}}`;
    try {
      await connection.run(`COPY (SELECT ${select} FROM temp.main.rows) TO ${quoteText(path)} (${options})`);
    } finally {
      job.interrupt = () => {};
    }
  }

  drop(file: number): void {
    this.#files.get(file)?.connection.closeSync();
    this.#files.delete(file);
  }

  #get(file: number): OpenFile {
    const found = this.#files.get(file);
    if (found === undefined) throw new RefusedFrame(`there is no Parquet file ${file} in the making`);
    return found;
  }
}
