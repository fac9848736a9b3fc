import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runOffline } from '../../../test/support/commandLine.ts';

it('says what an interrupted copy of definitions leaves, and only while it runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-migrate-'));
  const words: string[] = [];
  let undone = 0;
  const { err } = await runOffline(
    ['migrate', '--to', 'postgres', '--data-dir', folder],
    0,
    {},
    {
      onInterrupt: (lastWords) => {
        words.push(lastWords());
        return () => {
          undone += 1;
        };
      },
    },
  );
  rmSync(folder, { recursive: true });
  expect(err).toContain('LOGMILL_STORE names no database');
  expect(words).toEqual([
    '\nInterrupted. The target holds what it held before, or the whole copy. Run the same command again to be sure.\n',
  ]);
  expect(undone).toBe(1);
});
