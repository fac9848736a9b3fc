import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { counted } from '../../core/counted.ts';
import { verifyFile } from '../../engines/duckdb/process/write/verify.ts';
import { quoteText } from '../../engines/duckdb/sqlText.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';
import type { ListedFile } from './storeCheck.ts';

/**
 * Reads every value of event files, which verifies the checksum of each block, and counts events. Changes nothing;
 * sealed files can be read while a service runs.
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
            ? ok('read through', `${name} is undamaged: ${counted(events, 'event')}.`)
            : fail(
                'read through',
                `${name} holds ${counted(events, 'event')} instead of ${expected}.`,
                'Restore it from a backup.',
              ),
        );
      } catch (error) {
        findings.push(
          fail(
            'read through',
            `${name} cannot be read: ${reasonOf(error).split('\n', 1)[0]}.`,
            'Stop the service and replace it with an undamaged copy from a backup. Otherwise the service quarantines it when a query reads the damaged part.',
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
