import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type pg from 'pg';
import { quoteText } from '../../src/engines/duckdb/sqlText.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { sealedFiles } from '../suite/preparedEvents.ts';

/**
 * The table and indexes of a stack that stores its logs in PostgreSQL: members with a path go into one JSON document.
 */
const table = `CREATE TABLE events (
  id text NOT NULL, timestamp timestamp NOT NULL, event_message text NOT NULL, body jsonb NOT NULL, stream text NOT NULL)`;
const usualIndexes = [
  'CREATE INDEX events_timestamp ON events (timestamp)',
  `CREATE INDEX events_project ON events ((body->>'project'))`,
];

/** The index that answers "the newest of a project in a stream" without a sort. */
export const perfectIndex = `CREATE INDEX events_perfect ON events (stream, (body->>'project'), timestamp)`;

/** Copies every sealed event of a data folder into a table `events`, in order of time, as it would have grown. */
export async function loadEvents(client: pg.Client, dataDir: string, folder: string): Promise<number> {
  const file = join(folder, 'events.csv');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    const arms: string[] = [];
    for (const [n, name] of sealedFiles(dataDir).entries()) {
      await connection.run(`ATTACH ${quoteText(join(dataDir, 'events', name))} AS sealed_${n} (READ_ONLY)`);
      const present = await connection.runAndReadAll(
        `SELECT table_name FROM duckdb_tables() WHERE database_name = 'sealed_${n}'`,
      );
      const names = new Set(present.getRows().map(([each]) => String(each)));
      for (const source of builtinSources.filter((each) => names.has(each.name))) {
        arms.push(`SELECT id, timestamp, event_message,
            concat('{"project":"', project, '","metadata":', metadata, '}') AS body, ${quoteText(source.name)} AS stream
          FROM sealed_${n}.${source.name}`);
      }
    }
    await connection.run(
      `COPY (FROM (${arms.join(' UNION ALL ')}) ORDER BY timestamp) TO ${quoteText(file)} (FORMAT csv, HEADER false)`,
    );
    chmodSync(file, 0o644);
  } finally {
    connection.closeSync();
  }
  await client.query('BEGIN');
  await client.query(table);
  const copied = await client.query(`COPY events FROM ${quoteText(file)} (FORMAT csv)`);
  await client.query('COMMIT');
  rmSync(file);
  for (const index of usualIndexes) await client.query(index);
  await client.query('VACUUM (ANALYZE, FREEZE) events');
  return copied.rowCount ?? 0;
}
