import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushedAggregates } from '../../../src/engines/clickhouse/emit/aggregates.ts';
import { pushedFunctions } from '../../../src/engines/clickhouse/emit/pushedFunctions.ts';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../startClickHouse.ts';
import { constantJoinCases } from './constantJoinCases.ts';
import { joinCases } from './joinCases.ts';
import { memberCases } from './memberCases.ts';
import { type Mutation, mutations } from './mutations.ts';
import { nestedCases } from './nestedCases.ts';
import { oddEvents } from './oddEvents.ts';
import { type Answer, type GivenEvent, PushdownStore } from './pushdownStore.ts';
import { aggregateCases, expressionCases, orderCases, type PushedCase } from './pushedCases.ts';
import { randomChart } from './randomCharts.ts';
import { randomJoin, randomQuery, randomUnion } from './randomQueries.ts';
import {
  eventsIrregularAt,
  trustedPaths,
  withoutFailedFirst,
  withoutTrust,
  withoutTrustOfFilters,
} from './trustedPaths.ts';
import { unionCases } from './unionCases.ts';

/**
 * `npm run test:clickhouse` tries everything, which takes many minutes. A part such as `2/4` is one of four that together try
 * everything. Otherwise a sixteenth of the cases is tried, and no mutation.
 */
const wanted = process.env.PUSHDOWN ?? 'a sample';
const [part = 1, parts = 16] =
  wanted === 'whole' ? [1, 1] : wanted.split('/').flatMap((text) => (/^[1-9]\d*$/.test(text) ? [Number(text)] : []));
const isWhole = process.env.PUSHDOWN !== undefined;
if (isWhole && wanted !== 'whole' && (wanted !== `${part}/${parts}` || part > parts))
  throw new Error(`PUSHDOWN is "whole" or a part such as "2/4", not "${wanted}"`);
const sampled = <T>(all: readonly T[]): readonly T[] => all.filter((_, n) => n % parts === part - 1);

const all = [
  ...expressionCases,
  ...aggregateCases,
  ...orderCases,
  ...joinCases,
  ...constantJoinCases,
  ...unionCases,
  ...memberCases,
  ...nestedCases,
];
/** Others have an order that leaves some rows open. */
const isOrderedCase = (each: PushedCase): boolean =>
  [orderCases, joinCases, unionCases, memberCases].some((cases) => cases.includes(each));
const cases = sampled(all);

/** Rows without their order, which only an ORDER BY with distinct keys decides. */
const comparable = ({ rows }: Answer, isOrdered: boolean) =>
  typeof rows === 'string' || isOrdered ? rows : rows.toSorted();

describe.skipIf(!hasClickHouse)('what is pushed to ClickHouse', () => {
  let server: TestClickHouse;
  let store: PushdownStore;

  beforeAll(async () => {
    server = await startClickHouse();
    const database = await server.createDatabase();
    store = await PushdownStore.open(server, database);
  });
  afterAll(async () => await server?.close());

  /** Odd events of the source that every case reads, and others of the one that it is joined with. */
  async function storeBoth(seed: number, count: number, isRegular: boolean): Promise<void> {
    await store.store('edge_logs', oddEvents(seed, count, isRegular));
    await store.store('auth_logs', oddEvents(seed + 1_000, count, isRegular));
  }

  describe.each([
    { name: 'events in typed columns', seed: 2, isRegular: true },
    { name: 'irregular events', seed: 3, isRegular: false },
  ])('over $name', ({ seed, isRegular }) => {
    beforeAll(async () => await storeBoth(seed, 300, isRegular));

    test.each(cases.map((each) => [each.name, each] as const))('%s is answered as by DuckDB', async (_, each) => {
      const expected = await store.reference(each.text);
      const pushed = await store.pushed(each.text);
      expect(comparable(pushed, isOrderedCase(each))).toEqual(comparable(expected, isOrderedCase(each)));
      // Objects and arrays as keys, and orders of nested values, are kept back.
      if (isRegular && !each.mayBeKeptBack)
        expect(pushed.keptBack.filter((reason) => reason.endsWith('(rows)'))).toEqual([]);
      if (isRegular && constantJoinCases.includes(each)) expect(pushed.keptBack).toEqual([]);
      if (isRegular && unionCases.includes(each) && !each.mayBeKeptBack) expect(pushed.fetches).toHaveLength(1);
    });
  });

  describe.each(trustedPaths)('over events that are irregular at $path', ({ path, grouped, filtered, ordered }) => {
    beforeAll(async () => await store.store('edge_logs', eventsIrregularAt(path)));

    const mutated: readonly (readonly [of: string, text: string | null, mutate: (sql: string) => string])[] = [
      ['the check of irregular events', grouped, withoutTrust],
      ['the check of irregular events', filtered, withoutTrust],
      ['irregular events that a filter leaves out', filtered, withoutTrustOfFilters],
      ['irregular events behind a limit', ordered, withoutFailedFirst],
    ];
    test.each(mutated.flatMap(([of, text, mutate]) => (text === null ? [] : [[of, text, mutate] as const])))(
      'only %s tells a query of them: %s',
      async (_, text, mutate) => {
        const expected = comparable(await store.reference(text), false);
        expect(comparable(await store.pushed(text), false)).toEqual(expected);
        expect(comparable(await store.pushed(text, { mutate }), false)).not.toEqual(expected);
      },
    );

    test.skipIf(!isWhole).each(cases.map((each) => [each.name, each] as const))(
      '%s is answered as by DuckDB',
      async (_, each) => {
        const isOrdered = isOrderedCase(each);
        const expected = comparable(await store.reference(each.text), isOrdered);
        expect(comparable(await store.pushed(each.text), isOrdered)).toEqual(expected);
      },
    );
  });

  test('only the check of a cast tells a query of an object, for which it fails', async () => {
    const event = { project: 'p', eventMessage: '', timestampMicros: Date.UTC(2026, 4, 1) * 1000 };
    const text = { ...event, id: 'a', metadata: '{"x":"a"}' };
    const object = { ...event, id: 'b', metadata: '{"x":{"y":1}}' };
    const sql = "select t.id from sources.edge_logs as t where cast(t.metadata.x as string) = 'a'";
    await store.store('edge_logs', [text]);
    expect((await store.pushed(sql)).keptBack).toEqual([]);
    await store.store('edge_logs', [text, object]);
    const expected = (await store.reference(sql)).rows;
    expect(expected).toContain('CAST of t.metadata.x to STRING failed');
    expect((await store.pushed(sql)).rows).toEqual(expected);
    const mutate = (statement: string) =>
      statement.replaceAll(/\(startsWith\([^{]*'\{'\) OR startsWith\([^[]*'\['\)\)/g, 'false');
    expect((await store.pushed(sql, { mutate })).rows).not.toEqual(expected);
  });

  test('only the check of an UNNEST tells a query of an array with one object, in which no member is looked for', async () => {
    const event = { project: 'p', eventMessage: '', timestampMicros: Date.UTC(2026, 4, 1) * 1000 };
    const object = { ...event, id: 'a', metadata: '{"auth_event":{"actor_username":"u"}}' };
    const array = { ...event, id: 'b', metadata: '{"auth_event":[{"actor_username":"v"}]}' };
    const text =
      'select u.actor_username as k, count(*) as n from sources.edge_logs as t cross join unnest(t.metadata.auth_event) as u group by k order by k';
    await store.store('edge_logs', [object]);
    expect((await store.pushed(text)).keptBack).toEqual([]);
    await store.store('edge_logs', [object, array]);
    const expected = (await store.reference(text)).rows;
    expect((await store.pushed(text)).rows).toEqual(expected);
    const mutate = (sql: string) => sql.replaceAll(" != 'Object')), 1", " != 'Object') AND false), 1");
    expect((await store.pushed(text, { mutate })).rows).not.toEqual(expected);
  });

  test.each([
    ['rows', '(select t.id as k, F as r from sources.edge_logs as t)'],
    ['groups', '(select t.event_message as k, F as r, count(*) as n from sources.edge_logs as t group by k)'],
    [
      'constant times',
      `(select day as k, z.r from (select day, arr.r from (select generate_timestamp_array(timestamp '2026-01-01', timestamp '2026-12-31', interval 1 day) as days, F as r) as arr cross join unnest(arr.days) as day) as z left join (select timestamp_trunc(t.timestamp, day) as d, count(*) as n from sources.edge_logs as t group by d) as g on g.d = day where g.d is not null)`,
    ],
  ])('a random value of %s is computed once, however often it is used', async (of, table) => {
    await storeBoth(2, 60, true);
    for (const random of ['rand()', 'generate_uuid()']) {
      const from = table.replace('F', random);
      const texts = [`select q.k, q.r = q.r as b, q.r is null as c from ${from} as q order by q.k limit 5`];
      if (of === 'constant times') texts.push(`select count(distinct q.r) as n from ${from} as q`);
      for (const text of texts)
        expect((await store.pushed(text)).rows, text).toEqual((await store.reference(text)).rows);
    }
  });

  describe('over events near the ends of TIMESTAMP', () => {
    const event = { project: 'p', eventMessage: '', metadata: null };
    const at = (id: string, text: string): GivenEvent => ({ ...event, id, timestampMicros: Date.parse(text) * 1000 });
    const within = [at('a', '2026-05-01'), at('b', '0200-01-01')];
    const outer = [at('c', '0001-01-01'), at('d', '9999-12-31')];

    test.each([
      [
        'grouped',
        (expr: string) => `select ${expr} as k, count(*) as n from sources.edge_logs as t group by k order by k`,
      ],
      ['returned', (expr: string) => `select t.id, ${expr} as k from sources.edge_logs as t order by t.id`],
      ['filtered', (expr: string) => `select count(*) as n from sources.edge_logs as t where ${expr} != '2026-04-26'`],
      ['ordered', (expr: string) => `select t.id from sources.edge_logs as t order by ${expr} desc, t.id limit 1`],
    ])('a time that may be beyond them is an error, as by DuckDB: %s', async (_, textOf) => {
      for (const expr of [
        'timestamp_trunc(t.timestamp, week)',
        'datetime_trunc(datetime(t.timestamp), week(saturday))',
        'date_trunc(date(t.timestamp), week(friday))',
        'timestamp_sub(t.timestamp, interval 1 day)',
        'timestamp_add(t.timestamp, interval 2 day)',
        'timestamp_bucket(t.timestamp, interval 7 minute)',
      ]) {
        const text = textOf(expr);
        await store.store('edge_logs', within);
        const inside = await store.pushed(text);
        expect(inside.keptBack.filter((reason) => reason.endsWith('(rows)'))).toEqual([]);
        expect(inside.rows, text).toEqual((await store.reference(text)).rows);
        await store.store('edge_logs', [...within, ...outer]);
        const answer = (await store.pushed(text)).rows;
        expect(answer, text).toEqual((await store.reference(text)).rows);
        expect(answer, text).toBeTypeOf('string');
      }
    });

    test.each([
      "timestamp_trunc(least(t.timestamp, timestamp '0001-01-01'), week)",
      "datetime_trunc(if(t.id = 'a', datetime '0001-01-01', datetime(t.timestamp)), week)",
      "date_trunc(if(t.id = 'a', date '0001-01-01', date(t.timestamp)), week(saturday))",
    ])('so is one that is computed from a constant near them: %s', async (expr) => {
      await store.store('edge_logs', within);
      const text = `select ${expr} as k, count(*) as n from sources.edge_logs as t group by k order by k`;
      const answer = (await store.pushed(text)).rows;
      expect(answer).toEqual((await store.reference(text)).rows);
      expect(answer).toBeTypeOf('string');
    });
  });

  // A mutation needs the cases that it breaks, so a sample of them says nothing.
  describe.skipIf(!isWhole)('with mutations', () => {
    interface Unbroken {
      readonly sent: readonly string[];
      readonly expected: string;
    }
    const known = new Map<PushedCase, Unbroken>();

    beforeAll(async () => await storeBoth(2, 300, true));

    /** The statements that a case sends, and its answer. */
    async function unbroken(each: PushedCase): Promise<Unbroken> {
      const found = known.get(each);
      if (found !== undefined) return found;
      const sent: string[] = [];
      const answer = await store.pushed(each.text, {
        mutate: (sql) => {
          sent.push(sql);
          return sql;
        },
      });
      const made = { sent, expected: JSON.stringify(comparable(answer, isOrderedCase(each))) };
      known.set(each, made);
      return made;
    }

    test.each(sampled(mutations).map((each) => [each.of, each] as const))(
      'a case breaks with another %s',
      async (_, mutation) => {
        expect(await firstBroken(mutation)).not.toBeNull();
      },
    );

    /** An error of ClickHouse does not count: the mutated statement must mean something else. */
    async function firstBroken({ find, instead }: Mutation): Promise<string | null> {
      const mutate = (sql: string): string =>
        typeof find === 'string' ? sql.replaceAll(find, () => instead) : sql.replace(find, instead);
      for (const each of all) {
        const { sent, expected } = await unbroken(each);
        if (sent.every((sql) => mutate(sql) === sql)) continue;
        const answer = await store.pushed(each.text, { mutate }).catch(() => null);
        if (answer === null) continue;
        if (JSON.stringify(comparable(answer, isOrderedCase(each))) !== expected) return each.name;
      }
      return null;
    }
  });

  test('every function that is pushed has a mutation', () => {
    const mutated = new Set(mutations.map((each) => each.of));
    const names = [...Object.keys(pushedFunctions), ...Object.keys(pushedAggregates)];
    expect(names.filter((name) => !mutated.has(name))).toEqual([]);
  });

  /** More with PUSHDOWN_QUERIES=n. Every seed is a query; each hundred has its own events. */
  const queries = Number(process.env.PUSHDOWN_QUERIES ?? (isWhole ? 200 : 20));
  const hundreds = Array.from({ length: Math.ceil(queries / 100) }, (_, i) => i);
  test.each(isWhole ? sampled(hundreds) : hundreds)(
    'random queries give the same answer: hundred %i',
    async (hundred) => {
      await storeBoth(hundred, 120, hundred % 2 === 0);
      for (let i = 0; i < Math.min(100, queries); i++) {
        const seed = hundred * 100 + i;
        const text = i % 4 === 3 ? randomJoin(seed) : i % 4 === 1 ? randomUnion(seed) : randomQuery(seed);
        const isOrdered = text.includes('order by');
        const expected = comparable(await store.reference(text), isOrdered);
        const pushed = comparable(await store.pushed(text), isOrdered);
        expect(pushed, `seed ${seed}: ${text}`).toEqual(expected);
      }
    },
  );

  test.each(isWhole ? sampled(hundreds) : hundreds)(
    'random charts give the same answer: hundred %i',
    async (hundred) => {
      await storeBoth(hundred, 90, hundred % 3 !== 0);
      await store.store('function_edge_logs', oddEvents(hundred + 2_000, 90, hundred % 3 !== 0));
      for (let i = 0; i < Math.min(100, queries); i++) {
        const seed = hundred * 100 + i;
        const text = randomChart(seed);
        const isOrdered = / order by (?:c0|x)/.test(text);
        const expected = comparable(await store.reference(text), isOrdered);
        const pushed = comparable(await store.pushed(text), isOrdered);
        // Whether an error comes up may depend on rows that a join leaves out.
        if (typeof expected === 'string' || typeof pushed === 'string') continue;
        expect(pushed, `seed ${seed}: ${text}`).toEqual(expected);
      }
    },
  );
});
