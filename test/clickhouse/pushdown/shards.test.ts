import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasClickHouse, hasStandIn, startStandIn, type TestClickHouse } from '../startClickHouse.ts';
import { oddEvents } from './oddEvents.ts';
import { type Answer, PushdownStore } from './pushdownStore.ts';
import { aggregateCases, orderCases, type PushedCase } from './pushedCases.ts';
import { randomQuery, randomUnion } from './randomQueries.ts';
import { unionCases } from './unionCases.ts';

// What ClickHouse computes over tables of a cluster: each shard sorts, groups and cuts rows of its own, and their results
// are merged. The stand-in is both shards, so no statement is sent to another server.

const isWhole = process.env.PUSHDOWN !== undefined;
const sampled = (cases: readonly PushedCase[], one: { readonly of: number }): readonly PushedCase[] =>
  isWhole ? cases : cases.filter((_, n) => n % one.of === 0);

/** Rows without their order, which only an ORDER BY with distinct keys decides. */
const comparable = ({ rows }: Answer, isOrdered: boolean) =>
  typeof rows === 'string' || isOrdered ? rows : rows.toSorted();

describe.skipIf(!hasClickHouse || !hasStandIn)('what is pushed to the shards of a cluster', () => {
  let server: TestClickHouse;
  let store: PushdownStore;
  let database: string;

  beforeAll(async () => {
    server = await startStandIn();
    database = await server.createDatabase();
    store = await PushdownStore.open(server, database, 2);
    for (const [source, seed] of [
      ['edge_logs', 2],
      ['auth_logs', 1_002],
    ] as const)
      await store.store(source, oddEvents(seed, 300, true));
  });
  afterAll(async () => await server?.close());

  test('each shard has a part of the events', async () => {
    const counts = 'SELECT _shard_num AS shard, count() AS n FROM D.edge_logs GROUP BY shard ORDER BY shard';
    const text = await server.run(`${counts.replace('D', database)} FORMAT JSONCompactEachRow`);
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).map(Number));
    expect(rows).toEqual([
      [1, 150],
      [2, 150],
    ]);
  });

  test.each(
    [...unionCases, ...sampled(orderCases, { of: 4 }), ...sampled(aggregateCases, { of: 16 })].map(
      (each) => [each.name, each] as const,
    ),
  )('%s is answered as by DuckDB', async (_, each) => {
    const isOrdered = !aggregateCases.includes(each);
    const pushed = await store.pushed(each.text);
    expect(comparable(pushed, isOrdered)).toEqual(comparable(await store.reference(each.text), isOrdered));
    if (unionCases.includes(each) && !each.mayBeKeptBack) expect(pushed.fetches).toHaveLength(1);
  });

  test('random queries give the same answer', async () => {
    for (let seed = 0; seed < Number(process.env.PUSHDOWN_QUERIES ?? 20); seed++) {
      const text = seed % 2 === 0 ? randomUnion(seed) : randomQuery(seed);
      const isOrdered = text.includes('order by');
      const expected = comparable(await store.reference(text), isOrdered);
      expect(comparable(await store.pushed(text), isOrdered), `seed ${seed}: ${text}`).toEqual(expected);
    }
  });
});
