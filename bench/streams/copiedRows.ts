import { rmSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteText } from '../../src/engines/duckdb/sqlText.ts';
import { writeArrow } from './writeArrow.ts';

const copyOptions = { ndjson: 'FORMAT json', csv: 'FORMAT csv, HEADER' } as const;

/** The rows of a stream as a table of DuckDB in this process, which writes them in the formats of streams. */
export class CopiedRows {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** Makes the table from the stream in CSV, with one column of JSON or none; fails if it has another number of rows. */
  static async open(csv: string, path: string, rows: number, json?: string): Promise<CopiedRows> {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`SET threads = 2; SET memory_limit = '512MiB'; SET TimeZone = 'UTC'`);
    const columns = json === undefined ? '*' : `* REPLACE (CAST(${json} AS JSON) AS ${json})`;
    await connection.run(`CREATE TABLE rows AS SELECT ${columns} FROM read_csv(${quoteText(csv)}, header = true)`);
    const found = (await connection.runAndReadAll('SELECT count(*) FROM rows')).getRows()[0]?.[0];
    if (Number(found) !== rows) throw new Error(`the stream has ${found} rows, not ${rows}`);
    return new CopiedRows(instance, connection);
  }

  /** Writes all rows to a file, and resolves with the milliseconds that it takes. */
  async write(format: 'ndjson' | 'csv' | 'arrow', path: string): Promise<number> {
    const startedMs = performance.now();
    if (format === 'arrow') await writeArrow(this.#connection, 'FROM rows', path);
    else await this.#connection.run(`COPY rows TO ${quoteText(path)} (${copyOptions[format]})`);
    const ms = performance.now() - startedMs;
    rmSync(path);
    return ms;
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
