import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { compileStored } from '../googlesql/compile.ts';
import type { EventDeletion } from '../retention/eventDeletion.ts';
import { Removals } from '../retention/removals.ts';
import { RetentionRules } from '../retention/retentionRules.ts';
import { builtinSources } from '../sources/builtin.ts';
import { shapeOf } from '../sources/shape.ts';
import type { Source } from '../sources/source.ts';
import { eventLogContract } from './eventLog.contract.ts';
import type { StoredEvent } from './eventLog.ts';
import { queryEngineContract } from './queryEngine.contract.ts';
import type { EngineUnderTest, HarnessOptions, StorageHarness } from './storageHarness.contract.ts';

const never = new AbortController().signal;
const dayMicros = 86_400_000_000;
const added: Source = {
  name: 'added_logs',
  projectField: { kind: 'column' },
  shape: shapeOf({}),
  hotColumns: [],
};

/** Requirements of every StorageEngine, with those of its log and its queries. */
export function storageEngineContract(engine: EngineUnderTest): void {
  eventLogContract(engine);
  queryEngineContract(engine);
  const { name, states } = engine;
  const left = states.snapshot ? '' : ' (without snapshots, as it states)';
  describe(`${name} as a storage engine${left}`, () => {
    let harness: StorageHarness;
    const open = async (options: HarnessOptions = {}) => {
      harness = await engine.open(options);
    };
    beforeEach(async () => {
      await open({ removals: new Removals(new RetentionRules({ days: 30, bySource: new Map() })) });
    });
    afterEach(async () => {
      await harness.close();
    });

    const event = (id: string, project: string, daysAgo = 1): StoredEvent => ({
      id,
      timestampMicros: harness.clock.nowMicros() - daysAgo * dayMicros,
      project,
      eventMessage: `message of ${id}`,
      metadata: null,
      hot: [true],
      irregular: [],
    });

    async function result(sql: string, projects: readonly string[] | null = null) {
      const sources = new Map([...builtinSources, added].map((source) => [source.name, source]));
      const query = compileStored(sql, { sources, parameters: new Map(), limits: harness.engine.limits });
      const nowMicros = harness.clock.nowMicros();
      const bounds = { rowsMax: 1000, bytesMax: 2 ** 24 };
      return await harness.engine.queries.run(
        { query, parameters: new Map(), projects, redaction: null, nowMicros, profile: 'plain', ...bounds },
        never,
      );
    }
    const idsOf = async (source = 'rest_api_logs') => {
      const { rows } = await result(`select id from sources.${source} order by id`);
      return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { id: string }[]).map(({ id }) => id);
    };
    /** Retries while the engine answers that it is busy. */
    async function deleteEvents(deletion: Omit<EventDeletion, 'token' | 'requestedMicros'>): Promise<EventDeletion> {
      for (;;) {
        try {
          const requestedMicros = harness.clock.nowMicros();
          return await harness.engine.deleteEvents(async (token) => ({ ...deletion, token, requestedMicros }));
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'ingest.overloaded') throw error;
        }
      }
    }
    const seed = async (...events: readonly StoredEvent[]) => await harness.seed('rest_api_logs', events);

    it('says its name, and states what it was said to state', () => {
      const { engine: open } = harness;
      expect(open.name).toBe(name);
      expect({
        isDurable: open.isDurable,
        findsDamage: open.findsDamage,
        isRowsScannedExact: open.isRowsScannedExact,
        barrier: open.barrier !== undefined,
        snapshot: open.snapshot !== undefined,
        pages: open.lastArrival !== undefined,
        parquet: open.parquet !== undefined,
        streams: open.queries.stream !== undefined,
        tails: open.watchCommits !== undefined,
        changes: open.changes !== undefined,
      }).toEqual({ ...states, seals: undefined, crashes: undefined });
    });

    it('answers a ping', async () => {
      await harness.engine.ping(never);
      await expect(harness.engine.ping(AbortSignal.abort())).rejects.toThrow();
    });

    it('shows events that came without the log, and those of the log after them', async () => {
      await seed(event('seeded', 'p'));
      const events = [event('logged', 'p')];
      await harness.engine.log.append({ source: 'rest_api_logs', events, identity: null });
      await harness.age();
      expect(await idsOf()).toEqual(['logged', 'seeded']);
      expect(await harness.idsByArrival('rest_api_logs')).toEqual(['seeded', 'logged']);
    });

    it.runIf(states.changes)('tells by a state whether events of a source and project changed', async () => {
      const append = (id: string, project: string, source = 'rest_api_logs') =>
        harness.engine.log.append({ source, events: [event(id, project)], identity: null });
      await append('first', 'p');
      await append('first', 'q');
      const stateOf = (projects: readonly string[] | null = ['p'], source = 'rest_api_logs') =>
        harness.engine.changes?.stateOf([source], projects, harness.clock.nowMicros()) ?? null;
      const before = stateOf();
      expect(before).not.toBeNull();
      expect(stateOf()).toBe(before);
      await append('other', 'q');
      await append('other', 'p', 'pooler_logs');
      expect(stateOf()).toBe(before);
      const ofAll = stateOf(null);
      await append('second', 'p');
      const after = stateOf();
      expect([after === null, after === before, stateOf(null) === ofAll]).toEqual([false, false, false]);
      await deleteEvents({ project: 'p', source: null, beforeMicros: null });
      expect(stateOf()).not.toBe(after);
    });

    it.runIf(states.tails)('reports what a commit added once it is visible and before it is acknowledged', async () => {
      const seen: string[] = [];
      const last = harness.engine.lastArrival?.() ?? 0;
      const unwatch = harness.engine.watchCommits?.((commit) => {
        const added = (commit ?? []).map(
          ({ source, projects }) => `${source} ${[...projects.keys()].sort().join('+')}`,
        );
        seen.push(...added, String((harness.engine.lastArrival?.() ?? 0) - last));
      });
      const append = async (...events: readonly StoredEvent[]) => {
        await harness.engine.log.append({ source: 'rest_api_logs', events, identity: null });
        seen.push('acknowledged');
      };
      await append(event('c1', 'p'), event('c2', 'q'), event('c3', 'p'));
      unwatch?.();
      await append(event('c4', 'p'));
      expect(seen).toEqual(['rest_api_logs p+q', '3', 'acknowledged', 'acknowledged']);
    });

    it('takes events of a source that is added, and adds it once', async () => {
      const events = [{ ...event('first', 'p'), hot: [] }];
      const append = async () => await harness.engine.log.append({ source: added.name, events, identity: null });
      await expect(append()).rejects.toMatchObject({ code: 'source.unknown' });
      await harness.engine.addSource(added);
      await harness.engine.addSource(added);
      expect(await append()).toEqual({ kind: 'stored' });
      expect(await idsOf(added.name)).toEqual(['first']);
    });

    describe('deletes events of a project', () => {
      it('at once for every query, whatever was aged; others and what comes later stay', async () => {
        await seed(event('a1', 'a'), event('b1', 'b'));
        await harness.age();
        await seed(event('a2', 'a'));
        const deletion = await deleteEvents({ project: 'a', source: null, beforeMicros: null });
        expect(await idsOf()).toEqual(['b1']);
        await seed(event('a3', 'a', 20));
        expect(await idsOf()).toEqual(['a3', 'b1']);
        await harness.engine.removeNow();
        await expect.poll(() => harness.deletionsDone).toContain(deletion.token);
        expect((await harness.read('rest_api_logs')).map(({ id }) => id).sort()).toEqual(['a3', 'b1']);
        expect(await idsOf()).toEqual(['a3', 'b1']);
        expect((await result('select id from sources.rest_api_logs', ['a'])).dataBegins).toEqual([
          expect.objectContaining({ source: 'rest_api_logs', micros: deletion.requestedMicros }),
        ]);
        expect((await result('select id from sources.rest_api_logs', ['b'])).dataBegins ?? []).toEqual([
          expect.not.objectContaining({ micros: deletion.requestedMicros }),
        ]);
      });

      it('of one source and before a time only, where that is asked for', async () => {
        await seed(event('old', 'a', 10), event('new', 'a', 2));
        await harness.seed('pooler_logs', [{ ...event('other', 'a', 10), hot: hotOf('pooler_logs') }]);
        const beforeMicros = harness.clock.nowMicros() - 5 * dayMicros;
        await deleteEvents({ project: 'a', source: 'rest_api_logs', beforeMicros });
        expect([await idsOf(), await idsOf('pooler_logs')]).toEqual([['new'], ['other']]);
      });

      it('with a greater token each time', async () => {
        const tokens: number[] = [];
        for (const project of ['a', 'b', 'a']) {
          tokens.push((await deleteEvents({ project, source: null, beforeMicros: null })).token);
        }
        expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
        expect(tokens.every(Number.isSafeInteger)).toBe(true);
      });

      it('not where it could not be registered', async () => {
        await seed(event('a1', 'a'));
        const failing = harness.engine.deleteEvents(async () => {
          throw new Error('the store is full');
        });
        await expect(failing).rejects.toThrow('the store is full');
        await harness.engine.removeNow();
        expect(await idsOf()).toEqual(['a1']);
      });

      it('and tells how far that is', async () => {
        await seed(event('a1', 'a'));
        const deletion = await deleteEvents({ project: 'a', source: null, beforeMicros: null });
        await harness.engine.removeNow();
        await expect
          .poll(async () => await harness.engine.deletionWaits([deletion]))
          .toEqual(new Map([[deletion.token, { isCarriedOut: true, quarantined: [] }]]));
        expect(await harness.engine.deletionWaits([])).toEqual(new Map());
      });
    });

    describe('removes what is past its retention', () => {
      it('from every query at once, and for good', async () => {
        await seed(event('old', 'a', 31), event('young', 'a', 29));
        await harness.age();
        expect(await idsOf()).toEqual(['young']);
        harness.clock.advanceMs((2 * dayMicros) / 1000);
        expect(await idsOf()).toEqual([]);
        await harness.age();
        await harness.engine.removeNow();
        const { rules } = harness.removals;
        await harness.engine.betweenRemovals(async () =>
          rules.set({ source: 'rest_api_logs', project: null, days: 365 }),
        );
        await seed(event('late', 'a', 40));
        expect(await idsOf()).toContain('late');
        expect(await idsOf()).not.toContain('old');
      });

      it('by rules that are changed between removals, and not otherwise', async () => {
        await seed(event('a', 'a', 20), event('b', 'b', 20));
        const { rules } = harness.removals;
        const order: string[] = [];
        await Promise.all([
          harness.engine.betweenRemovals(async () => {
            order.push('begins');
            await harness.engine.ping(never);
            rules.set({ source: null, project: 'a', days: 10 });
            order.push('ends');
          }),
          harness.engine.betweenRemovals(async () => void order.push('next')),
        ]);
        expect(order).toEqual(['begins', 'ends', 'next']);
        expect(await idsOf()).toEqual(['b']);
        const failing = harness.engine.betweenRemovals(async () => {
          throw new Error('the store is full');
        });
        await expect(failing).rejects.toThrow('the store is full');
        expect(await harness.engine.betweenRemovals(async () => 7)).toBe(7);
      });
    });

    it.skipIf(!states.snapshot)('takes a snapshot that stays as it was', async () => {
      await seed(event('a1', 'a'));
      await harness.age();
      await seed(event('a2', 'a'));
      let isBeside = false;
      const snapshot = await harness.engine.snapshot?.(async () => {
        isBeside = true;
      });
      if (snapshot === undefined) throw new Error('no snapshot was taken');
      await seed(event('a3', 'a'));
      expect([isBeside, snapshot.events]).toEqual([true, 2]);
      expect(snapshot.parts.length).toBeGreaterThan(0);
      for (const part of snapshot.parts) expect((await buffer(part.open())).length).toBe(part.bytes);
      snapshot.release();
      expect(await idsOf()).toEqual(['a1', 'a2', 'a3']);
    });
  });
}

const hotOf = (source: string) =>
  (builtinSources.find((each) => each.name === source)?.hotColumns ?? []).map(() => null);
