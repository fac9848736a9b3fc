import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FetchedFiles } from './fetchedFiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-fetched-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('gives free names out again, but never a path: an engine could remember the rows of another run by it', async () => {
  const files = await FetchedFiles.open(join(folder, 'rows'));
  const paths = new Set<string>();
  for (let run = 0; run < 50; run++) {
    const taken = [files.take(), files.take()];
    expect(taken.map(({ alias }) => alias)).toEqual(['rows_0', 'rows_1']);
    for (const { path } of taken) {
      expect(paths.has(path)).toBe(false);
      paths.add(path);
      writeFileSync(path, '');
    }
    await files.release(taken);
    for (const { path } of taken) expect(existsSync(path)).toBe(false);
  }
  await files.close();
});
