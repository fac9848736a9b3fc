import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../src/core/jsonValue.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { TestStorage } from '../../../src/engines/duckdb/storage.fixture.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { EventCopies, NumberedBatch, NumberedEvent } from '../../../src/ports/eventCopies.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { Removals } from '../../../src/retention/removals.ts';
import { RetentionRules } from '../../../src/retention/retentionRules.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import { compareEvents, copyEvents } from '../../../src/start/copyEvents.ts';
import { oddTexts, pick, randomOf } from '../../clickhouse/pushdown/oddEvents.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';
import { startMicros, TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = builtinSources.slice(0, 2);
const dayMicros = 86_400_000_000;
/** Small, so that a copy has many steps. */
const chunk = 40;

const metadataTexts = [
  null,
  '{}',
  '{"a":1.0,"b":[],"c":null,"d":{}}',
  '{"request":{"method":"GET","path":"/\u2028"},"response":{"status_code":200}}',
  '{"response":[{"status_code":500},{"status_code":503}]}',
  '{"big":18446744073709551615,"small":-1e-7,"text":"\\u0000\\"\\\\/"}',
];

function eventOf(source: Source, id: string, given: Partial<StoredEvent>): StoredEvent {
  const metadata = given.metadata ?? null;
  const parsed = metadata === null ? undefined : parseJson(metadata);
  const { values, irregular } = hotCells(isJsonObject(parsed) ? parsed : null, source.hotColumns);
  return {
    id,
    timestampMicros: startMicros,
    project: 'p',
    eventMessage: '',
    ...given,
    metadata,
    hot: values,
    irregular,
  };
}

/** Batches of all sources with odd values, many equal times, and times from several days and years. */
function batchesOf(seed: number): readonly { readonly source: string; readonly events: readonly StoredEvent[] }[] {
  const random = randomOf(seed);
  const times = [0, 0, 1, -dayMicros, -dayMicros + 1, -40 * dayMicros, -startMicros - 1];
  return Array.from({ length: 24 }, (_, n) => {
    const source = pick(random, sources);
    const events = Array.from({ length: 1 + Math.floor(random() * 6) }, (__, at) =>
      eventOf(source, `${n}-${at}`, {
        timestampMicros: startMicros + pick(random, times),
        project: pick(random, ['p', 'q', "it's", 'gone']),
        eventMessage: pick(random, oddTexts),
        metadata: pick(random, metadataTexts),
      }),
    );
    return { source: source.name, events };
  });
}

async function all(copies: EventCopies): Promise<readonly (NumberedEvent & { readonly source: string })[]> {
  const found: (NumberedEvent & { readonly source: string })[] = [];
  for (const source of sources) {
    for await (const page of copies.read(source, { after: -1, to: Number.MAX_SAFE_INTEGER })) {
      found.push(...page.map((event) => ({ ...event, source: source.name })));
    }
  }
  return found.sort((a, b) => a.number - b.number);
}

/**
 * A target whose writes fail at random: before they begin, after a part of at most `batchesMax` batches, or after they end.
 */
function breaking(into: EventCopies, random: () => number, batchesMax: number): EventCopies {
  const parts = (batches: readonly NumberedBatch[]) =>
    batches.slice(0, Math.min(batchesMax, Math.ceil(batches.length / 2)));
  return {
    isDamaged: into.isDamaged,
    end: () => into.end(),
    next: (after) => into.next(after),
    last: () => into.last(),
    read: (source, range, from) => into.read(source, range, from),
    unnumbered: (source) => into.unnumbered(source),
    days: (source, to) => into.days(source, to),
    contents: (source, day, to, nowMicros) => into.contents(source, day, to, nowMicros),
    resume: (size) => into.resume(size),
    identities: () => into.identities(),
    remember: (identities) => into.remember(identities),
    finish: (end) => into.finish(end),
    write: async (batches) => {
      const how = random();
      if (how < 0.2) throw new Broken();
      await into.write(how < 0.4 ? parts(batches) : batches);
      if (how < 0.6) throw new Broken();
    },
  };
}

class Broken extends Error {}

/** Has so many writes fail after a part. */
function partly(times: number): () => number {
  let left = times;
  return () => (left-- > 0 ? 0.3 : 1);
}

/** Repeats the copy until it succeeds. Returns how often it was interrupted. */
async function copyAtLast(
  from: EventCopies,
  into: () => Promise<EventCopies>,
  random: () => number,
  batchesMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let interrupted = 0; ; interrupted++) {
    try {
      const target = breaking(await into(), random, batchesMax);
      await copyEvents({ from, into: target, sources, clock: { nowMicros: () => startMicros }, chunk });
      return interrupted;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
  }
}

describe.skipIf(!hasClickHouse)('events that are copied between DuckDB and ClickHouse', () => {
  const rules = new RetentionRules({ days: 0, bySource: new Map() }, [{ source: null, project: 'q', days: 30 }]);
  const opened: { close(): Promise<void> }[] = [];
  let origin: TestStorage;
  let copy: TestClickHouseStorage;
  const duckdb = async () => {
    const storage = await TestStorage.open({}, sources, undefined, { removals: new Removals(rules) });
    opened.push(storage);
    return storage;
  };
  const clickhouse = async () => {
    const storage = await TestClickHouseStorage.open(await sharedClickHouse(), {
      sources,
      removals: new Removals(rules),
      settings: { insertMs: 60_000, commitMs: 240_000 },
    });
    opened.push(storage);
    return storage;
  };
  const copied = async (from: EventCopies, into: EventCopies) =>
    await copyEvents({ from, into, sources, clock: origin.clock, chunk });

  beforeAll(async () => {
    origin = await duckdb();
    const [first, ...later] = [batchesOf(1), batchesOf(2), batchesOf(3)];
    for (const batch of first) await origin.storage.log.append({ ...batch, identity: null });
    const deletion = { project: 'gone', source: null, beforeMicros: null, requestedMicros: startMicros };
    await origin.storage.deleteEvents(async (token) => ({ ...deletion, token }));
    await origin.storage.sealNow();
    for (const batch of later.flat()) await origin.storage.log.append({ ...batch, identity: null });
    copy = await clickhouse();
  });
  afterAll(async () => {
    for (const each of opened.toReversed()) await each.close();
  });

  it('are complete, each once, with all members and numbers, however often the copy is interrupted', async () => {
    const expected = await all(origin.storage.copies);
    expect(expected.length).toBeGreaterThan(100);
    const isKept = ({ project, timestampMicros }: NumberedEvent) =>
      project !== 'q' || timestampMicros >= startMicros - 30 * dayMicros;
    expect(expected.filter((event) => !isKept(event))).toEqual([]);
    expect(await copyAtLast(origin.storage.copies, async () => copy.storage.copies, randomOf(4))).toBeGreaterThan(2);
    expect(await all(copy.storage.copies)).toEqual(expected);
    // As queries see them, with typed columns.
    for (const { name } of sources) {
      const read = (await copy.read(name)).map(({ id, hot }) => ({ id, hot: hot.map(String) }));
      const stored = (await origin.read(name)).map(({ id, hot }) => ({ id, hot: hot.map(String) }));
      expect(stored).toEqual(expect.arrayContaining([...read]));
    }
    // New events come after the copied ones.
    const end = await copy.storage.copies.end();
    expect(end).toBe(await origin.storage.copies.end());

    const back = await duckdb();
    let opens = 0;
    const reopened = async () => {
      if (++opens === 2) await back.reopen();
      return back.storage.copies;
    };
    expect(await copyAtLast(copy.storage.copies, reopened, randomOf(5))).toBeGreaterThan(2);
    expect(await all(back.storage.copies)).toEqual(expected);
    await back.storage.log.append({
      source: 'edge_logs',
      events: [eventOf(sources[0] as Source, 'new', {})],
      identity: null,
    });
    expect((await all(back.storage.copies)).at(-1)).toMatchObject({ id: 'new', number: end });
  });

  it('have no number in the folder if they had none, and are copied once, however often the copy is interrupted', async () => {
    const from = await clickhouse();
    const old = sources.flatMap((source) =>
      Array.from({ length: 40 }, (_, n) => ({
        source: source.name,
        first: 0,
        // Some are equal in all members, as if their sender had sent them twice.
        events: [eventOf(source, `old ${n % 37}`, { metadata: metadataTexts[n % 3] ?? null })],
      })),
    );
    await from.storage.copies.write(old);
    await from.storage.log.append({
      source: 'edge_logs',
      events: [eventOf(sources[0] as Source, 'new', {})],
      identity: null,
    });
    const texts = async (copies: EventCopies) => (await all(copies)).map((event) => JSON.stringify(event)).sort();
    const expected = await texts(from.storage.copies);
    expect(expected).toHaveLength(old.length + 1);

    const back = await duckdb();
    let opens = 0;
    const reopened = async () => {
      if (++opens % 2 === 0) await back.reopen();
      return back.storage.copies;
    };
    expect(await copyAtLast(from.storage.copies, reopened, partly(9), 7)).toBe(9);
    expect(await texts(back.storage.copies)).toEqual(expected);
    const unnumbered = async () =>
      (await back.values('SELECT count(*) FROM {edge_logs} WHERE arrival_number IS NULL')).map(([count]) =>
        Number(count),
      );
    expect(await unnumbered()).toEqual([40]);
    await back.storage.sealNow();
    await back.reopen();
    expect([await unnumbered(), await texts(back.storage.copies)]).toEqual([[40], expected]);
    const again = await clickhouse();
    expect(await copyAtLast(back.storage.copies, async () => again.storage.copies, partly(1))).toBe(1);
    expect(await texts(again.storage.copies)).toEqual(expected);
  });

  it('are not copied twice by a second run, which adds those that arrived since', async () => {
    const [from, into] = [origin.storage.copies, (await clickhouse()).storage.copies];
    const first = await copied(from, into);
    expect(first.copied).toBe(first.equal);
    expect(first.equal).toBe((await all(from)).length);
    // Only the last chunk is written again.
    expect((await copied(from, into)).copied).toBeLessThanOrEqual(chunk);
    await origin.storage.log.append({
      source: 'edge_logs',
      events: [eventOf(sources[0] as Source, 'later', {})],
      identity: null,
    });
    const third = await copied(from, into);
    expect(third.copied).toBeLessThanOrEqual(chunk + 1);
    expect(third.equal).toBe(first.equal + 1);
    expect(await all(into)).toEqual(await all(from));
  });

  describe('and changed in the target', () => {
    const events = ['0-0', '0-1'].map((id) =>
      eventOf(sources[0] as Source, id, { metadata: metadataTexts[2] ?? null }),
    );
    let from: EventCopies;
    let target: TestClickHouseStorage;
    beforeAll(async () => {
      const { storage } = await duckdb();
      await storage.log.append({ source: 'edge_logs', events, identity: null });
      from = storage.copies;
    });
    beforeEach(async () => {
      target = await clickhouse();
    });
    afterEach(async () => {
      await target.close();
      opened.splice(opened.indexOf(target), 1);
    });

    it.each([
      ['a member of metadata', `ALTER TABLE {t} UPDATE metadata = '{"a":1,"b":[],"c":null,"d":{}}' WHERE id = '0-1'`],
      ['a lost event', `DELETE FROM {t} WHERE id = '0-1'`],
      ['a doubled event', `INSERT INTO {t} SELECT * FROM {t} WHERE id = '0-1'`],
    ])('are reported by source, project and day: %s', async (_, statement) => {
      await copied(from, target.storage.copies);
      await target.clickhouse.run(statement.replaceAll('{t}', `${target.place.database}.edge_logs`), {
        mutations_sync: '2',
      });
      const inputs = { from, into: target.storage.copies, sources, clock: origin.clock };
      await expect(compareEvents(inputs, 2)).rejects.toMatchObject({
        differences: [{ source: 'edge_logs', project: 'p', day: '2023-11-14' }],
      });
    });

    it('are reported if they arrived in another order', async () => {
      const inputs = { from, into: target.storage.copies, sources, clock: origin.clock };
      await target.storage.copies.write([{ source: 'edge_logs', first: 1, events: events.toReversed() }]);
      await expect(compareEvents(inputs, 2)).rejects.toThrow('2 events with other contents');
    });
  });
});
