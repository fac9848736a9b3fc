import { copyFile, mkdtemp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enginesOf } from '../../../test/support/enginesOf.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { pathKey } from '../../sources/source.ts';
import type { EventFile } from './files/eventFiles.ts';
import { ManifestInMemory } from './files/manifestInMemory.ts';
import { edgeBatch, never, TestStorage } from './storage.fixture.ts';

/** A manifest whose device is full until `isFailing` is cleared. */
class FailingManifest extends ManifestInMemory {
  isFailing = true;

  override async commit(...args: Parameters<ManifestInMemory['commit']>): Promise<void> {
    if (this.isFailing) throw new Error('no space left on the device');
    await super.commit(...args);
  }
}

let test: TestStorage;
beforeEach(async () => {
  test = await TestStorage.open({ rotateEvents: 10 });
});
afterEach(async () => {
  await test.close();
});

const append = async (...args: Parameters<typeof edgeBatch>) => await test.storage.log.append(edgeBatch(...args));
const fileNames = async () => (await readdir(test.eventsDir)).filter((name) => name.endsWith('.duckdb')).sort();

const marks = async () => (await readdir(test.eventsDir)).filter((name) => name.endsWith('.new'));

function files(): readonly EventFile[] {
  const lease = test.storage.files.lease();
  lease.release();
  return lease.files;
}

describe('rotation and sealing', () => {
  it('seals a full file in the background and serves every event exactly once all the time', async () => {
    for (let n = 0; n < 40; n++) {
      await append([`${n}`]);
      expect(await test.values('SELECT count(*), count(DISTINCT id) FROM {edge_logs}')).toEqual([
        [`${n + 1}`, `${n + 1}`],
      ]);
    }
    await test.storage.sealNow();
    expect(await test.ids()).toHaveLength(40);
    expect(files().map(({ kind }) => kind)).toEqual(['sealed', 'sealed', 'sealed', 'sealed', 'active']);
  });

  it('rotates a file that is a day old, but never an empty one', async () => {
    const dayMs = 24 * 60 * 60 * 1000;
    test.clock.advanceMs(2 * dayMs);
    await append(['a']);
    expect(files().map(({ alias }) => alias)).toEqual(['active_1']);
    await append(['b']);
    await test.storage.sealNow();
    expect(await test.ids()).toEqual(['a', 'b']);
    expect(test.observations.filter(({ kind }) => kind === 'file.rotated')).toHaveLength(2);
  });

  it('writes sealed files sorted by project and time', async () => {
    const projects = ['b', 'a', 'c', 'a', 'b'];
    for (const [n, project] of projects.entries()) {
      await append([`${n}`], { project, timestampMicros: 1_700_000_000_000_000 - n });
    }
    await test.storage.sealNow();
    const [sealed] = files();
    const rows = await test.values(`SELECT id FROM ${sealed?.alias}.main.edge_logs ORDER BY rowid`);
    expect(rows.flat()).toEqual(['3', '1', '4', '0', '2']);
  });

  it('keeps a file that is leased, and removes it with its last lease', async () => {
    await append(['a']);
    const lease = test.storage.files.lease();
    await test.storage.sealNow();
    const read = `SELECT id FROM ${lease.files[0]?.alias}.main.edge_logs`;
    expect(await test.values(read)).toEqual([['a']]);
    expect(await fileNames()).toContain('active-1.duckdb');
    await test.killEngine();
    expect(await test.values(read)).toEqual([['a']]);
    lease.release();
    lease.release();
    await test.observed('file.cleaned');
    expect(await fileNames()).toEqual(['active-2.duckdb', 'sealed-1.duckdb']);
    await expect(test.values(read)).rejects.toMatchObject({ code: 'engine.failed' });
  });

  it('drops an empty active file instead of sealing it', async () => {
    await test.storage.sealNow();
    expect(files().map(({ alias }) => alias)).toEqual(['active_2']);
  });
});

describe('what files are known to hold', () => {
  const path = pathKey(['request', 'path']);

  it('tells times and counts per source and project, the same before and after sealing and a restart', async () => {
    await append(['1', '2'], { project: 'p', timestampMicros: 5_000_000 });
    await append(['3'], { project: 'q', timestampMicros: -7 });
    const check = () => {
      const [file] = files();
      expect(file?.stats('edge_logs', 'p')).toEqual({ firstMicros: 5_000_000, lastMicros: 5_000_000, count: 2 });
      expect(file?.stats('edge_logs', 'q')).toEqual({ firstMicros: -7, lastMicros: -7, count: 1 });
      expect(file?.stats('edge_logs', null)).toEqual({ firstMicros: -7, lastMicros: 5_000_000, count: 3 });
      expect(file?.stats('edge_logs', 'r')).toBeNull();
      expect(file?.stats('auth_logs', null)).toBeNull();
    };
    check();
    await test.reopen();
    check();
    await test.killEngine();
    await test.storage.sealNow();
    check();
    await test.reopen();
    check();
  });

  it('tells irregular paths per source and project, the same before and after sealing and a restart', async () => {
    await append(['1'], { project: 'p', irregular: [path] });
    await append(['2'], { project: 'q' });
    const check = () => {
      const [file] = files();
      expect([...(file?.irregular('edge_logs', 'p') ?? [])]).toEqual([path]);
      expect([...(file?.irregular('edge_logs', null) ?? [])]).toEqual([path]);
      expect(file?.irregular('edge_logs', 'q').size).toBe(0);
      expect(file?.irregular('auth_logs', null).size).toBe(0);
    };
    check();
    await test.reopen();
    check();
    await test.storage.sealNow();
    check();
    await test.reopen();
    check();
  });

  it('knows of an irregular event and of its time before a statement could see it', async () => {
    const [file] = files();
    const appending = append(['1'], { irregular: [path], timestampMicros: 42 });
    let seen = 0;
    while (seen === 0) {
      const known = file?.irregular('edge_logs', 'p').has(path);
      const [[count]] = (await test.values('SELECT count(*) FROM active_1.main.edge_logs')) as [[string]];
      seen = Number(count);
      // Checked after the statement: everything that it saw must be known by now.
      if (seen > 0) expect(known || file?.irregular('edge_logs', 'p').has(path)).toBe(true);
    }
    await appending;
    expect(file?.stats('edge_logs', 'p')).toEqual({ firstMicros: 42, lastMicros: 42, count: 1 });
  });

  it('gives a set that later events do not change', async () => {
    const before = files()[0]?.irregular('edge_logs', 'p');
    await append(['1'], { irregular: [path] });
    expect(before?.size).toBe(0);
  });
});

describe('start', () => {
  const statesOf = (...kinds: string[]) => test.observations.filter(({ kind }) => kinds.includes(kind));

  it('takes up several active files: the newest goes on, the others are sealed', async () => {
    const manifest = new FailingManifest();
    const stuck = new TestStorage(await mkdtemp(join(tmpdir(), 'logmill-storage-')), {}, builtinSources, manifest);
    await stuck.reopen();
    for (const id of ['a', 'b', 'c']) {
      await stuck.storage.log.append(edgeBatch([id], { irregular: [`["${id}"]`] }));
      await stuck.storage.rotateNow();
      await stuck.observed('warning');
    }
    await stuck.reopen();
    expect(await stuck.ids()).toEqual(['a', 'b', 'c']);
    manifest.isFailing = false;
    await stuck.reopen();
    expect(await stuck.ids()).toEqual(['a', 'b', 'c']);
    await stuck.storage.sealNow();
    expect(await stuck.ids()).toEqual(['a', 'b', 'c']);
    const kinds = async () => {
      const names = (await readdir(stuck.eventsDir)).filter((name) => name.endsWith('.duckdb'));
      return names.map((name) => name.split('-')[0]).sort();
    };
    // A sealed segment's input is removed when nothing reads it any more, not before the sealing ends.
    await expect.poll(kinds).toEqual(['active', 'sealed', 'sealed', 'sealed']);
    await stuck.close();
  });

  it('refuses events while more files wait to be sealed than may wait, and goes on when they are', async () => {
    const manifest = new FailingManifest();
    const dataDir = await mkdtemp(join(tmpdir(), 'logmill-storage-'));
    const stuck = new TestStorage(dataDir, { rotateEvents: 1, frozenFilesMax: 2 }, builtinSources, manifest);
    await stuck.reopen();
    const send = async (id: string) => await stuck.storage.log.append(edgeBatch([id]));
    for (const id of ['a', 'b', 'c']) await send(id);
    await expect(send('d')).rejects.toMatchObject({ code: 'ingest.overloaded' });
    manifest.isFailing = false;
    await stuck.storage.sealNow();
    await send('e');
    expect(await stuck.ids()).toEqual(['a', 'b', 'c', 'e']);
    await stuck.close();
  });

  it('removes what an interrupted rewrite left: temporary files and a sealed file without a record', async () => {
    await append(['a']);
    await test.closeStorage();
    await writeFile(join(test.eventsDir, 'sealing-1.tmp'), 'half');
    await writeFile(join(test.eventsDir, 'sealing-1.tmp.wal'), 'half');
    await copyFile(join(test.eventsDir, 'active-1.duckdb'), join(test.eventsDir, 'sealed-1.duckdb'));
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
    expect(await readdir(test.eventsDir)).not.toContain('sealing-1.tmp');
    expect(await readdir(test.eventsDir)).not.toContain('sealing-1.tmp.wal');
    expect(await fileNames()).toEqual(['active-1.duckdb']);
  });

  it('removes an active file whose sealed successor was committed', async () => {
    await append(['a']);
    await test.closeStorage();
    const active = await readFile(join(test.eventsDir, 'active-1.duckdb'));
    await test.reopen();
    await test.storage.sealNow();
    await test.closeStorage();
    await writeFile(join(test.eventsDir, 'active-1.duckdb'), active);
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
    expect(await fileNames()).toEqual(['active-2.duckdb', 'sealed-1.duckdb']);
    // The engine had opened it ahead, and would keep its memory and its room on the disk.
    const attached = await test.storage.statements.runValues('SELECT database_name FROM duckdb_databases()', never);
    expect(attached.flat()).toContain('active_2');
    expect(attached.flat()).not.toContain('active_1');
  });

  it.each([0, 1, 4096, 8192])('starts over a file of which only %i bytes were written', async (bytes) => {
    await append(['a']);
    await test.closeStorage();
    const created = join(test.eventsDir, 'active-2.duckdb');
    await writeFile(created, (await readFile(join(test.eventsDir, 'active-1.duckdb'))).subarray(0, bytes));
    await writeFile(`${created}.new`, '');
    await test.reopen();
    expect(statesOf('file.damaged')).toEqual([]);
    expect(statesOf('file.cleaned')).toMatchObject([{ file: 'active-2.duckdb' }]);
    expect(await test.ids()).toEqual(['a']);
    await append(['b']);
    await test.reopen();
    expect(await test.ids()).toEqual(['a', 'b']);
    expect(await marks()).toEqual([]);
  });

  it('takes a file without a mark of its creation for damaged if nothing is left of it', async () => {
    await append(['a']);
    await test.closeStorage();
    await truncate(join(test.eventsDir, 'active-1.duckdb'), 0);
    await test.reopen();
    expect(statesOf('file.damaged')).toMatchObject([{ file: 'active-1.duckdb' }]);
  });

  it('keeps a file with events although the mark of its creation is there again', async () => {
    await append(['a']);
    await test.closeStorage();
    const path = join(test.eventsDir, 'active-1.duckdb');
    await writeFile(`${path}.new`, '');
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
    expect(await marks()).toEqual([]);
  });

  it('names a damaged sealed file, sets it aside and serves the rest', async () => {
    await append(['a']);
    await test.storage.sealNow();
    await append(['b']);
    await test.closeStorage();
    await truncate(join(test.eventsDir, 'sealed-1.duckdb'), 5_000);
    await test.reopen();
    expect(statesOf('file.damaged')).toMatchObject([{ file: 'sealed-1.duckdb' }]);
    expect(await test.ids()).toEqual(['b']);
    expect(await readdir(join(test.eventsDir, 'damaged'))).toEqual(['sealed-1.duckdb']);
    await test.reopen();
    expect(await test.ids()).toEqual(['b']);
  });

  it('names a damaged active file, sets it aside and takes events into a new one', async () => {
    await append(['a']);
    await test.closeStorage();
    await writeFile(join(test.eventsDir, 'active-1.duckdb'), 'not a database at all'.repeat(1_000));
    await test.reopen();
    expect(statesOf('file.damaged')).toMatchObject([{ file: 'active-1.duckdb' }]);
    await append(['b']);
    expect(await test.ids()).toEqual(['b']);
    expect(await fileNames()).toEqual(['active-2.duckdb']);
  });

  it('serves a sealed file again that was missing at one start', async () => {
    await append(['a']);
    await test.storage.sealNow();
    await test.closeStorage();
    const path = join(test.eventsDir, 'sealed-1.duckdb');
    const bytes = await readFile(path);
    await truncate(path, 0);
    await test.reopen();
    expect(await test.ids()).toEqual([]);
    await test.closeStorage();
    await writeFile(path, bytes);
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
  });

  it('does not delete a sealed file that it does not know and whose events are nowhere else', async () => {
    await append(['a']);
    await test.storage.sealNow();
    await test.closeStorage();
    await test.manifest.remove(1);
    await test.reopen();
    expect(await test.ids()).toEqual([]);
    expect(await readdir(join(test.eventsDir, 'damaged'))).toEqual(['sealed-1.duckdb']);
  });

  it('goes on with a frozen file where its sealed successor is damaged', async () => {
    await append(['a']);
    await test.closeStorage();
    const active = await readFile(join(test.eventsDir, 'active-1.duckdb'));
    await test.reopen();
    await test.storage.sealNow();
    await test.closeStorage();
    await writeFile(join(test.eventsDir, 'active-1.duckdb'), active);
    await truncate(join(test.eventsDir, 'sealed-1.duckdb'), 5_000);
    await test.reopen();
    await test.storage.sealNow();
    expect(await test.ids()).toEqual(['a']);
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
  });

  it('adds the table of a source that was declared since', async () => {
    const older = await TestStorage.open({}, builtinSources.slice(0, 1));
    await older.storage.log.append(edgeBatch(['a']));
    await older.closeStorage();
    const newer = new TestStorage(older.dataDir, {}, builtinSources, older.manifest);
    await newer.reopen();
    await newer.storage.log.append({ ...edgeBatch([]), source: 'rest_api_logs', events: edgeBatch(['b']).events });
    expect([await newer.ids(), await newer.ids('rest_api_logs')]).toEqual([['a'], ['b']]);
    await newer.close();
  });
});

it.skipIf(process.platform !== 'linux')(
  'leaves no process behind where it is closed while the engine is being restarted',
  async () => {
    const engines = () => enginesOf(process.pid).length;
    await append(['a']);
    await test.killEngine();
    await test.observed('engine.exited');
    // The process being started, after the temporary data of the ended one was removed.
    await expect.poll(engines, { interval: 1 }).toBeGreaterThan(0);
    await test.closeStorage();
    await expect.poll(engines).toBe(0);
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
  },
);

it('refuses appends with a code once it is closing, and settles those it took', async () => {
  const sent = [append(['a']), append(['b'])];
  const { storage } = test;
  // Accepted once they are encoded, which needs no answer of the engine.
  await turnOfTheLoop();
  const closing = test.closeStorage();
  await Promise.all(sent);
  await closing;
  await expect(storage.log.append(edgeBatch(['c']))).rejects.toMatchObject({ code: 'service.draining' });
  await test.reopen();
  expect(await test.ids()).toEqual(['a', 'b']);
});
