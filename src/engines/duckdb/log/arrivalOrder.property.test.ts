import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { StoredEvent } from '../../../ports/eventLog.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { copyOfFolder, never, TestStorage } from '../storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const startMicros = Date.UTC(2026, 4, 1) * 1000;
/** Files of a few events, which are merged. */
const settings = { rotateEvents: 600, frozenFilesMax: 100, mergeFiles: 3 };
const logs = ['rest_api_logs', 'pooler_logs'] as const;

interface Sent {
  readonly source: string;
  readonly event: StoredEvent;
}

/** A step between two checks of the storage. */
type Step =
  | { readonly kind: 'append'; readonly batches: readonly (readonly Line[])[] }
  | { readonly kind: 'seal' | 'merge' | 'restart' | 'crash' | 'restore' };

interface Line {
  readonly source: string;
  readonly id: string;
  readonly second: number;
  readonly project: string;
}

const line: fc.Arbitrary<Line> = fc.record({
  source: fc.constantFrom(...logs),
  // Few ids, so that some repeat and they give no order.
  id: fc.integer({ min: 0, max: 400 }).map((n) => n.toString(36)),
  second: fc.constantFrom(0, 0, 0, 1, 2),
  project: fc.constantFrom('p', 'q'),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      batches: fc.array(fc.array(line, { maxLength: 30 }), { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('seal' as const, 'merge' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash' as const, 'restore' as const) }),
  },
);

/** Rows of a query on the storage, with or without redaction. */
async function rowsOf(
  test: TestStorage,
  sql: string,
  rowsMax = 20_000,
  isRedacted = false,
): Promise<readonly (string | null)[]> {
  const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  const query = compileStored(sql, { sources, parameters: new Map() });
  const bounds = { rowsMax: query.outerLimit ?? rowsMax, bytesMax: 2 ** 24, nowMicros: 0, profile: 'plain' } as const;
  const redaction = isRedacted ? test.storage.statements.redactor.description : null;
  const request = { query, parameters: new Map(), projects: null, redaction, ...bounds } as const;
  const rows = await engine.run(request, never);
  return (JSON.parse(`[${Buffer.from(rows.rows).toString()}]`) as { v: string | null }[]).map(({ v }) => v);
}

describe('events of one time', () => {
  let test: TestStorage;
  let sent: Sent[];
  const copies: string[] = [];
  beforeAll(async () => {
    test = await TestStorage.open(settings);
    sent = [];
  });
  afterAll(async () => {
    await test.close();
    for (const copy of copies) await rm(copy, { recursive: true, force: true });
  });

  let events = 0;
  /** Each with a text of its own, by which it is known whatever its id. */
  const stored = ({ source, id, second, project }: Line): Sent => ({
    source,
    event: {
      id,
      timestampMicros: startMicros + second * 1_000_000,
      project,
      eventMessage: `line ${events++}`,
      metadata: '{"list":["a","b","c"]}',
      hot: (sources.get(source)?.hotColumns ?? []).map(() => null),
      irregular: [],
    },
  });

  const append = async (lines: readonly Line[]) => {
    for (const source of logs) {
      const own = lines.filter((each) => each.source === source).map(stored);
      if (own.length === 0) continue;
      await test.storage.log.append({ source, events: own.map(({ event }) => event), identity: null });
      sent.push(...own);
    }
  };

  const take = async (each: Step) => {
    if (each.kind === 'append') for (const batch of each.batches) await append(batch);
    if (each.kind === 'seal') await test.storage.sealNow();
    if (each.kind === 'merge') await test.storage.mergeNow();
    if (each.kind === 'restart') await test.reopen();
    if (each.kind === 'crash') await test.killEngine();
    if (each.kind !== 'restore') return;
    // A copy as after a crash or in a backup, opened as a separate storage.
    const copy = await copyOfFolder(test.dataDir);
    copies.push(copy);
    const restored = new TestStorage(copy, settings, builtinSources, test.manifest);
    await test.closeStorage();
    await restored.reopen();
    test = restored;
  };

  const expected = (isWanted: (each: Sent) => boolean, direction: 1 | -1 = -1) => {
    const own = sent.map((each, arrival) => ({ ...each, arrival })).filter(isWanted);
    return own
      .toSorted((a, b) => direction * (a.event.timestampMicros - b.event.timestampMicros || a.arrival - b.arrival))
      .map(({ event }) => event.eventMessage);
  };

  const look = async (limit: number, project: string) => {
    const where = `where project = '${project}'`;
    const ofPooler = (each: Sent) => each.source === 'pooler_logs' && each.event.project === project;
    const newest = expected(ofPooler);
    const from = `from sources.pooler_logs ${where}`;
    expect(await rowsOf(test, `select event_message as v ${from} order by timestamp desc`)).toEqual(newest);
    expect(await rowsOf(test, `select event_message as v ${from} order by timestamp desc limit ${limit}`)).toEqual(
      newest.slice(0, limit),
    );
    expect(
      await rowsOf(test, `select event_message as v ${from} order by timestamp desc limit ${limit}`, limit, true),
    ).toEqual(newest.slice(0, limit));
    const oldest = expected(ofPooler, 1);
    expect(await rowsOf(test, `select event_message as v ${from} order by timestamp limit ${limit}`)).toEqual(
      oldest.slice(0, limit),
    );
    const together = await rowsOf(test, `select string_agg(event_message, ',' order by timestamp) as v ${from}`);
    expect(together).toEqual([oldest.length === 0 ? null : oldest.join(',')]);
    const counted = `select event_message as m, timestamp as t, row_number() over (order by timestamp desc) as n ${from}`;
    expect(await rowsOf(test, `select m as v from (${counted}) as c order by n limit ${limit}`)).toEqual(
      newest.slice(0, limit),
    );
    const first = `select first_value(event_message) over (order by timestamp desc) as v ${from} limit 1`;
    expect(await rowsOf(test, first)).toEqual(newest.slice(0, 1));
    const last = `select last_value(event_message) over (order by timestamp desc rows between current row and unbounded following) as v ${from} limit 1`;
    expect(await rowsOf(test, last)).toEqual(newest.slice(-1));
    const twice = `with c as (${counted}) select a.m as v from c as a join c as b on a.m = b.m order by a.t desc limit ${limit}`;
    expect(await rowsOf(test, twice)).toEqual(newest.slice(0, limit));
    const either = logs.map((source) => `select event_message as m, timestamp as t from sources.${source} ${where}`);
    const both = `with logs as (${either.join(' union all ')}) select m as v from logs`;
    expect(await rowsOf(test, `${both} order by t desc limit ${limit}`)).toEqual(
      expected(({ event }) => event.project === project).slice(0, limit),
    );
    // The newest ones, as they were written, each with its elements in their order.
    const some = `select timestamp, event_message, metadata ${from} order by timestamp desc limit ${limit}`;
    const elements = `select concat(event_message, e) as v from (${some}) as n, unnest(json_value_array(n.metadata.list)) as e`;
    expect(await rowsOf(test, `${elements} order by timestamp`)).toEqual(
      newest
        .slice(0, limit)
        .toReversed()
        .flatMap((message) => ['a', 'b', 'c'].map((e) => `${message}${e}`)),
    );
  };

  it('come in the order of their arrival, whatever becomes of their files', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('p', 'q'),
        async (steps, limit, project) => {
          for (const each of steps) await take(each);
          await look(limit, project);
        },
      ),
      // Each run goes on with the storage that the one before it left.
      { numRuns: 12, endOnFailure: true },
    );
    const known = await test.manifest.load();
    for (const { arrivals, unnumbered } of known.flatMap((file) => file.sources)) {
      expect(unnumbered).toBeUndefined();
      expect(arrivals?.[0]).toBeLessThanOrEqual(arrivals?.[1] ?? 0);
    }
  });

  it('come so where there are thousands, and the newest rows are found by a cutoff inside of them', async () => {
    const lines = Array.from(
      { length: 4000 },
      (_, n): Line => ({ source: 'pooler_logs', id: `${(n * 7919) % 4001}`, second: 9, project: 'p' }),
    );
    for (let from = 0; from < lines.length; from += 500) await append(lines.slice(from, from + 500));
    for (const limit of [1, 100, 999, 4001]) await look(limit, 'p');
    await test.storage.sealNow();
    await test.storage.mergeNow();
    for (const limit of [100, 4001]) await look(limit, 'p');
  });

  it('keep the numbers of the first of two batches that are one', async () => {
    const retried = (answer: string) => ({ key: 'k', digest: 'd', answer });
    const lines = ['b', 'a'].map((id): Line => ({ source: 'pooler_logs', id, second: 20, project: 'p' }));
    const own = lines.map(stored);
    const batch = { source: 'pooler_logs', events: own.map(({ event }) => event) };
    await test.storage.log.append({ ...batch, identity: retried('first') });
    sent.push(...own);
    await append([{ source: 'pooler_logs', id: '0', second: 20, project: 'p' }]);
    await test.storage.log.append({ ...batch, identity: retried('second') });
    await look(5, 'p');
  });

  it('keep their order when others are deleted, and no number of a deleted one is given again', async () => {
    const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
    const done: number[] = [];
    test.given = { removals, openDeletions: [], deletionDone: async ({ token }) => void done.push(token) };
    await test.reopen();
    await append(
      ['p', 'q', 'p', 'q'].map((project): Line => ({ source: 'pooler_logs', id: 'same', second: 30, project })),
    );
    const highest = async () => {
      const [[last] = []] = await test.values('SELECT max(arrival_number) FROM {pooler_logs}');
      return Number(last);
    };
    const given = await highest();
    const { token } = await test.storage.deleteEvents(async (number) => ({
      token: number,
      project: 'q',
      source: null,
      beforeMicros: null,
      requestedMicros: test.clock.nowMicros(),
    }));
    sent = sent.filter(({ event }) => event.project !== 'q');
    await look(50, 'p');
    await test.storage.removeNow();
    await expect.poll(() => done).toContain(token);
    expect(await highest()).toBeLessThan(given);
    await look(50, 'p');
    await test.reopen();
    await append([{ source: 'pooler_logs', id: 'same', second: 30, project: 'p' }]);
    expect(await highest()).toBeGreaterThan(given);
    await look(50, 'p');
  });
});
