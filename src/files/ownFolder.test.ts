import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeOwnFolder, readOwnFolder } from './ownFolder.ts';

it('makes folders that others may not enter, and says which file lies in the place of one', async () => {
  const root = mkdtempSync(join(tmpdir(), 'logmill-own-'));
  const path = join(root, 'a', 'copies');
  for (let i = 0; i < 2; i++) await makeOwnFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(await readOwnFolder(path)).toEqual([]);
  const file = join(root, 'backup-copies');
  writeFileSync(file, 'of somebody');
  const taken = { code: 'service.folder_taken', message: expect.stringMatching(/"backup-copies".*Move the file away/) };
  await expect(makeOwnFolder(file)).rejects.toMatchObject(taken);
  await expect(readOwnFolder(file)).rejects.toMatchObject(taken);
  await expect(makeOwnFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'service.folder_taken' });
  expect(readFileSync(file, 'utf8')).toBe('of somebody');
  await expect(readOwnFolder(join(root, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  rmSync(root, { recursive: true });
});
