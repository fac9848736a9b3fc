import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import { Removals } from '../../../retention/removals.ts';
import { oldestKeptMicros, type RetentionRule, RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const dayMicros = 86_400_000_000;

interface Modelled {
  readonly id: string;
  readonly source: string;
  readonly project: string;
  readonly timestampMicros: number;
}

/** A storage, next to a list of the events that it should show. */
class ModelledStorage {
  readonly manifest = new ManifestInMemory();
  readonly rules = new RetentionRules({ days: 0, bySource: new Map() });
  readonly removals = new Removals(this.rules);
  readonly done: number[] = [];
  readonly deletions: EventDeletion[] = [];
  readonly test: TestStorage;
  model: Modelled[] = [];
  #next = 0;

  constructor(dataDir: string) {
    this.test = new TestStorage(dataDir, { mergeFiles: 3, mergeRetryMs: 1 }, builtinSources, this.manifest);
    this.test.given = {
      removals: this.removals,
      openDeletions: this.deletions,
      deletionDone: async ({ token }) => {
        this.done.push(token);
      },
    };
  }

  get storage() {
    return this.test.storage;
  }

  async append(source: string, project: string, agesDays: readonly number[]): Promise<void> {
    const now = this.test.clock.nowMicros();
    const added = agesDays.map((days) => ({
      id: `e${this.#next++}`,
      source,
      project,
      timestampMicros: now - Math.round(days * dayMicros),
    }));
    const hot = (sources.get(source)?.hotColumns ?? []).map(() => null);
    const events = added.map((event) => ({ ...event, eventMessage: event.id, metadata: '{}', hot, irregular: [] }));
    await this.storage.log.append({ source, events, identity: null });
    this.model.push(...added);
  }

  async delete(project: string, source: string | null = null, beforeMicros: number | null = null) {
    const requestedMicros = this.test.clock.nowMicros();
    const deletion = await this.storage.deleteEvents(async (token) => ({
      token,
      project,
      source,
      beforeMicros,
      requestedMicros,
    }));
    this.deletions.push(deletion);
    this.model = this.model.filter(
      (event) =>
        event.project !== project ||
        (source !== null && event.source !== source) ||
        (beforeMicros !== null && event.timestampMicros >= beforeMicros),
    );
    return deletion;
  }

  setRule(rule: RetentionRule): void {
    if (rule.project !== null) this.removals.mark(this.removals.marksOfNew(rule.project));
    this.rules.set(rule);
  }

  /**
   * A longer retention does not restore events that were taken out of the segments. Removes these from the model; each
   * must be from before the time from which data is reported as complete.
   */
  async forgetTakenOut(): Promise<void> {
    const stored = new Set(await this.storedIds());
    const now = this.test.clock.nowMicros();
    for (const { id, source, project, timestampMicros } of this.model.filter((event) => !stored.has(event.id))) {
      expect(timestampMicros, `${id} of ${project} in ${source} is missing`).toBeLessThan(
        this.removals.begins(source, project, now),
      );
    }
    this.model = this.model.filter(({ id }) => stored.has(id));
  }

  expected(isWanted: (event: Modelled) => boolean): readonly string[] {
    const now = this.test.clock.nowMicros();
    return this.model
      .filter(isWanted)
      .filter(({ source, project, timestampMicros }) => {
        const oldest = oldestKeptMicros(this.rules.effective(source, project).days, now);
        return oldest === null || timestampMicros >= oldest;
      })
      .map(({ id }) => id)
      .sort();
  }

  async ids(sql: string, projects: readonly string[] | null = null): Promise<readonly string[]> {
    const query = compileStored(sql, { sources, parameters: new Map() });
    const engine = new DuckDbQueryEngine(this.storage.files, this.storage.statements);
    const request = { query, parameters: new Map(), projects, redaction: null, profile: 'plain' } as const;
    const bounds = { rowsMax: query.outerLimit ?? 10_000, bytesMax: 2 ** 20 };
    const nowMicros = this.test.clock.nowMicros();
    const { rows } = await engine.run({ ...request, ...bounds, nowMicros }, never);
    return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { id: string }[]).map(({ id }) => id).sort();
  }

  /** Every kind of scan: all projects, one, several of a restricted token, and the newest rows first. */
  async requireSameAsModel(): Promise<void> {
    for (const source of ['rest_api_logs', 'pooler_logs']) {
      const of = (names: readonly string[]) => (event: Modelled) =>
        event.source === source && names.includes(event.project);
      expect(await this.ids(`select id from sources.${source}`)).toEqual(this.expected(of(['a', 'b', 'c'])));
      expect(await this.ids(`select id from sources.${source}`, ['a', 'c'])).toEqual(this.expected(of(['a', 'c'])));
      for (const project of ['a', 'b', 'c']) {
        const sql = `select id from sources.${source} where project = '${project}'`;
        expect(await this.ids(sql)).toEqual(this.expected(of([project])));
        expect(await this.ids(`${sql} order by timestamp desc limit 1000`)).toEqual(this.expected(of([project])));
      }
    }
  }

  /** The stored events, whatever queries show. */
  async storedIds(): Promise<readonly string[]> {
    const all = [...(await this.test.ids('rest_api_logs')), ...(await this.test.ids('pooler_logs'))];
    return all.sort();
  }
}

it('have rules that change between two changes of files, or not at all where that takes too long', async () => {
  const test = await TestStorage.open({ rulesWaitMs: 1 });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const changing = test.storage.betweenRemovals(async () => await held);
  const ran: string[] = [];
  const refused = test.storage.betweenRemovals(async () => void ran.push('refused'));
  await expect(refused).rejects.toMatchObject({ code: 'retention.busy', retryAfterSeconds: 5 });
  end();
  await changing;
  await test.storage.betweenRemovals(async () => void ran.push('taken'));
  expect(ran).toEqual(['taken']);
  await test.close();
});

it('do not hold up the files of all events if rules keep some again and again', async () => {
  /** Each rule has just been lifted when its removal would be committed. */
  class Lifted extends Removals {
    override cutoff(source: string, project: string, clearedTo: number, nowMicros: number): number {
      return this.onRequest.cutoff(source, project, clearedTo, nowMicros);
    }
  }
  const removals = new Lifted(new RetentionRules({ days: 0, bySource: new Map([['edge_logs', 1]]) }));
  const test = await TestStorage.open({ mergeRetryMs: 300_000 }, builtinSources, undefined, { removals });
  const age = (days: number) => ({ timestampMicros: test.clock.nowMicros() - days * dayMicros });
  await test.storage.log.append(edgeBatch(['old'], age(0.75)));
  await test.storage.log.append(edgeBatch(['new'], age(0.25)));
  test.clock.advanceMs(dayMicros / 2000);
  await test.storage.sealNow();
  expect(await test.ids()).toEqual(['new', 'old']);
  await test.close();
});

describe('events that are removed', () => {
  let modelled: ModelledStorage;
  beforeEach(async () => {
    modelled = new ModelledStorage(await mkdtemp(join(tmpdir(), 'logmill-removed-')));
    await modelled.test.reopen();
  });
  afterEach(async () => {
    await modelled.test.close();
  });

  it('on request are gone for queries at once, and then from every file, while others and later ones stay', async () => {
    await modelled.append('rest_api_logs', 'a', [3, 2, 1]);
    await modelled.append('rest_api_logs', 'b', [3, 1]);
    await modelled.storage.sealNow();
    await modelled.append('pooler_logs', 'a', [1, 0]);
    const lease = modelled.storage.files.lease();
    const deletion = await modelled.delete('a');
    await modelled.append('rest_api_logs', 'a', [2.5]);
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    // A statement that began before may still read the old segments, so its events are still on the device.
    expect(modelled.done).toEqual([]);
    lease.release();
    await expect.poll(() => modelled.done).toEqual([deletion.token]);
    expect(await modelled.storedIds()).toEqual(modelled.model.map(({ id }) => id).sort());
    const removed = modelled.manifest.removed.map(({ deletion, source, events }) => ({ deletion, source, events }));
    expect(removed.sort((x, y) => (x.source < y.source ? -1 : 1))).toEqual([
      { deletion: deletion.token, source: 'pooler_logs', events: 2 },
      { deletion: deletion.token, source: 'rest_api_logs', events: 3 },
    ]);
    await modelled.test.reopen();
    await modelled.requireSameAsModel();
  });

  it('by age are never seen, and leave the files when they are much of them or late', async () => {
    modelled.rules.set({ source: null, project: 'a', days: 4 });
    await modelled.append('rest_api_logs', 'a', [3.9, 1]);
    await modelled.append('rest_api_logs', 'b', [90, 3.9, 3.8, 3.7, 1, 0]);
    await modelled.storage.sealNow();
    modelled.test.clock.advanceMs(dayMicros / 1000 / 2);
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    // One of eight, and late by less than a day.
    expect(await modelled.storedIds()).toHaveLength(8);
    modelled.test.clock.advanceMs(dayMicros / 1000);
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    expect(await modelled.storedIds()).toHaveLength(7);
    await modelled.requireSameAsModel();
    modelled.rules.set({ source: 'rest_api_logs', project: null, days: 1 });
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    modelled.test.clock.advanceMs(5 * (dayMicros / 1000));
    await modelled.storage.removeNow();
    await expect.poll(() => modelled.storedIds()).toEqual([]);
    expect(modelled.test.observations.some(({ kind }) => kind === 'file.dropped')).toBe(true);
    expect(await modelled.manifest.load()).toEqual([]);
  });

  it('leave a file that receives events and that nothing is sent to any more', async () => {
    modelled.rules.set({ source: 'rest_api_logs', project: null, days: 1 });
    await modelled.append('rest_api_logs', 'a', [0.5]);
    modelled.test.clock.advanceMs(3 * (dayMicros / 1000));
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    await expect.poll(() => modelled.storedIds()).toEqual([]);
  });

  it('stay deleted where events, files and rules change in any order', async () => {
    let seed = 20_261_122;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;
    const projects = ['a', 'b', 'c'] as const;
    const names = ['rest_api_logs', 'pooler_logs'] as const;
    for (let step = 0; step < 60; step++) {
      const kind = random(12);
      if (kind < 5) {
        const ages = Array.from({ length: 1 + random(6) }, () => random(10_000) / 1000);
        await modelled.append(oneOf(names), oneOf(projects), ages);
      } else if (kind < 7) {
        await modelled.storage.sealNow();
      } else if (kind === 7) {
        const before = random(2) === 0 ? null : modelled.test.clock.nowMicros() - random(8) * dayMicros;
        await modelled.delete(oneOf(projects), random(2) === 0 ? null : oneOf(names), before);
      } else if (kind === 8) {
        const project = oneOf([null, ...projects]);
        const source = project === null ? oneOf(names) : oneOf([null, ...names]);
        modelled.setRule({ source, project, days: random(9) });
      } else if (kind === 9) {
        modelled.test.clock.advanceMs(random(2 * (dayMicros / 1000)));
      } else if (kind === 10) {
        await modelled.storage.removeNow();
      } else {
        await modelled.test.reopen();
      }
      if (step % 3 === 0 || kind >= 7) {
        await modelled.forgetTakenOut();
        await modelled.requireSameAsModel();
      }
    }
    await modelled.storage.sealNow();
    await modelled.storage.removeNow();
    await modelled.forgetTakenOut();
    await modelled.requireSameAsModel();
    for (const { token } of modelled.deletions) await expect.poll(() => modelled.done).toContain(token);
    const stored = new Set(await modelled.storedIds());
    // Nothing is left of events deleted on request; some past retention may wait.
    const kept = new Set(modelled.model.map(({ id }) => id));
    expect([...stored].filter((id) => !kept.has(id))).toEqual([]);
  });

  it('are not those of times long ago, such as a zero time of a shipper, where everything is kept', async () => {
    const yearOneDays = (modelled.test.clock.nowMicros() - Date.parse('0001-01-01T00:00:00Z') * 1000) / dayMicros;
    await modelled.append('rest_api_logs', 'a', [yearOneDays]);
    await modelled.storage.sealNow();
    await modelled.append('rest_api_logs', 'b', [yearOneDays, 1]);
    await modelled.storage.sealNow();
    modelled.rules.set({ source: 'pooler_logs', project: null, days: 1 });
    modelled.rules.set({ source: null, project: 'c', days: 1 });
    await modelled.requireSameAsModel();
    const records = await modelled.manifest.load();
    await modelled.storage.removeNow();
    expect(await modelled.manifest.load()).toEqual(records);
    await modelled.delete('a', null, Date.parse('9999-12-31T00:00:00Z') * 1000);
    await modelled.delete('b');
    await modelled.requireSameAsModel();
    await modelled.storage.removeNow();
    expect(await modelled.storedIds()).toEqual([]);
  });

  it.each([
    ['sealed', 'rewritten', 0.1],
    ['sealed', 'dropped', 3],
    ['active', 'sealed', 0.1],
    ['active', 'dropped', 3],
  ])('stay where a project is to keep them before its %s file is %s without them', async (kind, _, youngest) => {
    for (const project of ['a', 'b']) await modelled.append('rest_api_logs', project, [20, 10, youngest]);
    if (kind === 'sealed') await modelled.storage.sealNow();
    modelled.rules.set({ source: 'rest_api_logs', project: null, days: 1 });
    let change = () => {};
    const decided = new Promise<void>((resolve) => {
      change = resolve;
    });
    const changing = modelled.storage.betweenRemovals(async () => {
      await decided;
      modelled.setRule({ source: null, project: 'a', days: 15 });
    });
    const removing = modelled.storage.removeNow();
    const names = () => readdirSync(modelled.test.eventsDir).join();
    // Drops are decided at once, or after the active segment was rotated.
    if (youngest < 1) await expect.poll(names).toContain('sealing-');
    else if (kind === 'active') await modelled.test.observed('file.rotated');
    change();
    await changing;
    const shown = await modelled.ids('select id from sources.rest_api_logs', ['a']);
    expect(shown).toHaveLength(2);
    await removing;
    await modelled.storage.removeNow();
    expect(await modelled.ids('select id from sources.rest_api_logs', ['a'])).toEqual(shown);
    await modelled.forgetTakenOut();
    await modelled.requireSameAsModel();
  });

  it('by age are not counted as removed by a deletion that concerns none of them', async () => {
    await modelled.append('rest_api_logs', 'a', [10, 5]);
    await modelled.append('rest_api_logs', 'b', [10, 5]);
    await modelled.storage.sealNow();
    await modelled.delete('a', null, modelled.test.clock.nowMicros() - 20 * dayMicros);
    await modelled.delete('b', null, modelled.test.clock.nowMicros() - 7 * dayMicros);
    modelled.rules.set({ source: null, project: 'a', days: 7 });
    await modelled.storage.removeNow();
    expect(await modelled.storedIds()).toEqual(['e1', 'e3']);
    expect(modelled.manifest.removed).toEqual([expect.objectContaining({ deletion: 4, events: 1 })]);
  });

  it.each(['rewritten', 'sealed', 'dropped'])(
    'are counted for the deletion that takes them alone where they are %s',
    async (how) => {
      const kept = how === 'dropped' ? [] : [1];
      await modelled.append('rest_api_logs', 'a', [50, 40, 30, 20, ...kept]);
      await modelled.append('pooler_logs', 'a', [50, 40]);
      await modelled.append('pooler_logs', 'b', [50]);
      if (how === 'rewritten') await modelled.storage.sealNow();
      // Everything except the kept events is past its retention too.
      for (const project of ['a', 'b']) modelled.setRule({ source: null, project, days: 10 });
      const { token } = await modelled.delete('a', null, modelled.test.clock.nowMicros() - 35 * dayMicros);
      await modelled.storage.removeNow();
      await expect.poll(() => modelled.done).toEqual([token]);
      const counted = modelled.manifest.removed.map(({ source, events }) => [source, events]).sort();
      expect(counted).toEqual([
        ['pooler_logs', 2],
        ['rest_api_logs', 2],
      ]);
      expect(await modelled.storedIds()).toHaveLength(kept.length);
      await modelled.forgetTakenOut();
      await modelled.requireSameAsModel();
    },
  );

  it('are told apart by whole names, whatever characters they have', async () => {
    const odd = ["o'brien", "o'brien'' OR 1=1 --", 'nul \u0000 inside', 'A', '%', '"a"', 'ü\u{1F600}'];
    for (const project of odd) await modelled.append('rest_api_logs', project, [1, 3]);
    await modelled.append('rest_api_logs', 'a', [1]);
    await modelled.storage.sealNow();
    const shown = () => modelled.ids('select id from sources.rest_api_logs');
    modelled.rules.set({ source: null, project: odd[1] as string, days: 2 });
    for (const project of [odd[0], odd[2]] as const) await modelled.delete(project as string);
    const expected = modelled.expected(() => true);
    expect(expected).toHaveLength(10);
    expect(await shown()).toEqual(expected);
    await modelled.storage.removeNow();
    expect(await shown()).toEqual(expected);
  });

  it('are not taken along by the number of a file that was removed', async () => {
    await modelled.append('rest_api_logs', 'a', [1]);
    const { token } = await modelled.delete('a');
    await modelled.storage.removeNow();
    await modelled.test.reopen();
    await modelled.append('rest_api_logs', 'a', [1]);
    await modelled.storage.sealNow();
    expect((await modelled.manifest.load()).every(({ number }) => number >= token)).toBe(true);
    await modelled.requireSameAsModel();
    expect(await modelled.storedIds()).toEqual(['e1']);
  });

  it('leave events alone that come after a deletion of which the folder knows nothing, as after a restore', async () => {
    const { removals } = modelled;
    removals.add({ token: 50, project: 'a', source: null, beforeMicros: null, requestedMicros: 0 });
    await modelled.test.reopen();
    await modelled.append('rest_api_logs', 'a', [1]);
    await modelled.requireSameAsModel();
    await modelled.storage.sealNow();
    await modelled.storage.removeNow();
    await modelled.requireSameAsModel();
  });

  it('keep events out of no file for long: with too many that wait to be sealed it is asked again', async () => {
    const refused: unknown[] = [];
    for (let n = 0; n < 8; n++) {
      await modelled.storage.log.append(edgeBatch([`x${n}`], { project: 'a' })).catch(() => {});
      await modelled.delete('a').catch((error: unknown) => refused.push(error));
    }
    for (const error of refused) expect(error).toMatchObject({ code: 'ingest.overloaded', retryAfterSeconds: 1 });
    await modelled.storage.removeNow();
  });
});
