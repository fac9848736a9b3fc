import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { SqlDeletionStore } from '../../../stores/sql/sqlDeletionStore.ts';
import { openDatabase } from '../../../stores/sqlite/database.ts';
import { SqliteFileManifest } from '../../../stores/sqlite/sqliteFileManifest.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

const keepsAll = () => new RetentionRules({ days: 0, bySource: new Map() });

/** Stored batches by name, with the number of their events and of distinct events. */
async function storedBatches(test: TestStorage): Promise<ReadonlyMap<string, readonly [number, number]>> {
  const rows = await test.values(
    `SELECT split_part(id, '/', 1) AS batch, count(*), count(DISTINCT id) FROM {edge_logs} GROUP BY batch`,
  );
  return new Map(rows.map(([batch, count, distinct]) => [String(batch), [Number(count), Number(distinct)]]));
}

it('carries a deletion out once, and keeps the rest once, while the engine process ends again and again', async () => {
  const manifest = new ManifestInMemory();
  const removals = new Removals(keepsAll());
  const done: number[] = [];
  const test = new TestStorage(
    await mkdtemp(join(tmpdir(), 'logmill-removal-')),
    { mergeFiles: 1_000, mergeRetryMs: 1 },
    builtinSources,
    manifest,
  );
  test.given = {
    removals,
    deletionDone: async ({ token }) => {
      done.push(token);
    },
  };
  await test.reopen();
  const names = [...new Array(8).keys()];
  for (const name of names) {
    for (const project of ['kept', 'gone']) {
      const ids = [0, 1, 2, 3, 4].map((n) => `${project} ${name}/${n}`);
      await test.storage.log.append(edgeBatch(ids, { project }));
    }
    await test.storage.sealNow();
  }
  const before = test.observations.length;
  const deletion: EventDeletion = await test.storage.deleteEvents(async (token) => ({
    token,
    project: 'gone',
    source: null,
    beforeMicros: null,
    requestedMicros: 0,
  }));
  for (let n = 0; n < 8; n++) {
    const since = test.observations.length;
    await delay(n * 5);
    await test.killEngine();
    await test.observed('engine.started', since);
  }
  await expect.poll(() => done).toEqual([deletion.token]);
  const expected = new Map(names.map((name) => [`kept ${name}`, [5, 5]]));
  expect(new Map([...(await storedBatches(test))].sort())).toEqual(expected);
  expect(manifest.removed.reduce((sum, { events }) => sum + events, 0)).toBe(names.length * 5);
  expect(test.observations.slice(before).some(({ kind }) => kind === 'warning')).toBe(true);
  await test.reopen();
  expect(new Map([...(await storedBatches(test))].sort())).toEqual(expected);
  expect(test.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
  await test.close();
});

/** Runs the fixture until it has printed `linesMin` lines, kills it, and returns its output. */
async function killedAfter(dataDir: string, run: number, linesMin: number): Promise<readonly string[]> {
  const fixture = join(inject('processesDir'), 'crashRemover', 'main.js');
  const child = spawn(process.execPath, [fixture, dataDir, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  while (text.split('\n').length <= linesMin && child.exitCode === null) await delay(2);
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await ended;
  // A line that was cut off was not acknowledged.
  return text.split('\n').slice(0, -1);
}

it('brings back nothing that was deleted, and loses nothing else, where the service is killed again and again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'logmill-removal-'));
  const lines: string[] = [];
  for (let run = 0; run < 4; run++) lines.push(...(await killedAfter(dataDir, run, 9 + run * 4)));
  const database = await openDatabase(dataDir);
  const deletions = new SqlDeletionStore(database);
  const all = await deletions.load();
  const open = all.filter(({ completedMicros }) => completedMicros === null);
  const test = new TestStorage(dataDir, { mergeFiles: 2 }, builtinSources, new SqliteFileManifest(database));
  test.given = {
    removals: new Removals(keepsAll(), all),
    openDeletions: open,
    deletionDone: ({ token }) => deletions.complete(token, 1),
  };
  await test.reopen();
  await test.storage.sealNow();
  await test.storage.removeNow();
  const isDone = async () => (await deletions.load()).every(({ completedMicros }) => completedMicros !== null);
  await expect.poll(isDone).toBe(true);
  const stored = await storedBatches(test);
  for (const [batch, counts] of stored) expect([batch, ...counts]).toEqual([batch, 5, 5]);
  const deletedBefore = lines.lastIndexOf('deleted');
  expect(deletedBefore).toBeGreaterThan(0);
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('kept')) expect(stored.has(line), line).toBe(true);
    if (line.startsWith('gone') && at < deletedBefore) expect(stored.has(line), line).toBe(false);
  }
  const tokens = all.map(({ token }) => token);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(test.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
  expect((await readdir(test.eventsDir)).filter((name) => /damaged|tmp/.test(name))).toEqual([]);
  await test.close();
  await database.destroy();
  await rm(dataDir, { recursive: true, force: true });
});
