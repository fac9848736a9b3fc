import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** What DuckDB reads in a Parquet file. */
export interface ReadParquet {
  /** In order of columns: name and type. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** Rows as the engine writes their values in JSON. */
  readonly rows: readonly (readonly unknown[])[];
  readonly metadata: ReadonlyMap<string, string>;
}

export async function readParquet(bytes: Uint8Array): Promise<ReadParquet> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const path = join(folder, 'rows.parquet');
  writeFileSync(path, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const file = `read_parquet('${path}')`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${file}`);
    const columns = described.getRows().map(([name, type]) => [String(name), String(type)] as const);
    const read = await connection.runAndReadAll(`SELECT * FROM ${file}`);
    const kept = await connection.runAndReadAll(
      `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`,
    );
    return {
      columns,
      rows: read.getRowsJson(),
      metadata: new Map(kept.getRows().map(([key, value]) => [String(key), String(value)])),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
