import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultDuckDbSettings } from '../settings.ts';
import { openInstance } from './instance.ts';

it('does not write the log of an active segment into its file when it is detached, because its events are sealed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-detach-'));
  const spillDir = join(folder, 'spill');
  const instance = await openInstance({ ...defaultDuckDbSettings, eventsDir: folder, spillDir, hasScripted: false });
  const connection = await instance.connect();
  const path = join(folder, 'active-1.duckdb');
  await connection.run(`ATTACH '${path}' AS active_1`);
  await connection.run('CREATE TABLE active_1.t AS SELECT md5(i::VARCHAR) AS x FROM range(50_000) AS r(i)');
  const logBytes = statSync(`${path}.wal`).size;
  await connection.run('DETACH active_1');
  expect(statSync(`${path}.wal`).size).toBe(logBytes);
  // It is what a crash leaves.
  await connection.run(`ATTACH '${path}' AS active_1`);
  expect((await (await connection.run('SELECT count(*) FROM active_1.t')).getRows()).flat()).toEqual([50_000n]);
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});
