import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageRun } from '../../../src/invoke/pages/pages.ts';
import type { StorageHarness } from '../../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { EnginePages, valuesOf } from '../../support/enginePages.ts';
import { countOfRun, engineUnderTest, never, onEngine } from '../../support/enginesUnderTest.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const startMicros = Date.UTC(2026, 4, 1) * 1000;
const logs = ['rest_api_logs', 'pooler_logs'] as const;

interface Line {
  readonly source: (typeof logs)[number];
  /** Decides sort keys of which many are equal. */
  readonly grade: number;
  readonly second: number;
}

type Step =
  | { readonly kind: 'append'; readonly lines: readonly Line[] }
  | { readonly kind: 'age' | 'merge' | 'restart' | 'kill' };

const { states } = engineUnderTest;

const line: fc.Arbitrary<Line> = fc.record({
  source: fc.constantFrom(...logs),
  grade: fc.integer({ min: 0, max: 5 }),
  second: fc.constantFrom(0, 0, 0, 1, 2),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('append' as const), lines: fc.array(line, { maxLength: 20 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('age' as const, 'merge' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'kill' as const) }) },
);

/** The grade as a number of which some are NULL, NaN or infinite. */
const floats =
  "case id when '0' then null when '1' then cast('nan' as float64) when '2' then cast('-inf' as float64) else cast(id as float64) / 3 end";
const either = logs.map((source) => `select event_message, timestamp, id from sources.${source}`).join(' union all ');
const elements = 'unnest(json_value_array(t.metadata.list)) as e';

/** Queries whose rows all differ, without their ORDER BY. */
const queries = [
  'select event_message as v from sources.pooler_logs',
  `with logs as (${either}) select event_message as v from logs`,
  // Each event twice.
  `with logs as (${either}) select event_message as v from (select * from logs union all select * from logs)`,
  `select concat(t.event_message, e) as v from sources.pooler_logs as t, ${elements}`,
  'select concat(a.event_message, b.event_message) as v from sources.pooler_logs as a join (select * from sources.rest_api_logs order by timestamp limit 3) as b on a.id <= b.id',
] as const;
const orders = (table: string) => [
  `${table}timestamp desc`,
  `${table}timestamp`,
  `${table}id desc, ${table}timestamp`,
  `${floats.replaceAll('id', `${table}id`)}, ${table}id`,
  `${floats.replaceAll('id', `${table}id`)} desc nulls first`,
  `cast(nullif(${table}id, '3') as bytes) nulls last`,
  `nullif(${table}id, '2') is null, date(${table}timestamp) desc`,
];

/** Queries whose rows are groups, each with orders that leave no choice, so that a page alone has the order of the whole. */
const grouped: readonly (readonly [query: string, orders: readonly string[]])[] = [
  [
    `with logs as (${either}) select concat(id, ' ', cast(count(*) as string), max(event_message)) as v from logs group by id`,
    ['count(*) desc, id', 'id desc', 'min(timestamp) desc, max(event_message)'],
  ],
  [`with logs as (${either}) select distinct concat(id, cast(timestamp as string)) as v from logs`, ['v', 'v desc']],
  [
    `with logs as (${either}) select concat(id, ' ', cast(sum(n) over (order by id rows 1 preceding) as string)) as v from (select id, count(*) as n from logs group by id)`,
    ['n desc, id', 'id'],
  ],
  [
    'select v from (select id as v from sources.pooler_logs union distinct select event_message as v from sources.rest_api_logs)',
    ['v', 'v desc'],
  ],
  [
    `with logs as (${either}) select concat(g.id, cast(g.last as string), p.event_message) as v from (select id, max(timestamp) as last from logs group by id) as g join sources.pooler_logs as p on p.id = g.id`,
    ['g.id, p.timestamp', 'g.last, g.id desc'],
  ],
];

const ofEvents = fc.tuple(fc.nat({ max: queries.length - 1 }), fc.nat({ max: 6 })).map(([q, order]) => {
  const query = queries[q] ?? '';
  return `${query} order by ${orders(query.includes(' as a join') ? 'a.' : '')[order]}`;
});
const ofGroups = fc
  .constantFrom(...grouped)
  .chain(([query, all]) => fc.constantFrom(...all).map((order) => `${query} order by ${order}`));

/** Whether the part has elements of the whole, in its order. */
function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const each of whole) if (each === part[at]) at += 1;
  return at === part.length;
}

describe(onEngine('pages'), () => {
  let harness: StorageHarness;
  const pages = new EnginePages(() => harness.clock);
  beforeAll(async () => {
    harness = await engineUnderTest.open({ partEvents: 150, mergeParts: 3 });
  });
  afterAll(async () => await harness.close());

  let events = 0;
  const append = async (lines: readonly Line[]) => {
    for (const source of logs) {
      const own = lines.filter((each) => each.source === source);
      if (own.length === 0) continue;
      const stored = own.map(({ grade, second }) => ({
        id: String(grade),
        timestampMicros: startMicros + second * 1_000_000,
        project: grade % 2 === 0 ? 'p' : 'q',
        eventMessage: `line ${events++}`,
        metadata: '{"list":["a","b"]}',
        hot: (sources.get(source)?.hotColumns ?? []).map(() => null),
        irregular: [],
      }));
      await harness.engine.log.append({ source, events: stored, identity: null });
    }
  };
  const take = async (each: Step) => {
    if (each.kind === 'append') await append(each.lines);
    if (each.kind === 'age') await harness.age();
    if (each.kind === 'merge') await harness.merge?.();
    if (each.kind === 'restart' && states.isDurable) await harness.restart();
    if (each.kind === 'kill' && states.crashes) {
      await harness.crash();
      // Until the next engine process answers.
      const ping = () => harness.engine.ping(never).then(() => 'up', String);
      await expect.poll(ping).toBe('up');
    }
  };

  const wholeOf = async (sql: string) => await pages.wholeOf(harness.engine, sql);
  const pageOf = async (
    sql: string,
    ask: { readonly size: number | null; readonly cursor: string | null },
    isRedacted = false,
  ) => await pages.pageOf(harness.engine, sql, ask, isRedacted);

  /** Reads all pages, forwards and then back to the first, and `between` any two. */
  const readAll = async (
    sql: string,
    first: PageRun,
    sizes: () => number,
    between: () => Promise<void>,
    isRedacted = false,
  ) => {
    const forwards = [...valuesOf(first.result)];
    const notices: (readonly string[])[] = [];
    let last = first;
    const codesOf = (page: PageRun) => page.notices.map(({ code }) => code);
    while (last.links.next !== null) {
      await between();
      last = await pageOf(sql, { size: sizes(), cursor: last.links.next }, isRedacted);
      forwards.push(...valuesOf(last.result));
      notices.push(codesOf(last));
    }
    const backwards = [...valuesOf(last.result)];
    while (last.links.prev !== null) {
      await between();
      last = await pageOf(sql, { size: sizes(), cursor: last.links.prev }, isRedacted);
      backwards.unshift(...valuesOf(last.result));
      notices.push(codesOf(last));
    }
    return { forwards, backwards, notices };
  };

  it('put together are the whole answer of the first moment, whatever arrives and becomes of the files', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(step),
        fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
        fc.oneof({ weight: 3, arbitrary: ofEvents }, { weight: 2, arbitrary: ofGroups }),
        fc.option(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 10 }))),
        // Nothing in the events is personal, so only the way of reading them differs. Segments are first copied for it.
        states.seals ? fc.constant(false) : fc.boolean(),
        async (before, meanwhile, sizes, ordered, cut, isRedacted) => {
          for (const each of before) await take(each);
          const limit = cut === null ? '' : ` limit ${cut[0]} offset ${cut[1]}`;
          const sql = `${ordered}${limit}`;
          const size = () => sizes.next().value ?? 1;
          const whole = await wholeOf(sql);
          const ask = { size: Math.max(size(), Math.ceil(whole.length / 4)), cursor: null };
          const first = await pageOf(sql, ask, isRedacted);
          // Few pages of a large answer, so that a run does not take long.
          const sizeOfNext = () => Math.max(size(), Math.ceil(whole.length / 4));
          let steps = 0;
          const meet = async () => {
            if (steps++ < 4) await take(meanwhile.next().value ?? { kind: 'age' });
          };
          const read = await readAll(sql, first, sizeOfNext, meet, isRedacted);
          expect(read.forwards).toEqual(whole);
          expect(read.backwards).toEqual(whole);
        },
      ),
      // Each run goes on with the storage that the one before it left.
      { numRuns: countOfRun(16, { of: 3 }), endOnFailure: true },
    );
  });

  it('lack the events that are deleted meanwhile and nothing else, and say so', async () => {
    const sql = `${queries[1]} order by timestamp desc`;
    await append(Array.from({ length: 30 }, (_, i) => ({ source: 'pooler_logs', grade: i % 6, second: i % 3 })));
    const whole = await wholeOf(sql);
    const first = await pageOf(sql, { size: Math.ceil(whole.length / 5), cursor: null });
    let pages = 0;
    const read = await readAll(
      sql,
      first,
      () => Math.ceil(whole.length / 5),
      async () => {
        pages += 1;
        if (pages !== 2) return await take({ kind: pages === 3 ? 'merge' : 'age' });
        const deletion = { project: 'p', source: null, beforeMicros: null, requestedMicros: harness.clock.nowMicros() };
        await expect
          .poll(() =>
            harness.engine.deleteEvents(async (token) => ({ ...deletion, token })).then(() => 'deleted', String),
          )
          .toBe('deleted');
        await harness.engine.removeNow();
      },
    );
    const left = await wholeOf(sql);
    expect(left.length).toBeLessThan(whole.length);
    expect(isPartOf(read.forwards, whole)).toBe(true);
    expect(read.backwards).toEqual(left);
    expect(left.every((each) => read.forwards.includes(each))).toBe(true);
    const told = read.notices.map((codes) => codes.includes('page.events_removed'));
    expect(told).toEqual(told.map((_, i) => i >= 1));
  });
});
