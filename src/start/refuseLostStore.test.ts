import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { readSettings } from './readSettings.ts';
import { startService } from './startService.ts';

it('does not start a service on events whose store is lost, as deleted ones would be there again', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'logmill-lost-')), 'data');
  const { settings } = readSettings({ environment: {}, flags: { dataDir, port: '0' } });
  const start = async () =>
    await startService({
      settings,
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
    });
  await (await start()).close('end of the first');
  const store = join(dataDir, 'store.sqlite');
  // A clean stop leaves everything in the file.
  for (const end of ['-wal', '-shm']) rmSync(`${store}${end}`, { force: true });
  const second = await start();
  expect(second.adminToken).toBeUndefined();
  await second.close('end of the second');
  writeFileSync(store, 'x'.repeat(8192));
  for (const end of ['-wal', '-shm']) rmSync(`${store}${end}`, { force: true });
  await expect(start()).rejects.toThrow(/store\.sqlite is damaged \(file is not a database\)\. Keep the file/);
  writeFileSync(store, '');
  await expect(start()).rejects.toThrow(/holds events \(events\/active-1\.duckdb\) but no store\.sqlite/);
  for (const end of ['', '-wal', '-shm']) rmSync(`${store}${end}`, { force: true });
  await expect(start()).rejects.toThrow(/holds events \(events\/active-1\.duckdb\) but no store\.sqlite/);
  // Without event files the folder counts as new, even if the events folder is left.
  rmSync(join(dataDir, 'events'), { recursive: true });
  mkdirSync(join(dataDir, 'events'));
  writeFileSync(join(dataDir, 'events', 'notes.txt'), '');
  await (await start()).close('end of the test');
});
