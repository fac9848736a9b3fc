import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../ports/eventLog.ts';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { pathKey, type Source } from '../../../sources/source.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { copyOfFolder, edgeBatch, TestStorage } from '../storage.fixture.ts';

/** A manifest that shows the state of the folder around the commit of a merge. */
class WatchedManifest extends ManifestInMemory {
  beforeMerge: () => Promise<void> = async () => {};
  afterMerge: () => Promise<void> = async () => {};

  override async commit(added: SealedFileRecord, replaced: readonly number[]): Promise<void> {
    if (replaced.length > 0) await this.beforeMerge();
    await super.commit(added, replaced);
    if (replaced.length > 0) await this.afterMerge();
  }

  async copy(): Promise<ManifestInMemory> {
    const copy = new ManifestInMemory();
    for (const record of await this.load()) await copy.commit(record, []);
    return copy;
  }
}

const settings = { mergeFiles: 3 };
let manifest: WatchedManifest;
let test: TestStorage;
const others: TestStorage[] = [];

beforeEach(async () => {
  manifest = new WatchedManifest();
  test = new TestStorage(await mkdtemp(join(tmpdir(), 'logmill-merging-')), settings, builtinSources, manifest);
  await test.reopen();
});
afterEach(async () => {
  for (const each of [test, ...others.splice(0)]) await each.close();
});

type Event = Parameters<typeof edgeBatch>[1];

async function seal(ids: readonly string[], event: Event = {}, storage = test): Promise<void> {
  await storage.storage.log.append(edgeBatch(ids, event));
  await storage.storage.sealNow();
}

const fileNames = async (storage = test) =>
  (await readdir(storage.eventsDir)).filter((name) => !/^active|^spill/.test(name)).sort();

/** A copy of the storage as a crash at this moment would leave it, reopened. */
async function crashed(): Promise<TestStorage> {
  const copy = new TestStorage(
    await copyOfFolder(test.dataDir),
    { mergeFiles: 1_000 },
    builtinSources,
    await manifest.copy(),
  );
  others.push(copy);
  return copy;
}

describe('merging', () => {
  it('makes one file of several, with every event, sorted by project and time, and removes them', async () => {
    const projects = ['b', 'a', 'ü', 'a', '\u{1F600}', '\uFFFD', 'nul \u0000 inside'];
    for (const [n, project] of projects.entries()) {
      await seal([`${n}.0`, `${n}.1`], { project, timestampMicros: 1_000_000 * (100 - n) });
    }
    const sealedFiles = async () => {
      await test.storage.mergeNow();
      return (await fileNames()).length;
    };
    // A failed merge, for example for lack of memory, is retried after a pause.
    await expect.poll(sealedFiles).toBe(1);
    const merged = test.observations.filter(({ kind }) => kind === 'file.merged');
    expect(merged.length).toBeGreaterThan(0);
    expect(await test.ids()).toEqual(projects.flatMap((_, n) => [`${n}.0`, `${n}.1`]));
    const { files } = test.storage.files.lease();
    const [file] = files;
    expect(files.map(({ kind }) => kind)).toEqual(['sealed', 'active']);
    const rows = await test.values(
      `SELECT project, epoch_us(timestamp), project_ordinal FROM ${file?.alias}.main.edge_logs ORDER BY rowid`,
    );
    const expected = projects
      .flatMap(
        (project, n) =>
          [
            [project, `${1_000_000 * (100 - n)}`],
            [project, `${1_000_000 * (100 - n)}`],
          ] as const,
      )
      .sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])) || Number(a[1]) - Number(b[1]));
    expect(rows.map(([project, micros]) => [project, micros])).toEqual(expected);
    for (const [project, , ordinal] of rows) expect(file?.ordinal('edge_logs', String(project))).toBe(Number(ordinal));
    expect(new Set(rows.map(([, , ordinal]) => ordinal)).size).toBe(new Set(projects).size);
  });

  it('sorts a batch at a time, even if one project is larger than a batch', async () => {
    const portioned = new TestStorage(
      await mkdtemp(join(tmpdir(), 'logmill-merging-')),
      // The minimum: 4,096 events.
      { ...settings, memoryBytesMax: 64 * 2 ** 20 },
      builtinSources,
    );
    await portioned.reopen();
    others.push(portioned);
    const size = 4_000;
    for (let file = 0; file < 3; file++) {
      const { events } = edgeBatch([...new Array(size).keys()].map((n) => `${file}.${n}`));
      const spread = events.map((event, n) => ({
        ...event,
        project: n % 4 === 0 ? `small ${n % 10}` : 'large',
        // Half of them have the same time, so no batch can separate them.
        timestampMicros: n % 2 === 0 ? 7_000_000 : (n * 7_919) % 1_000_000,
      }));
      await portioned.storage.log.append({ source: 'edge_logs', events: spread, identity: null });
      await portioned.storage.sealNow();
    }
    await portioned.storage.mergeNow();
    const lease = portioned.storage.files.lease();
    lease.release();
    const table = `${lease.files[0]?.alias}.main.edge_logs`;
    expect(lease.files.map(({ kind }) => kind)).toEqual(['sealed', 'active']);
    expect(await portioned.values(`SELECT count(*), count(DISTINCT id), max(rowid) FROM ${table}`)).toEqual([
      [`${3 * size}`, `${3 * size}`, `${3 * size - 1}`],
    ]);
    expect(
      await portioned.values(
        `SELECT count(*) FROM (SELECT (project, timestamp) < lag((project, timestamp)) OVER (ORDER BY rowid) AS isLess FROM ${table}) WHERE isLess`,
      ),
    ).toEqual([['0']]);
  });

  it('keeps times, counts and irregular paths of every project, also after a restart', async () => {
    const path = pathKey(['request', 'path']);
    await seal(['1'], { project: 'p', timestampMicros: 5, irregular: [path] });
    await seal(['2'], { project: 'q', timestampMicros: 6 });
    await seal(['3', '4'], { project: 'p', timestampMicros: 3 });
    await test.storage.mergeNow();
    const check = () => {
      const lease = test.storage.files.lease();
      lease.release();
      const [file] = lease.files;
      expect(file?.stats('edge_logs', 'p')).toEqual({ firstMicros: 3, lastMicros: 5, count: 3 });
      expect(file?.stats('edge_logs', 'q')).toEqual({ firstMicros: 6, lastMicros: 6, count: 1 });
      expect(file?.stats('edge_logs', null)).toEqual({ firstMicros: 3, lastMicros: 6, count: 4 });
      expect([...(file?.irregular('edge_logs', 'p') ?? [])]).toEqual([path]);
      expect([...(file?.irregular('edge_logs', 'q') ?? [])]).toEqual([]);
    };
    check();
    await test.reopen();
    check();
  });

  it('leaves files under a lease until its end', async () => {
    await seal(['1']);
    await seal(['2']);
    const lease = test.storage.files.lease();
    await seal(['3']);
    await test.storage.mergeNow();
    expect(await fileNames()).toEqual(
      expect.arrayContaining(['sealed-1.duckdb', 'sealed-2.duckdb', 'sealed-5.duckdb']),
    );
    for (const [n, file] of lease.files.slice(0, 2).entries()) {
      expect(await test.values(`SELECT id FROM ${file.alias}.main.edge_logs`)).toEqual([[`${n + 1}`]]);
    }
    const before = test.observations.length;
    lease.release();
    await test.observed('file.cleaned', before);
    await test.reopen();
    expect(await fileNames()).toEqual(['sealed-5.duckdb']);
    expect(await test.ids()).toEqual(['1', '2', '3']);
  });

  it('keeps the events of sources that are not declared any more', async () => {
    for (const id of ['1', '2', '3']) {
      await test.storage.log.append({ ...edgeBatch([]), source: 'rest_api_logs', events: edgeBatch([id]).events });
      await test.storage.rotateNow();
    }
    await test.closeStorage();
    const fewer = new TestStorage(test.dataDir, settings, builtinSources.slice(0, 1), manifest);
    await fewer.reopen();
    await fewer.storage.sealNow();
    await fewer.storage.mergeNow();
    expect(fewer.observations.filter(({ kind }) => kind === 'file.merged')).toHaveLength(1);
    await fewer.closeStorage();
    await test.reopen();
    expect(await test.ids('rest_api_logs')).toEqual(['1', '2', '3']);
  });
});

describe('a crash while files are merged', () => {
  const states = ['before its commit', 'after its commit', 'before the merged files are removed'] as const;

  it.each(states)('%s loses and doubles nothing', async (state) => {
    const copies: TestStorage[] = [];
    const keep = async () => {
      copies.push(await crashed());
    };
    await seal(['1'], { project: 'p' });
    await seal(['2'], { project: 'q' });
    if (state === 'before its commit') manifest.beforeMerge = keep;
    if (state === 'after its commit') manifest.afterMerge = keep;
    const lease = test.storage.files.lease();
    await seal(['3'], { project: 'p' });
    await test.storage.mergeNow();
    if (state === 'before the merged files are removed') {
      // The older lease goes away in the background; a copy must not run into it.
      await expect.poll(() => fileNames()).not.toContain('sealed-3.duckdb');
      await keep();
    }
    lease.release();
    const [copy] = copies;
    if (copy === undefined) throw new Error('nothing was merged');
    const isMerged = state !== 'before its commit';
    expect(await fileNames(copy)).toContain(
      state === 'before the merged files are removed' ? 'sealed-5.duckdb' : 'sealing-5.tmp',
    );
    expect(await fileNames(copy)).toContain('sealed-1.duckdb');
    for (let start = 0; start < 2; start++) {
      await copy.reopen();
      expect(await copy.ids()).toEqual(['1', '2', '3']);
      expect((await fileNames(copy)).filter((name) => name !== 'sealed-4.duckdb')).toEqual(
        isMerged ? ['sealed-5.duckdb'] : ['sealed-1.duckdb', 'sealed-2.duckdb', 'sealed-3.duckdb'],
      );
      expect(copy.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
    }
  });

  it('in the middle of writing leaves the files as they are', async () => {
    await seal(['1']);
    await seal(['2']);
    await test.closeStorage();
    for (const name of ['sealing-9.tmp', 'sealing-9.tmp.wal']) await writeFile(join(test.eventsDir, name), 'half');
    await test.reopen();
    expect(await test.ids()).toEqual(['1', '2']);
    expect(await fileNames()).toEqual(['sealed-1.duckdb', 'sealed-2.duckdb']);
  });

  it('of the engine alone is followed by another attempt', async () => {
    await seal(['1']);
    await seal(['2']);
    manifest.beforeMerge = async () => {
      manifest.beforeMerge = async () => {};
      throw new Error('the device is full');
    };
    await seal(['3']);
    await test.observed('warning');
    await test.killEngine();
    await test.observed('file.merged');
    expect(await test.ids()).toEqual(['1', '2', '3']);
    await test.reopen();
    expect(await test.ids()).toEqual(['1', '2', '3']);
  });
});

describe('a typed column that was declared since', () => {
  const edge = builtinSources.find(({ name }) => name === 'edge_logs');
  const others = builtinSources.filter((source) => source !== edge);
  if (edge === undefined) throw new Error('no source edge_logs');
  const fewer: Source = { ...edge, hotColumns: edge.hotColumns.slice(0, 3) };
  const path = pathKey(['request', 'url']);

  it('counts as irregular in older files, active, sealed and merged', async () => {
    const older = new TestStorage(test.dataDir, settings, [fewer, ...others], manifest);
    await test.closeStorage();
    await older.reopen();
    const event: readonly StoredEvent[] = edgeBatch(['1']).events.map((each) => ({
      ...each,
      hot: each.hot.slice(0, 3),
    }));
    const send = async (storage: TestStorage, id: string, hot = event) =>
      await storage.storage.log.append({
        source: 'edge_logs',
        events: hot.map((each) => ({ ...each, id })),
        identity: null,
      });
    await send(older, '1');
    await older.storage.sealNow();
    await send(older, '2');
    await older.closeStorage();
    await test.reopen();
    const irregular = () => {
      const lease = test.storage.files.lease();
      lease.release();
      return lease.files.map(
        (file) => file.stats('edge_logs', 'p') !== null && file.irregular('edge_logs', 'p').has(path),
      );
    };
    expect(irregular()).toEqual([true, true, false]);
    await send(test, '3', [...edgeBatch(['3']).events]);
    await test.storage.sealNow();
    await test.storage.mergeNow();
    expect(test.observations.filter(({ kind }) => kind === 'file.merged')).toHaveLength(1);
    expect(irregular()).toEqual([true, false]);
    expect(await test.ids()).toEqual(['1', '2', '3']);
  });
});

it('keeps a merged file that is committed and cannot be given its name before the service stops', async () => {
  const taken = [5, 6].map((number) => join(test.eventsDir, `sealed-${number}.duckdb`));
  for (const path of taken) {
    await mkdir(path);
    await writeFile(join(path, 'in the way'), '');
  }
  for (const id of ['a', 'b', 'c']) await seal([id]);
  const isInTheWay = () =>
    test.observations.some((each) => each.kind === 'warning' && /put in its place/.test(each.message));
  await expect.poll(isInTheWay).toBe(true);
  await test.closeStorage();
  for (const path of taken) await rm(path, { recursive: true });
  await test.reopen();
  expect(await test.ids()).toEqual(['a', 'b', 'c']);
});
