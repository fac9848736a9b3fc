import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

export type SegmentKind = 'active' | 'sealed';

/**
 * Runs a statement on the segments of one kind in a data folder that no service uses, behind the back of the service. Rejects
 * if it changes no row.
 */
export async function tamperEvents(dataDir: string, kind: SegmentKind, sql: string): Promise<void> {
  const events = join(dataDir, 'events');
  let changed = 0;
  for (const name of readdirSync(events).filter((each) => each.startsWith(`${kind}-`) && each.endsWith('.duckdb'))) {
    const instance = await DuckDBInstance.create(join(events, name));
    const connection = await instance.connect();
    try {
      changed += (await connection.run(sql)).rowsChanged;
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
  if (changed === 0) throw new Error(`the statement changed nothing: ${sql}`);
}
