import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { verifyFile } from '../../engines/duckdb/process/write/verify.ts';
import { quoteText } from '../../engines/duckdb/sqlText.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';
import type { ListedFile } from './storeCheck.ts';

/**
 * Reads every value of event files, which compares each block with its checksum, and counts events. Changes nothing,
 * and may be done beside a running service with sealed files.
 */
export async function readThrough(
  dataDir: string,
  names: readonly string[],
  listed: readonly ListedFile[] | null,
): Promise<readonly Finding[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const findings: Finding[] = [];
  try {
    for (const [index, name] of names.entries()) {
      const alias = `checked_${index}`;
      const job = { isCancelled: false, interrupt: () => {} };
      try {
        await connection.run(`ATTACH ${quoteText(join(dataDir, 'events', name))} AS ${alias} (READ_ONLY)`);
        const events = await verifyFile(connection, alias, job);
        await connection.run(`DETACH ${alias}`);
        const expected = listed?.find(({ number }) => name === `sealed-${number}.duckdb`)?.events;
        findings.push(
          expected === undefined || expected === events
            ? ok('read through', `${name} is whole: ${events.toLocaleString('en')} events.`)
            : fail(
                'read through',
                `${name} holds ${events} events instead of ${expected}.`,
                'Restore it from a backup.',
              ),
        );
      } catch (error) {
        findings.push(
          fail(
            'read through',
            `${name} cannot be read through: ${reasonOf(error).split('\n', 1)[0]}.`,
            'Put a whole copy from a backup in its place while the service is stopped. The service sets it aside when a query reads the damaged part.',
          ),
        );
      }
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return findings;
}
