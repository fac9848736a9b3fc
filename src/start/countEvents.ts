import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableInFile } from '../engines/duckdb/files/tableLayout.ts';
import { readRows } from '../engines/duckdb/process/read/wholeResult.ts';
import { inputTables } from '../engines/duckdb/process/write/rewriteInputs.ts';
import { quoteText } from '../engines/duckdb/sqlText.ts';

/** Counts the events of event files that nothing else has open. Changes nothing; an unreadable file counts as empty. */
export async function countEvents(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) return 0;
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  let events = 0;
  try {
    for (const [index, path] of paths.entries()) {
      const alias = `counted_${index}`;
      let link: string | undefined;
      try {
        let opened = resolve(path);
        // The engine takes what follows a question mark in a path for options.
        if (opened.includes('?')) {
          link = mkdtempSync(join(tmpdir(), 'logmill-count-'));
          symlinkSync(dirname(opened), join(link, 'events'));
          opened = join(link, 'events', basename(opened));
        }
        await connection.run(`ATTACH ${quoteText(opened)} AS ${alias} (READ_ONLY)`);
        for (const { table } of await inputTables(connection, [alias])) {
          const [row] = await readRows(connection, `SELECT count(*) FROM ${tableInFile(alias, table)}`);
          events += Number(row?.[0]);
        }
        await connection.run(`DETACH ${alias}`);
      } catch {
        // The number is for display only; the doctor reports the damage.
      } finally {
        if (link !== undefined) rmSync(link, { recursive: true, force: true });
      }
    }
    return events;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
