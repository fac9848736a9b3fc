import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runOffline } from '../../../test/support/commandLine.ts';
import { openDatabase } from '../../stores/sqlite/database.ts';

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'logmill-restore-'));
  await (await openDatabase(join(root, 'data'))).destroy();
  mkdirSync(join(root, 'data', 'events'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const backupOf = (name: string) => ['backup', join(root, name), '--data-dir', join(root, 'data')];
const restoreTo = (name: string) => ['restore', join(root, 'backup'), '--data-dir', join(root, name)];

/** The last words of a command that is interrupted when it has printed a text that matches; the command goes on. */
async function interrupted(args: readonly string[], when: RegExp, nowMicros = 0): Promise<string> {
  let words = () => '';
  let last = '';
  const written = (text: string) => {
    if (last === '' && when.test(text)) last = words();
  };
  await runOffline(
    args,
    nowMicros,
    {},
    {
      isTerminal: true,
      err: written,
      out: written,
      onInterrupt: (lastWords) => {
        words = lastWords;
        return () => undefined;
      },
    },
  );
  return last;
}

it.each(['backup', 'restore'])('%s says what an interruption leaves only while it runs', async (name) => {
  const running: boolean[] = [];
  const onInterrupt = () => {
    const at = running.push(true) - 1;
    return () => {
      running[at] = false;
    };
  };
  await runOffline(backupOf('backup'), 0, {}, { ...(name === 'backup' && { onInterrupt }) });
  if (name === 'restore') await runOffline(restoreTo('restored'), 0, {}, { onInterrupt });
  expect(running).toEqual([false]);
  running.length = 0;
  // Also after a failure.
  await runOffline(
    name === 'backup' ? ['backup', join(root, 'x'), '--data-dir', join(root, 'none')] : restoreTo('data'),
    0,
    {},
    { onInterrupt },
  );
  expect(running).toEqual([false]);
});

describe('the events of a backup are counted', () => {
  const countedIn = async (data: string) => {
    const instance = await DuckDBInstance.create(join(root, 'active-1.duckdb'));
    const connection = await instance.connect();
    await connection.run('CREATE TABLE edge_logs AS SELECT 1 AS id FROM range(3)');
    connection.closeSync();
    instance.closeSync();
    renameSync(join(root, 'active-1.duckdb'), join(data, 'events', 'active-1.duckdb'));
    const { out, err } = await runOffline(['backup', join(root, 'backup'), '--data-dir', data], 0);
    return { err, out };
  };
  const expected = { err: '', out: expect.stringContaining('Backed up 3 events') };

  it('in a folder with a question mark in its path', async () => {
    const data = join(root, 'data?x=1');
    renameSync(join(root, 'data'), data);
    expect(await countedIn(data)).toEqual(expected);
  });

  it('without a temporary folder, which other paths do not need', async () => {
    vi.stubEnv('TMPDIR', join(root, 'none'));
    try {
      expect(await countedIn(join(root, 'data'))).toEqual(expected);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('an interrupted restore', () => {
  it('leaves nothing behind, and says so', async () => {
    await runOffline(backupOf('backup'), 0);
    const words = await interrupted(restoreTo('restored'), /^copying 1 of 1/);
    expect(words).toBe(`\nInterrupted. Nothing was restored to ${join(root, 'restored')}.\n`);
    expect(readdirSync(root).sort()).toEqual(['backup', 'data']);
  });

  it('says if the restore was complete', async () => {
    await runOffline(backupOf('backup'), 0);
    const words = await interrupted(restoreTo('restored'), /^Restored to/);
    expect(words).toBe(
      `\nInterrupted after the restore was complete. ${join(root, 'restored')} holds the whole backup.\n`,
    );
    expect(readdirSync(join(root, 'restored'))).toContain('store.sqlite');
  });

  it('says that nothing was restored to a folder that was refused', async () => {
    await runOffline(backupOf('backup'), 0);
    mkdirSync(join(root, 'full'));
    writeFileSync(join(root, 'full', 'precious'), '');
    expect(await interrupted(restoreTo('full'), /is not empty/)).toContain('Nothing was restored');
    expect(readdirSync(join(root, 'full'))).toEqual(['precious']);
  });
});

describe('an interrupted backup', () => {
  it('says which backup the folder has', async () => {
    const folder = join(root, 'backup');
    const first = await interrupted(backupOf('backup'), /^copying 1 of 1/);
    expect(first).toContain(`Interrupted. ${folder} contains no backup.`);
    const second = await interrupted(backupOf('backup'), /^copying 1 of 1/, 60_000_000);
    expect(second).toContain(`Interrupted. ${folder} contains only the backup of 1970-01-01T00:00:00.000Z.`);
    const third = await interrupted(backupOf('backup'), /^Backed up/, 120_000_000);
    expect(third).toContain(`${folder} contains the backup of 1970-01-01T00:02:00.000Z.`);
  });
});
