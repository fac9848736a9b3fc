import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { SmallDisk } from '../../../test/support/smallDisk.ts';
import { SqlAuditTrail } from '../sql/sqlAuditTrail.ts';
import { SqlPageSecrets } from '../sql/sqlPageSecrets.ts';
import { copyDatabase } from './copyDatabase.ts';
import { openDatabase } from './database.ts';

let folder: string;
beforeEach(() => {
  // A quote in the path must not end the SQL string that contains it.
  folder = mkdtempSync(join(tmpdir(), "logmill-copy's-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (target: string) => ({
  atMicros: 1,
  actor: null,
  action: 'token.create' as const,
  target,
  version: null,
  requestId: null,
});

it('copies all that is committed while the store is in use, for its owner only', async () => {
  const database = await openDatabase(folder);
  try {
    await new SqlAuditTrail(database).record(entry('first'));
    const to = join(folder, 'copy.sqlite');
    await copyDatabase(folder, to);
    await new SqlAuditTrail(database).record(entry('second'));
    expect(statSync(to).mode & 0o777).toBe(0o600);
    const copy = new Database(to, { readonly: true });
    expect(copy.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(copy.prepare('select target from audit_trail').all()).toEqual([{ target: 'first' }]);
    copy.close();
  } finally {
    await database.destroy();
  }
});

it('leaves out the secrets of page cursors, so that a restored backup reads no cursor from after it', async () => {
  const database = await openDatabase(folder);
  try {
    await new SqlPageSecrets(database).add({ month: 1, secret: Buffer.alloc(32) });
    const to = join(folder, 'copy.sqlite');
    await copyDatabase(folder, to);
    const copy = new Database(to, { readonly: true });
    expect(copy.prepare('select month from page_secrets').all()).toEqual([]);
    copy.close();
    expect(await new SqlPageSecrets(database).load()).toHaveLength(1);
  } finally {
    await database.destroy();
  }
});

it('fails where there is a file already, or no store', async () => {
  const to = join(folder, 'copy.sqlite');
  writeFileSync(to, 'precious');
  await expect(copyDatabase(folder, to)).rejects.toThrow('EEXIST');
  writeFileSync(join(folder, 'store.sqlite'), 'no database at all, but a text');
  await expect(copyDatabase(folder, join(folder, 'other.sqlite'))).rejects.toThrow();
});

const disk = SmallDisk.mount(2 * 2 ** 20);
afterAll(() => disk?.remove());
it.skipIf(disk === null)('says that the disk is full, as a change of the store does', async () => {
  if (disk === null) throw new Error('skipped');
  const database = await openDatabase(folder);
  try {
    disk.fill(8_192);
    const copied = copyDatabase(folder, join(disk.path, 'copy.sqlite'));
    await expect(copied).rejects.toMatchObject({ code: 'service.disk_full' });
  } finally {
    await database.destroy();
  }
});
