import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { builtModule } from '../../../../../test/support/builtModule.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-created-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates an active file in a process of its own, on a connection that fails at COMMIT and answers ROLLBACK as told. */
function createdWith(rollback: string) {
  const script = `
    const { createActive } = await import(${builtModule('activeFiles')});
    const run = async (sql) => {
      if (sql === 'COMMIT') throw new Error('Out of Memory Error: the first error');
      if (sql === 'ROLLBACK') ${rollback};
    };
    const createAppender = async () => ({ flushSync() {}, clear() {}, closeSync() {}, appendDataChunk() {} });
    const call = { alias: 'active_1', path: ${JSON.stringify(join(folder, 'active-1.duckdb'))}, kind: 'active', tables: [], createdMicros: 0, identities: [] };
    await createActive({ run, createAppender }, call).catch((error) => console.log(error.message));
  `;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

it('ends the process where a failed creation cannot be taken back, as nothing else could be done on its connection', () => {
  const { signal, stderr } = createdWith(`throw new Error('FATAL Error: the database has been invalidated')`);
  expect(signal).toBe('SIGKILL');
  expect(stderr).toContain('could not be taken back');
});

it.each([`return`, `throw new Error('TransactionContext Error: cannot rollback - no transaction is active')`])(
  'tells the first error where it can be, or has ended by itself: %s',
  (rollback) => {
    const { status, stdout } = createdWith(rollback);
    expect(status).toBe(0);
    expect(stdout).toContain('the first error');
  },
);
