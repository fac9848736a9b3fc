import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultDuckDbSettings } from '../settings.ts';
import { openInstance } from './instance.ts';
import { readRows } from './read/wholeResult.ts';
import { SpillBound } from './spillBound.ts';

const mebibyte = 2 ** 20;

it('counts what is spilled, files of large blocks included, which the locked engine cannot open by their names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-spill-'));
  const spillDir = join(folder, 'spill');
  mkdirSync(spillDir);
  const { redaction, redactionRowsMax } = defaultDuckDbSettings;
  const instance = await openInstance({
    ...defaultDuckDbSettings,
    redaction,
    redactionRowsMax,
    eventsDir: folder,
    spillDir,
    spillBytesMax: 100 * mebibyte,
    hasScripted: false,
  });
  const connection = await instance.connect();
  const bound = new SpillBound(spillDir, 100 * mebibyte);
  const boundOf = async () =>
    (await readRows(connection, `SELECT value FROM duckdb_settings() WHERE name = 'max_temp_directory_size'`))[0]?.[0];
  writeFileSync(join(spillDir, 'duckdb_temp_block-7.block'), Buffer.alloc(2 * mebibyte));
  await bound.set(connection, 6 * mebibyte);
  expect([await boundOf(), bound.isHeld]).toEqual(['8.0 MiB', true]);
  rmSync(join(spillDir, 'duckdb_temp_block-7.block'));
  await bound.set(connection, 4 * mebibyte);
  expect(await boundOf()).toBe('4.0 MiB');
  await bound.set(connection, 200 * mebibyte);
  expect([await boundOf(), bound.isHeld]).toEqual(['100.0 MiB', false]);
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});
