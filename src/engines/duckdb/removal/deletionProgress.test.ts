import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { SealedFile } from '../files/sealedFile.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { DeletionProgress } from './deletionProgress.ts';

const keepsAll = () => new RetentionRules({ days: 0, bySource: new Map() });
const deletionOf = (token: number, project = 'gone'): EventDeletion => ({
  token,
  project,
  source: null,
  beforeMicros: null,
  requestedMicros: 0,
});

describe('a deletion', () => {
  const fileOf = (number: number, projects: readonly string[]) =>
    new SealedFile(
      {
        number,
        bytes: 1,
        events: projects.length,
        sealedMicros: 0,
        mergedFrom: [],
        sources: [
          {
            source: 'edge_logs',
            projects,
            firstMicros: projects.map(() => 1),
            lastMicros: projects.map(() => 1),
            counts: projects.map(() => 1),
            irregular: [],
          },
        ],
      },
      `/events/sealed-${number}.duckdb`,
      [],
    );
  let served: SealedFile[];
  let damaged: SealedFile[];
  let inDamaged: string[];
  let stillThere: number[];
  let told: string[];
  const progressOf = (removals: Removals, openDeletions: readonly EventDeletion[]) =>
    new DeletionProgress({
      removals,
      openDeletions,
      folder: {
        read: async () => ({
          active: [],
          sealed: stillThere,
          temporary: [],
          created: [],
          damaged: inDamaged,
          highestNumber: 0,
        }),
      },
      observe: () => {},
      deletionDone: async ({ token }) => void told.push(`done ${token}`),
      deletionReopened: async ({ token }) => void told.push(`reopened ${token}`),
      served: () => served,
      damaged: () => damaged,
    });
  beforeEach(() => {
    served = [];
    damaged = [];
    inDamaged = [];
    stillThere = [];
    told = [];
  });

  it('is asked by queries as long as a file that is served holds events of it, and no longer', async () => {
    const deletions = [deletionOf(7), deletionOf(8, 'other')];
    const removals = new Removals(keepsAll(), deletions);
    const progress = progressOf(removals, deletions);
    served = [fileOf(1, ['gone', 'kept']), fileOf(2, ['kept'])];
    await progress.settle();
    expect(removals.inForce).toEqual([deletions[0]]);
    expect(told).toEqual(['done 8']);
    served = [fileOf(9, ['gone', 'kept']), fileOf(2, ['kept'])];
    await progress.settle();
    expect([removals.inForce, removals.leavesAll(['edge_logs'])]).toEqual([[], true]);
    expect(told).toEqual(['done 8', 'done 7']);
    expect(removals.lastToken).toBe(8);
    expect(removals.begins('edge_logs', 'gone', 100)).toBe(0);
  });

  it('waits for damaged files on the device that hold events of it, or of which nobody knows', async () => {
    const deletion = deletionOf(7);
    const removals = new Removals(keepsAll(), [deletion]);
    const progress = progressOf(removals, [deletion]);
    damaged = [fileOf(1, ['gone']), fileOf(2, ['kept']), fileOf(3, ['gone'])];
    inDamaged = ['sealed-1.duckdb', 'sealed-1.2.duckdb', 'sealed-2.duckdb', 'active-4.duckdb', 'active-7.duckdb'];
    // Its record is marked, and it could not be moved away yet.
    stillThere = [3];
    await progress.settle();
    expect([removals.inForce, told]).toEqual([[], []]);
    const wait = (await progress.waitsOf([deletion])).get(7);
    expect(wait).toEqual({
      isCarriedOut: true,
      quarantined: [
        { name: 'sealed-3.duckdb', contents: 'known' },
        { name: 'sealed-1.duckdb', contents: 'known' },
        { name: 'sealed-1.2.duckdb', contents: 'known' },
        { name: 'active-4.duckdb', contents: 'unknown' },
      ],
    });
    inDamaged = ['sealed-2.duckdb', 'active-7.duckdb'];
    stillThere = [];
    await progress.settle();
    expect(told).toEqual(['done 7']);
  });

  it('hides what it deleted of a damaged file that is told to be missing, whether it is in force or not', async () => {
    const removals = new Removals(keepsAll(), [deletionOf(7)]);
    removals.settle(deletionOf(7));
    expect(removals.ofQuarantined.cutoff('edge_logs', 'gone', 1, 100)).toBeGreaterThan(100);
    expect(removals.ofQuarantined.leavesAll(['edge_logs'])).toBe(false);
    expect(removals.cutoff('edge_logs', 'gone', 1, 100)).toBeLessThan(0);
  });

  it('is in force again, and told to be open, before a file with events of it is served', async () => {
    const deletions = [deletionOf(7), deletionOf(9)];
    const removals = new Removals(keepsAll(), deletions);
    for (const each of deletions) removals.settle(each);
    const progress = progressOf(removals, []);
    await progress.bringBack(fileOf(8, ['gone', 'kept']));
    expect([told, removals.inForce]).toEqual([['reopened 9'], [deletions[1]]]);
    await progress.bringBack(fileOf(3, ['kept']));
    expect(told).toEqual(['reopened 9']);
  });
});

describe('a deletion of events in a quarantined file', () => {
  let test: TestStorage;
  let deletions: { readonly deletion: EventDeletion; isComplete: boolean }[];
  let told: string[];
  const open = async () => {
    // As after a start of the service: what is complete is not in force.
    const removals = new Removals(
      keepsAll(),
      deletions.map(({ deletion }) => deletion),
    );
    for (const { deletion, isComplete } of deletions) if (isComplete) removals.settle(deletion);
    const note = (deletion: EventDeletion, isComplete: boolean) => {
      told.push(isComplete ? 'complete' : 'open');
      const known = deletions.find((each) => each.deletion.token === deletion.token);
      if (known !== undefined) known.isComplete = isComplete;
    };
    test.given = {
      removals,
      openDeletions: deletions.filter(({ isComplete }) => !isComplete).map(({ deletion }) => deletion),
      deletionDone: async (deletion) => note(deletion, true),
      deletionReopened: async (deletion) => note(deletion, false),
    };
    await test.reopen();
  };
  const remove = async (project: string) => {
    const deletion = await test.storage.deleteEvents(async (token) => {
      deletions.push({ deletion: deletionOf(token, project), isComplete: false });
      return deletionOf(token, project);
    });
    return deletion;
  };
  const damagedDir = () => join(test.eventsDir, 'damaged');
  const shown = async () => {
    const query = compileStored('select id from sources.edge_logs order by id', {
      sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
      parameters: new Map(),
    });
    const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
    const request = { query, parameters: new Map(), projects: null, redaction: null, profile: 'plain' } as const;
    const bounds = { rowsMax: 100, bytesMax: 2 ** 20, nowMicros: test.clock.nowMicros() };
    const { rows } = await engine.run({ ...request, ...bounds }, never);
    return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { id: string }[]).map(({ id }) => id);
  };

  beforeEach(async () => {
    deletions = [];
    told = [];
    const dataDir = await mkdtemp(join(tmpdir(), 'logmill-progress-'));
    test = new TestStorage(dataDir, { mergeFiles: 1000 }, builtinSources);
    await open();
  });
  afterEach(async () => await test.close());

  const appendBoth = async () => {
    for (const project of ['gone', 'kept']) {
      await test.storage.log.append(edgeBatch([`${project}0`, `${project}1`], { project }));
    }
  };

  it.each(['active', 'sealed'] as const)(
    'waits for the %s file, is complete without it, and hides them again where it is put back',
    async (kind) => {
      await appendBoth();
      if (kind === 'sealed') await test.storage.sealNow();
      const pattern = new RegExp(`^${kind}-\\d+\\.duckdb$`);
      const [name = ''] = readdirSync(test.eventsDir).filter((each) => pattern.test(each));
      const path = join(test.eventsDir, name);
      // Of an active one as after a crash: what was acknowledged is in the log.
      const parts = [path, `${path}.wal`].filter((each) => existsSync(each));
      const whole = parts.map((each) => [each, readFileSync(each)] as const);
      const putBack = () => {
        for (const [each, bytes] of whole) writeFileSync(each, bytes);
      };
      await test.closeStorage();
      putBack();
      truncateSync(path, 0);
      await open();
      expect(readdirSync(damagedDir())).toContain(name);

      const deletion = await remove('gone');
      await test.storage.removeNow();
      const contents = kind === 'active' ? 'unknown' : 'known';
      const waiting = { isCarriedOut: true, quarantined: [{ name, contents }] };
      expect((await test.storage.deletionWaits([deletion])).get(deletion.token)).toEqual(waiting);
      expect(told).toEqual([]);

      for (const each of readdirSync(damagedDir())) rmSync(join(damagedDir(), each));
      await test.storage.removeNow();
      await expect.poll(() => told).toEqual(['complete']);

      await test.closeStorage();
      putBack();
      await open();
      expect(told.slice(0, 2)).toEqual(['complete', 'open']);
      expect(await shown()).toEqual(['kept0', 'kept1']);
      await test.storage.sealNow();
      await test.storage.removeNow();
      await expect.poll(() => told).toEqual(['complete', 'open', 'complete']);
      expect(await shown()).toEqual(['kept0', 'kept1']);
      expect(await test.ids()).toEqual(['kept0', 'kept1']);
    },
  );

  it('hides them also where the service is killed after the file is known to be whole again', async () => {
    await appendBoth();
    await test.storage.sealNow();
    const [name = ''] = readdirSync(test.eventsDir).filter((each) => /^sealed-\d+\.duckdb$/.test(each));
    const path = join(test.eventsDir, name);
    const copy = join(test.dataDir, 'copy');
    await test.closeStorage();
    copyFileSync(path, copy);
    rmSync(path);
    await open();
    await remove('gone');
    await test.storage.removeNow();
    await expect.poll(() => told).toEqual(['complete']);
    await test.closeStorage();
    copyFileSync(copy, path);
    const { mark } = test.manifest;
    test.manifest.mark = async (...call) => {
      await mark.apply(test.manifest, call);
      throw new Error('killed');
    };
    await expect(open()).rejects.toThrow('killed');
    test.manifest.mark = mark;
    await open();
    expect(await shown()).toEqual(['kept0', 'kept1']);
  });
});
