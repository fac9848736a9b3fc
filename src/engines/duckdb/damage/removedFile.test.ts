import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActiveFile } from '../log/activeFile.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

let test: TestStorage;
beforeEach(async () => {
  test = await TestStorage.open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await test.close();
});

const append = async (id: string) => await test.storage.log.append(edgeBatch([id]));
/** Removes files like an operator who clears up the folder while the service runs. */
function remove(): void {
  for (const name of readdirSync(test.eventsDir)) {
    if (name.startsWith('active-')) rmSync(join(test.eventsDir, name));
  }
}

describe('the file that receives events, removed while the service runs', () => {
  it('is told of at the next batch, and what the engine has of it is kept in another', async () => {
    await append('a');
    remove();
    await append('b');
    expect(await test.observed('file.missing')).toMatchObject({ file: 'active-1.duckdb', events: 1 });
    await test.observed('file.sealed');
    await test.killEngine();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b']);
    await test.reopen();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b']);
  });

  it('is told of as lost where the engine has ended since, and keeps no events out', async () => {
    await append('a');
    remove();
    await test.killEngine();
    expect(await test.observed('file.damaged')).toMatchObject({ file: 'active-1.duckdb' });
    await append('b');
    expect(await test.ids()).toEqual(['b']);
    expect(test.observations.filter(({ kind }) => kind === 'engine.killed')).toEqual([]);
  });

  it('is sealed before a stop, also where no batch came since', async () => {
    await append('a');
    remove();
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
  });

  it('is missing, too, where only its log is, or a copy stands in its place', async () => {
    await append('a');
    rmSync(join(test.eventsDir, 'active-1.duckdb.wal'));
    await append('b');
    await test.observed('file.sealed');
    const before = test.observations.length;
    for (const suffix of ['', '.wal']) {
      const path = join(test.eventsDir, `active-2.duckdb${suffix}`);
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    }
    await append('c');
    await test.observed('file.sealed', before);
    await test.killEngine();
    await append('d');
    expect([...(await test.ids())].sort()).toEqual(['a', 'b', 'c', 'd']);
    await test.reopen();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is known from when the engine opened it, also a second one', async () => {
    await append('a');
    await test.killEngine();
    await append('b');
    expect(test.observations.filter(({ kind }) => kind === 'file.missing')).toEqual([]);
    const before = test.observations.length;
    await test.killEngine();
    await test.observed('engine.started', before);
    for (const suffix of ['', '.wal']) {
      const path = join(test.eventsDir, `active-1.duckdb${suffix}`);
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    }
    await append('c');
    expect(await test.observed('file.missing')).toMatchObject({ file: 'active-1.duckdb', events: 2 });
    await test.reopen();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['all of it', () => true],
    ['its log', (name: string) => name.endsWith('.wal')],
  ])(
    'keeps no batch waiting whose engine ends while it is sent, where %s is gone (told as lost)',
    async (_, isRemoved) => {
      await append('a');
      const expectEvents = ActiveFile.prototype.expect;
      // Between the choice of the file and the commit.
      vi.spyOn(ActiveFile.prototype, 'expect').mockImplementationOnce(function (this: ActiveFile, source, events) {
        for (const name of readdirSync(test.eventsDir)) {
          if (name.startsWith('active-1.') && isRemoved(name)) rmSync(join(test.eventsDir, name));
        }
        process.kill(test.storage.enginePid ?? 0, 'SIGKILL');
        return expectEvents.call(this, source, events);
      });
      await append('b');
      expect(await test.observed('file.damaged')).toMatchObject({ file: 'active-1.duckdb' });
      await append('c');
      expect(await test.ids()).toEqual(['b', 'c']);
      await test.reopen();
      expect(await test.ids()).toEqual(['b', 'c']);
    },
  );
});
