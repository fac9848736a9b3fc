import { DuckDBInstance } from '@duckdb/node-api';
import { sources } from './soakBatch.ts';

/** Names of the batches whose events are in an event file. The file must not change meanwhile, so pass a copy. */
export async function batchesOfFile(path: string): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  try {
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(`SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'`);
    const tables = found
      .getRows()
      .map(([name]) => String(name))
      .filter((name) => (sources as readonly string[]).includes(name));
    const names = new Set<string>();
    for (const table of tables) {
      const read = await connection.runAndReadAll(`SELECT DISTINCT split_part(event_message, '/', 2) FROM "${table}"`);
      for (const [name] of read.getRows()) names.add(String(name));
    }
    connection.closeSync();
    return [...names];
  } finally {
    instance.closeSync();
  }
}
