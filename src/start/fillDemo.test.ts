import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { demoProjects, generate } from '../demo/generate.ts';
import { createIngest, defaultIngestLimits, type Ingest } from '../ingest/ingest.ts';
import { sourceDirectory } from '../ingest/sourceDirectory.ts';
import type { AppendOutcome, EventBatch, EventLog, RepeatedOutcome } from '../ports/eventLog.ts';
import { builtinSources } from '../sources/builtin.ts';
import { claimForDemo } from './demoState.ts';
import { type DemoProgress, fillDemo } from './fillDemo.ts';

const hourMicros = 3_600_000_000;
const nowMicros = Date.UTC(2026, 4, 4, 12, 34, 56) * 1000 + 789_000;

/** Keeps the ids of events; recognises batches as the port demands; fails once after `appendsBeforeCrash` appends. */
class MemoryEventLog implements EventLog {
  readonly ids: string[] = [];
  appendsBeforeCrash = Number.POSITIVE_INFINITY;
  readonly #answers = new Map<string, string>();

  async append({ events, identity }: EventBatch): Promise<AppendOutcome> {
    if (this.appendsBeforeCrash-- <= 0) throw new Error('crash');
    const known = identity === null ? undefined : this.#answers.get(identity.key);
    if (known !== undefined) return { kind: 'duplicate', answer: known };
    if (identity !== null) this.#answers.set(identity.key, identity.answer);
    this.ids.push(...events.map(({ id }) => id));
    return { kind: 'stored' };
  }

  async recall({ key }: { readonly key: string }): Promise<RepeatedOutcome | null> {
    const answer = this.#answers.get(key);
    return answer === undefined ? null : { kind: 'duplicate', answer };
  }
}

function ingestInto(eventLog: EventLog): Ingest {
  return createIngest({
    eventLog,
    sources: sourceDirectory(builtinSources),
    clock: new ManualClock(nowMicros + 24 * hourMicros),
    randomness: systemRandomness,
    observe: () => undefined,
    defaultProject: null,
    limits: defaultIngestLimits,
  });
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'logmill-demo-'));

function claimed(dataDir: string, beginMicros: number) {
  const state = claimForDemo(dataDir, beginMicros);
  if (state === undefined) throw new Error('the folder should be ours');
  return state;
}

function expected(fromMicros: number, toMicros: number): readonly string[] {
  return Array.from(generate(demoProjects, fromMicros, toMicros), ({ event }) => String(event.id)).sort();
}

describe('claimForDemo', () => {
  it('marks an empty folder and knows it again, even before anything was filled in', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock'), '');
    expect(claimed(folder, 7)).toEqual({ filledToMicros: 7, pendingToMicros: null });
    writeFileSync(join(folder, 'store.sqlite'), '');
    expect(claimed(folder, 99)).toEqual({ filledToMicros: 7, pendingToMicros: null });
  });

  it('leaves a folder with anything else alone', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'store.sqlite'), '');
    expect(claimForDemo(folder, 7)).toBeUndefined();
    expect(claimForDemo(folder, 7)).toBeUndefined();
  });

  it('says what to do about a mark that cannot be read', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'demo.json'), '{');
    expect(() => claimForDemo(folder, 7)).toThrow('npm run serve');
  });
});

describe('fillDemo', () => {
  it('stores every event of the span once, and tops up only what is missing', async () => {
    const folder = newFolder();
    const log = new MemoryEventLog();
    const begin = nowMicros - 2 * hourMicros;
    await fillDemo(folder, claimed(folder, begin), ingestInto(log), nowMicros);
    expect([...log.ids].sort()).toEqual(expected(begin, nowMicros));

    const later = nowMicros + hourMicros / 3;
    const fill = await fillDemo(folder, claimed(folder, 0), ingestInto(log), later);
    expect(fill).toMatchObject({ fromMicros: nowMicros, toMicros: later });
    expect([...log.ids].sort()).toEqual(expected(begin, later));
  });

  it('tells after each hour how far it has come', async () => {
    const folder = newFolder();
    const told: DemoProgress[] = [];
    const begin = nowMicros - 2 * hourMicros;
    const ingest = ingestInto(new MemoryEventLog());
    const { events } = await fillDemo(folder, claimed(folder, begin), ingest, nowMicros, (now) => told.push(now));
    const hour = Math.floor(nowMicros / hourMicros) * hourMicros;
    expect(told.map(({ toMicros }) => toMicros)).toEqual([hour - hourMicros, hour, nowMicros]);
    expect(told.map((now) => now.events)).toEqual(told.map((now) => now.events).toSorted((a, b) => a - b));
    expect(told.at(-1)?.events).toBe(events);
  });

  it('stores nothing twice and leaves nothing out, wherever an attempt is cut off', async () => {
    const begin = nowMicros - 1.1 * hourMicros;
    for (const crash of [0, 1, 5, 13]) {
      const folder = newFolder();
      const log = new MemoryEventLog();
      log.appendsBeforeCrash = crash;
      await expect(fillDemo(folder, claimed(folder, begin), ingestInto(log), nowMicros)).rejects.toThrow('crash');
      log.appendsBeforeCrash = Number.POSITIVE_INFINITY;
      const later = nowMicros + 60_000_000;
      await fillDemo(folder, claimed(folder, 0), ingestInto(log), later);
      expect([...log.ids].sort(), `after ${crash} appends`).toEqual(expected(begin, later));
    }
  });

  it('tells only the last three days after a longer pause', async () => {
    const folder = newFolder();
    const state = claimed(folder, nowMicros - 400 * 24 * hourMicros);
    const nothing: Pick<Ingest, 'accept'> = { accept: async () => ({ message: 'Logged!', accepted: 0, rejected: [] }) };
    const fill = await fillDemo(folder, state, nothing, nowMicros);
    expect(fill.fromMicros).toBe(nowMicros - 3 * 24 * hourMicros);
    expect(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))).toEqual({
      filled_to_micros: nowMicros,
      pending_to_micros: null,
    });
  });

  it('adds nothing when the clock was set back', async () => {
    const folder = newFolder();
    const log = new MemoryEventLog();
    const state = claimed(folder, nowMicros + hourMicros);
    expect((await fillDemo(folder, state, ingestInto(log), nowMicros)).events).toBe(0);
    expect(claimed(folder, 0).filledToMicros).toBe(nowMicros + hourMicros);
  });
});
