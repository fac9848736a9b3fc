import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtinSources } from '../sources/builtin.ts';
import type { EventBatch, StoredEvent } from './eventLog.ts';
import type { EngineUnderTest, StorageHarness } from './storageHarness.contract.ts';

const minuteMs = 60 * 1000;

/** Requirements of every EventLog. It must accept at least 64 batches. */
export function eventLogContract({ name, states, open }: EngineUnderTest): void {
  const left = [...(states.crashes ? [] : ['ends']), ...(states.isDurable ? [] : ['restarts'])];
  describe(`${name} as an event log${left.length === 0 ? '' : ` (without ${left.join(' and ')}, as it states)`}`, () => {
    let harness: StorageHarness;
    beforeEach(async () => {
      harness = await open({ partEvents: 2_500 });
    });
    const crash = async () => (states.crashes ? await harness.crash() : undefined);
    const restart = async () => (states.isDurable ? await harness.restart() : undefined);
    const age = async () => await harness.age();
    afterEach(async () => {
      await harness.close();
    });

    const ids = async (source = 'edge_logs') => (await harness.read(source)).map((row) => row.id).sort();

    describe('stores what it was given', () => {
      it('gives back every cell as it was, of every source', async () => {
        const sent = new Map<string, readonly StoredEvent[]>();
        for (const source of builtinSources) {
          const events = [0, 1, 2].map((n) => awkwardEvent(source.name, n));
          sent.set(source.name, events);
          expect(await harness.engine.log.append({ source: source.name, events, identity: null })).toEqual({
            kind: 'stored',
          });
        }
        const check = async () => {
          for (const [source, events] of sent) expect(sorted(await harness.read(source))).toEqual(sorted(events));
        };
        await check();
        await harness.age();
        await check();
        await restart();
        await check();
      });

      it('keeps two rows of one id', async () => {
        await harness.engine.log.append(batch(['same', 'same']));
        await harness.engine.log.append(batch(['same']));
        expect(await ids()).toEqual(['same', 'same', 'same']);
      });

      it('shows a batch as a whole or not at all', async () => {
        const size = 50;
        let isDone = false;
        const writing = Promise.all(
          range(20).map(async (n) => await harness.engine.log.append(batch(range(size).map((i) => `${n}-${i}`)))),
        ).finally(() => {
          isDone = true;
        });
        while (!isDone) {
          expect((await harness.read('edge_logs')).length % size).toBe(0);
          // A log that knows that it has nothing to read answers within the same turn.
          await setImmediate();
        }
        await writing;
        expect(await ids()).toHaveLength(20 * size);
      });

      it('refuses an unknown source by name and stores nothing', async () => {
        const unknown = { ...batch(['x']), source: 'edge_log' };
        await expect(harness.engine.log.append(unknown)).rejects.toMatchObject({ code: 'source.unknown' });
      });
    });

    describe('recognises a retry', () => {
      const first = { key: 'token/edge_logs/1', digest: 'a', answer: '{"accepted":2}' };

      it('acknowledges the same batch again and stores it once', async () => {
        expect(await harness.engine.log.append(batch(['1', '2'], first))).toEqual({ kind: 'stored' });
        const again = await harness.engine.log.append(batch(['1', '2'], { ...first, answer: 'another' }));
        expect(again).toEqual({ kind: 'duplicate', answer: first.answer });
        expect(await ids()).toEqual(['1', '2']);
      });

      it('stores nothing of other bytes under the same key', async () => {
        await harness.engine.log.append(batch(['1'], first));
        expect(await harness.engine.log.append(batch(['2'], { ...first, digest: 'b' }))).toEqual({ kind: 'conflict' });
        expect(await ids()).toEqual(['1']);
      });

      it('recalls a batch without its events, one that is under way as well, and stores nothing', async () => {
        expect(await harness.engine.log.recall(first)).toBeNull();
        const storing = harness.engine.log.append(batch(['1'], first));
        await setImmediate();
        expect(await harness.engine.log.recall(first)).toEqual({ kind: 'duplicate', answer: first.answer });
        expect(await storing).toEqual({ kind: 'stored' });
        expect(await harness.engine.log.recall({ ...first, digest: 'b' })).toEqual({ kind: 'conflict' });
        expect(await harness.engine.log.recall({ ...first, key: 'token/edge_logs/2' })).toBeNull();
        expect(await ids()).toEqual(['1']);
      });

      it('stores one of several that arrive at the same time', async () => {
        const outcomes = await Promise.all(
          range(8).map(async () => await harness.engine.log.append(batch(['1'], first))),
        );
        expect(outcomes.filter(({ kind }) => kind === 'stored')).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind === 'duplicate')).toHaveLength(7);
        expect(await ids()).toEqual(['1']);
      });

      it('stores one of several with other bytes under the same key that arrive at the same time', async () => {
        const outcomes = await Promise.all(
          range(8).map(async (n) => await harness.engine.log.append(batch([`${n}`], { ...first, digest: `${n % 4}` }))),
        );
        const stored = outcomes.findIndex(({ kind }) => kind === 'stored');
        expect(outcomes.map(({ kind }) => kind)).toEqual(
          range(8).map((n) => (n === stored ? 'stored' : n % 4 === stored % 4 ? 'duplicate' : 'conflict')),
        );
        expect(await ids()).toEqual([`${stored}`]);
      });

      it('stores every one of several that carry no identity', async () => {
        await Promise.all(range(8).map(async () => await harness.engine.log.append(batch(['1']))));
        expect(await ids()).toHaveLength(8);
      });

      it('remembers a batch without events', async () => {
        expect(await harness.engine.log.append(batch([], first))).toEqual({ kind: 'stored' });
        expect(await harness.engine.log.append(batch([], first))).toEqual({ kind: 'duplicate', answer: first.answer });
      });

      it('remembers across a crash, the move to older events and a restart', async () => {
        await harness.engine.log.append(batch(['1'], first));
        for (const event of [crash, age, restart, age, restart]) {
          await event();
          harness.clock.advanceMs(2 * minuteMs);
          expect(await harness.engine.log.append(batch(['1'], first))).toEqual({
            kind: 'duplicate',
            answer: first.answer,
          });
        }
        expect(await ids()).toEqual(['1']);
      });

      it('remembers the last 1,000 batches however old, and those of 15 minutes however many', async () => {
        const send = async (key: string) => await harness.engine.log.append(batch([], { ...first, key }));
        const sendAll = async (prefix: string, count: number) => {
          for (let from = 0; from < count; from += 50) {
            await Promise.all(range(Math.min(50, count - from)).map(async (n) => await send(`${prefix}${from + n}`)));
          }
        };
        await sendAll('old', 1_000);
        harness.clock.advanceMs(60 * minuteMs);
        expect(await send('old0')).toMatchObject({ kind: 'duplicate' });
        await sendAll('new', 1_100);
        harness.clock.advanceMs(14 * minuteMs);
        await harness.age();
        await restart();
        expect(await send('new0')).toMatchObject({ kind: 'duplicate' });
      });
    });

    describe('numbers events as they arrive', () => {
      const numbered = async () => await harness.idsByArrival('edge_logs');

      it('in the order of batches and of the events in them, however they are kept afterwards', async () => {
        const sent: string[] = [];
        const send = async (size: number) => {
          // The highest ids first, and all with the same time, so that only the arrival decides the order.
          const some = range(size).map((n) => String(9_000_000 - sent.length - n));
          await harness.engine.log.append(batch(some));
          sent.push(...some);
          expect(await numbered()).toEqual(sent);
        };
        await send(3000);
        await crash();
        await send(5);
        await harness.age();
        await send(5);
        await restart();
        await send(5);
        await harness.age();
        await restart();
        expect(await numbered()).toEqual(sent);
      });

      it('each batch without another one between its events, where several come at once', async () => {
        const size = 30;
        await Promise.all(
          range(20).map(async (n) => await harness.engine.log.append(batch(range(size).map((i) => `${n} ${i}`)))),
        );
        const found = (await numbered()).map((id) => id.split(' ').map(Number));
        for (let first = 0; first < found.length; first += size) {
          const own = found.slice(first, first + size);
          expect(own).toEqual(range(size).map((i) => [own[0]?.[0], i]));
        }
      });

      it('once: a retry moves nothing', async () => {
        const first = { key: 'k', digest: 'd', answer: '{}' };
        await harness.engine.log.append(batch(['b', 'a'], first));
        await harness.engine.log.append(batch(['0']));
        await harness.engine.log.append(batch(['b', 'a'], first));
        expect(await numbered()).toEqual(['b', 'a', '0']);
      });
    });

    describe('loses and doubles nothing', () => {
      it.skipIf(!states.crashes)('has every acknowledged event exactly once after the engine ended', async () => {
        await harness.engine.log.append(batch(['1', '2']));
        await crash();
        await harness.engine.log.append(batch(['3']));
        expect(await ids()).toEqual(['1', '2', '3']);
      });

      it.skipIf(!states.crashes)('settles what was under way when the engine ended, each batch once', async () => {
        const sent = range(30).map(async (n) => await harness.engine.log.append(batch([`${n}-a`, `${n}-b`])));
        await crash();
        expect(await Promise.all(sent)).toEqual(range(30).map(() => ({ kind: 'stored' })));
        expect(await ids()).toEqual(
          range(30)
            .flatMap((n) => [`${n}-a`, `${n}-b`])
            .sort(),
        );
      });

      it.skipIf(!states.isDurable)('has everything after a clean restart', async () => {
        await harness.engine.log.append(batch(['1']));
        await harness.age();
        await harness.engine.log.append(batch(['2']));
        await restart();
        expect(await ids()).toEqual(['1', '2']);
      });
    });

    it('refuses more than it can hold before anything of it is taken, and goes on afterwards', async () => {
      const text = 'x'.repeat(512 * 1024);
      const sent = range(400).map(async (n) => {
        const { events } = batch([String(n)]);
        return await harness.engine.log.append({
          source: 'edge_logs',
          events: events.map((event) => ({ ...event, eventMessage: text })),
          identity: null,
        });
      });
      const outcomes = await Promise.allSettled(sent);
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refused.length).toBeGreaterThan(0);
      for (const error of refused) expect(error).toMatchObject({ code: 'ingest.overloaded' });
      const stored = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [String(n)] : []));
      expect(stored.length).toBeGreaterThanOrEqual(64);
      expect(await ids()).toEqual(stored.sort());
      expect(await harness.engine.log.append(batch(['after']))).toEqual({ kind: 'stored' });
    });
  });
}

const range = (count: number): readonly number[] => [...new Array(count).keys()];

function sorted(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events
    .map((event) => ({
      ...event,
      irregular: [],
      hot: event.hot.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function batch(ids: readonly string[], identity: EventBatch['identity'] = null): EventBatch {
  return { source: 'edge_logs', events: ids.map((id) => ({ ...plainEvent('edge_logs'), id })), identity };
}

function plainEvent(source: string): StoredEvent {
  const hot = builtinSources.find(({ name }) => name === source)?.hotColumns ?? [];
  return {
    id: 'id',
    timestampMicros: 1_700_000_000_000_000,
    project: 'p',
    eventMessage: '',
    metadata: null,
    hot: hot.map(() => null),
    irregular: [],
  };
}

/** Cells at the limits of their types; a different set for each `n`. */
function awkwardEvent(source: string, n: number): StoredEvent {
  const hot = builtinSources.find(({ name }) => name === source)?.hotColumns ?? [];
  const texts = ['', 'nul \u0000 inside, ünïcode 😀 and \u2028', 'a'.repeat(100_000)];
  const text = texts[n] ?? '';
  const cells = {
    string: text,
    int64: [0, -9_007_199_254_740_991, 9_007_199_254_740_991][n] ?? null,
    float64: [-0.5, 1e308, 5e-324][n] ?? null,
    presence: true,
  };
  return {
    ...plainEvent(source),
    id: `${n}${'i'.repeat(n * 60)}`,
    timestampMicros: [1_700_000_000_000_001, 0, -1_000_001][n] ?? 0,
    project: ['p', 'with space "and" quotes', 'ü'][n] ?? 'p',
    eventMessage: text,
    metadata: [null, '{}', '{"a":{"b":"\\u0000\\"x\\""},"n":9223372036854775807}'][n] ?? null,
    hot: n === 0 ? hot.map(() => null) : hot.map(({ kind }) => cells[kind]),
  };
}
