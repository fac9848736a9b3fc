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
  /** As the file declares it: the whole row, then each column followed by its members. */
  readonly schema: readonly ParquetField[];
}

export interface ParquetField {
  readonly name: string;
  /** Null for a group. */
  readonly physical: string | null;
  /** Annotations of older and of newer readers; null if there is none. */
  readonly converted: string | null;
  readonly logical: string | null;
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
    const declared = await connection.runAndReadAll(
      `SELECT name, type, converted_type, logical_type FROM parquet_schema('${path}')`,
    );
    const text = (value: unknown) => (value === null ? null : String(value));
    return {
      columns,
      schema: declared.getRows().map(([name, physical, converted, logical]) => ({
        name: String(name),
        physical: text(physical),
        converted: text(converted),
        logical: text(logical),
      })),
      rows: read.getRowsJson(),
      metadata: new Map(kept.getRows().map(([key, value]) => [String(key), String(value)])),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
