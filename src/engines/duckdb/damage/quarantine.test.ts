import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { QueryResult } from '../../../ports/queryEngine.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';

const blockBytes = 256 * 1024;
/** The file's own three headers. */
const headBytes = 3 * 4096;

let test: TestStorage;
beforeEach(async () => {
  // Never merged, because events must stay in the same segment during a test.
  test = await TestStorage.open({ mergeFiles: 1000 });
});
afterEach(async () => await test.close());

const names = (folder = test.eventsDir) => (existsSync(folder) ? readdirSync(folder).sort() : []);
const damagedDir = () => join(test.eventsDir, 'damaged');
const sealedNames = () => names().filter((name) => /^sealed-.*duckdb$/.test(name));
const damageTold = () => test.observations.flatMap((each) => (each.kind === 'file.damaged' ? [each.file] : []));

/**
 * Stores events of a project, one per second from `second` on, and seals them into their own segment. Returns its name.
 */
async function seal(prefix: string, project: string, second: number, count = 3): Promise<string> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const batch = edgeBatch(ids, { project, eventMessage: 'x'.repeat(300) });
  const events = batch.events.map((event, index) => ({
    ...event,
    timestampMicros: (1_600_000_000 + second + index) * 1e6,
  }));
  await test.storage.log.append({ ...batch, events });
  const before = sealedNames();
  await test.storage.sealNow();
  const [name] = sealedNames().filter((each) => !before.includes(each));
  if (name === undefined) throw new Error('nothing was sealed');
  return name;
}

/** Changes a byte in each block of events, in place. */
function flip(name: string): void {
  const path = join(test.eventsDir, name);
  const file = openSync(path, 'r+');
  for (let at = headBytes + 600; at < statSync(path).size; at += blockBytes) {
    const byte = readFileSync(path)[at] ?? 0;
    writeSync(file, Buffer.from([byte ^ 0xff]), 0, 1, at);
  }
  closeSync(file);
}

async function run(sql: string, projects: readonly string[] | null = null, signal = never): Promise<QueryResult> {
  const query = compileStored(sql, {
    sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
    parameters: new Map(),
  });
  const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  return await engine.run(
    {
      query,
      parameters: new Map(),
      projects,
      redaction: null,
      nowMicros: test.clock.nowMicros(),
      rowsMax: 1000,
      bytesMax: 1e7,
      profile: 'plain',
    },
    signal,
  );
}

const rowsOf = ({ rows }: QueryResult): readonly string[] =>
  JSON.parse(`[${Buffer.from(rows).toString()}]`).map(({ id }: { id: string }) => id);
const all = 'select id, event_message from sources.edge_logs order by id';
const ofA = "select id, event_message from sources.edge_logs where project = 'a' order by id";

describe('a sealed file that is damaged while it is read', () => {
  it('is quarantined, and the rest is answered at once with the word that something is missing', async () => {
    const lost = await seal('lost', 'a', 0);
    await seal('kept', 'a', 100);
    const [first] = sealedNames();
    expect(first).toBe(lost);
    await test.reopen();
    flip(lost);
    const result = await run(all);
    expect(rowsOf(result)).toEqual(['kept0', 'kept1', 'kept2']);
    expect(result.isDamaged).toBe(true);
    expect(damageTold()).toEqual([lost]);
    await expect.poll(() => names(damagedDir())).toEqual([lost]);
    expect(await test.manifest.load()).toMatchObject([
      { damage: { file: lost, reason: expect.stringContaining('Corrupt') } },
      {},
    ]);
    // The same after a start, which does not examine it again.
    await test.reopen();
    const later = await run(all);
    expect([rowsOf(later), later.isDamaged]).toEqual([['kept0', 'kept1', 'kept2'], true]);
    expect(damageTold()).toEqual([lost]);
  });

  it('is missed only by those who would have read of it: by project, by time and by source', async () => {
    const lost = await seal('lost', 'a', 0);
    await seal('kept', 'a', 1000, 5);
    await seal('other', 'b', 1000);
    await test.reopen();
    flip(lost);
    expect((await run(ofA)).isDamaged).toBe(true);
    const isMissed = async (sql: string, projects?: readonly string[]) => (await run(sql, projects ?? null)).isDamaged;
    expect(await isMissed(all)).toBe(true);
    expect(await isMissed(all, ['a', 'b'])).toBe(true);
    expect(await isMissed(all, ['b'])).toBe(false);
    expect(await isMissed("select id from sources.edge_logs where project = 'b'")).toBe(false);
    expect(await isMissed('select id from sources.auth_logs')).toBe(false);
    const after = "timestamp > timestamp '2020-09-13 12:40:00'";
    expect(await isMissed(`select id from sources.edge_logs where project = 'a' and ${after}`)).toBe(false);
    expect(await isMissed('select 1 as id')).toBe(false);
  });

  it.each([
    ['cut', (path: string) => truncateSync(path, headBytes + 5000)],
    ['emptied', (path: string) => truncateSync(path, 0)],
  ])('is quarantined where it was %s', async (_, spoil) => {
    const lost = await seal('lost', 'a', 0);
    await seal('kept', 'a', 100);
    await test.reopen();
    spoil(join(test.eventsDir, lost));
    const result = await run(all);
    expect([rowsOf(result), result.isDamaged]).toEqual([['kept0', 'kept1', 'kept2'], true]);
    await expect.poll(() => names(damagedDir())).toEqual([lost]);
  });

  it('is quarantined once, however many queries find it', async () => {
    const lost = await seal('lost', 'a', 0);
    await seal('kept', 'a', 100);
    await test.reopen();
    flip(lost);
    const results = await Promise.all([run(all), run(ofA), run(all), run(ofA)]);
    for (const result of results) expect(rowsOf(result)).toEqual(['kept0', 'kept1', 'kept2']);
    expect(damageTold()).toEqual([lost]);
  });

  it('is left alone where a query fails for any other reason', async () => {
    await seal('kept', 'a', 0);
    const failing = 'select cast(event_message as int64) as id from sources.edge_logs';
    await expect(run(failing)).rejects.toMatchObject({ code: 'sql.data' });
    const forged =
      "select cast(concat('IO Error: Corrupt database file: computed checksum 1', id) as int64) as id from sources.edge_logs";
    await expect(run(forged)).rejects.toMatchObject({ code: 'sql.data' });
    expect(damageTold()).toEqual([]);
    expect(await test.storage.files.damaged.examine(test.storage.files.lease().files)).toBe(false);
    expect(damageTold()).toEqual([]);
    expect(sealedNames()).toHaveLength(1);
  });

  it('does not keep the others from being merged', async () => {
    await test.close();
    test = await TestStorage.open({ mergeFiles: 3 });
    const first = await seal('a', 'a', 0);
    const second = await seal('b', 'a', 100);
    await test.reopen();
    flip(first);
    for (const prefix of ['c', 'd']) await seal(prefix, 'a', 200);
    await test.storage.mergeNow();
    await test.storage.mergeNow();
    expect(damageTold()).toEqual([first]);
    await expect.poll(() => sealedNames()).not.toContain(second);
    expect(rowsOf(await run(all))).toEqual(['b0', 'b1', 'b2', 'c0', 'c1', 'c2', 'd0', 'd1', 'd2']);
  });
});

describe('a file that is damaged at the start', () => {
  it.each([
    ['cannot be opened', (path: string) => writeFileSync(path, 'no database')],
    ['is gone', (path: string) => rmSync(path)],
    ['is empty', (path: string) => truncateSync(path, 0)],
  ])('is named and quarantined if a sealed one %s, and the rest is served', async (_, spoil) => {
    const lost = await seal('lost', 'a', 0);
    await seal('kept', 'b', 100);
    await test.closeStorage();
    spoil(join(test.eventsDir, lost));
    await test.reopen();
    expect(damageTold()).toEqual([lost]);
    const [everything, ofB] = [await run(all), await run(all, ['b'])];
    expect([rowsOf(everything), everything.isDamaged]).toEqual([['kept0', 'kept1', 'kept2'], true]);
    expect(ofB.isDamaged).toBe(false);
  });

  it('is served again when a whole copy was put back, and not when what was put back is damaged too', async () => {
    const lost = await seal('lost', 'a', 0);
    await test.closeStorage();
    const path = join(test.eventsDir, lost);
    const whole = readFileSync(path);
    flip(lost);
    await test.reopen();
    expect((await run(all)).isDamaged).toBe(true);
    await test.closeStorage();
    renameSync(join(damagedDir(), lost), path);
    await test.reopen();
    expect([(await run(all)).isDamaged, rowsOf(await run(all))]).toEqual([true, []]);
    await expect.poll(() => names(damagedDir())).toEqual([lost]);
    await test.closeStorage();
    writeFileSync(path, whole);
    await test.reopen();
    const mended = await run(all);
    expect([rowsOf(mended), mended.isDamaged]).toEqual([['lost0', 'lost1', 'lost2'], false]);
    expect(test.observations.filter(({ kind }) => kind === 'file.mended')).toHaveLength(1);
    expect((await test.manifest.load())[0]?.damage).toBeUndefined();
  });

  it.each([
    ['other projects', () => seal('other', 'b', 0)],
    ['other times', () => seal('other', 'a', 100)],
    ['more events', () => seal('other', 'a', 0, 4)],
  ])('stays in quarantine if another segment of its number was put back, with %s', async (_, sealOther) => {
    const lost = await seal('lost', 'a', 0);
    const [record] = await test.manifest.load();
    if (record === undefined) throw new Error('there is no record');
    await test.close();
    // Another folder in which a segment got the same number.
    test = await TestStorage.open({ mergeFiles: 1000 });
    expect(await sealOther()).toBe(lost);
    await test.closeStorage();
    await test.manifest.remove(record.number);
    await test.manifest.commit(record, []);
    await test.manifest.mark(record.number, { file: lost, reason: 'Corrupt', foundMicros: 1 });
    await test.reopen();
    const found = await run(all);
    expect([rowsOf(found), found.isDamaged, damageTold()]).toEqual([[], true, [lost]]);
    expect(names(damagedDir())).toEqual([lost]);
  });

  const actives = () => names().filter((name) => /^active-\d+\.duckdb$/.test(name));

  it('is out of the way where what it was written from is still there after a crash', async () => {
    await test.storage.log.append(edgeBatch(['old0']));
    const name = actives().at(-1) ?? '';
    const path = join(test.eventsDir, name);
    const [file, wal] = [readFileSync(path), readFileSync(`${path}.wal`)];
    await test.storage.sealNow();
    const [lost = ''] = sealedNames();
    const [record] = await test.manifest.load();
    await test.manifest.mark(record?.number ?? 0, { file: lost, reason: 'Corrupt', foundMicros: 1 });
    await test.closeStorage();
    flip(lost);
    writeFileSync(path, file);
    writeFileSync(`${path}.wal`, wal);
    await test.reopen();
    expect(names(damagedDir())).toEqual([lost]);
    await test.storage.sealNow();
    const result = await run(all);
    expect([rowsOf(result), result.isDamaged]).toEqual([['old0'], false]);
  });

  it.each([
    [
      'a byte of its log is wrong',
      (path: string, wal: Buffer) => writeFileSync(`${path}.wal`, changed(wal, wal.length - 300)),
    ],
    ['the beginning of its log is wrong', (path: string, wal: Buffer) => writeFileSync(`${path}.wal`, changed(wal, 3))],
    ['it is empty', (path: string) => truncateSync(path, 0)],
  ])('keeps all of an active one where %s, and says of every answer that events may be missing', async (_, spoil) => {
    await seal('kept', 'b', 0);
    await test.storage.log.append(edgeBatch(['new0', 'new1'], { eventMessage: 'x'.repeat(500) }));
    // As after a crash: acknowledged events are in the log.
    const name = actives().at(-1) ?? '';
    const path = join(test.eventsDir, name);
    const [file, wal] = [readFileSync(path), readFileSync(`${path}.wal`)];
    await test.closeStorage();
    writeFileSync(path, file);
    writeFileSync(`${path}.wal`, wal);
    spoil(path, wal);
    await test.reopen();
    expect(damageTold()).toEqual([name]);
    await expect.poll(() => names(damagedDir())).toEqual([name, `${name}.wal`]);
    const result = await run(all);
    expect([rowsOf(result), result.isDamaged]).toEqual([['kept0', 'kept1', 'kept2'], true]);
    expect((await run('select 1 as id')).isDamaged).toBe(false);
    // New events are stored, and after the file was repaired and put back, nothing is missing.
    await test.storage.log.append(edgeBatch(['after']));
    await test.closeStorage();
    for (const each of names(damagedDir())) rmSync(join(damagedDir(), each));
    writeFileSync(path, file);
    writeFileSync(`${path}.wal`, wal);
    await test.reopen();
    const mended = await run(all);
    expect([rowsOf(mended), mended.isDamaged]).toEqual([['after', 'kept0', 'kept1', 'kept2', 'new0', 'new1'], false]);
  });

  it('sets an active one aside that cannot be sealed because a block of it is damaged, with what it is known to have held', async () => {
    await test.storage.log.append(
      edgeBatch(['old0'], { project: 'a', eventMessage: randomBytes(400_000).toString('hex') }),
    );
    // A clean stop writes the log into blocks.
    await test.closeStorage();
    const name = actives().at(-1) ?? '';
    await test.reopen();
    flip(name);
    await test.storage.log.append(edgeBatch(['new0'], { project: 'b' }));
    const found = await run(ofA);
    expect([rowsOf(found), found.isDamaged]).toEqual([[], true]);
    expect(damageTold()).toEqual([name]);
    await test.storage.log.append(edgeBatch(['new1'], { project: 'c' }));
    await test.storage.sealNow();
    expect(rowsOf(await run(all))).toEqual(['new1']);
    expect((await run(all, ['c'])).isDamaged).toBe(false);
    await test.reopen();
    expect([
      (await run(all, ['a'])).isDamaged,
      (await run(all, ['b'])).isDamaged,
      (await run(all, ['c'])).isDamaged,
    ]).toEqual([true, true, false]);
  });
});

it('answers queries that wait for a file to be read through no longer than they may run', async () => {
  const lost = await seal('lost', 'a', 0);
  await test.reopen();
  flip(lost);
  const aborted = AbortSignal.abort(new Error('given up'));
  await expect(run(all, null, aborted)).rejects.toThrow();
  expect((await run(all)).isDamaged).toBe(true);
});

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
