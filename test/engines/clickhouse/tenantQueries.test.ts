import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomChart } from '../../clickhouse/pushdown/randomCharts.ts';
import { randomJoin, randomQuery, randomUnion } from '../../clickhouse/pushdown/randomQueries.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { foreign, openClickHouseStore, openDuckDbStore, own, seenOf, type TenantStore } from './tenantStores.ts';

/** More with PUSHDOWN_QUERIES=n, from another seed on with PUSHDOWN_SEED=n. Every seed is a query. */
const count = Number(process.env.PUSHDOWN_QUERIES ?? 30);
const from = Number(process.env.PUSHDOWN_SEED ?? 0);

const kinds = [randomQuery, randomUnion, randomQuery, randomJoin, randomChart] as const;
const tokens = ['one', 'every', 'one', 'two', 'redacted', 'one', 'two'] as const;

interface RandomCall {
  readonly sql: string;
  readonly token: (typeof tokens)[number];
  readonly isOrdered: boolean;
  readonly isChart: boolean;
}

function callOf(seed: number): RandomCall {
  const make = kinds[seed % kinds.length] ?? randomQuery;
  const isChart = make === randomChart;
  const sql = make(seed).replaceAll('sources.', '');
  return {
    sql,
    token: tokens[seed % tokens.length] ?? 'one',
    isOrdered: isChart ? / order by (?:c0|x)/.test(sql) : sql.includes('order by'),
    isChart,
  };
}

describe.skipIf(!hasClickHouse).each([true, false])(
  "a tenant's queries of events in ClickHouse beside those of others (regular: %s)",
  (isRegular) => {
    let shared: TenantStore;
    /** Holds nothing but the tenant's events. */
    let alone: TenantStore;
    beforeAll(async () => {
      const stored = { seed: from + (isRegular ? 1 : 2), isRegular };
      shared = await openClickHouseStore({ ...stored, isShared: true });
      alone = await openDuckDbStore({ ...stored, isShared: false });
    });
    afterAll(async () => {
      await shared?.service.close();
      await alone?.service.close();
    });

    it('are answered as by the embedded engine without them', async () => {
      const ask = async ({ service, tokens: all }: TenantStore, { sql, token }: RandomCall) =>
        await service.call(
          'logs.all',
          { project: own.project, sql },
          { method: 'POST', headers: { 'x-api-key': all[token] } },
        );
      const statuses = new Map<number, number>();
      for (let seed = from; seed < from + count; seed++) {
        const call = callOf(seed);
        const [told, expected] = await Promise.all([ask(shared, call), ask(alone, call)]);
        const title = `seed ${seed}, token ${call.token}: ${call.sql}`;
        statuses.set(told.status, (statuses.get(told.status) ?? 0) + 1);
        expect(told.text, title).not.toMatch(foreign);
        expect(told.status, `${title}\n${told.text}`).toBeLessThan(500);
        // Whether an error comes up may depend on rows that a join leaves out.
        if (call.isChart && told.status !== expected.status) continue;
        expect(seenOf(told, call.isOrdered), title).toEqual(seenOf(expected, call.isOrdered));
      }
      expect(statuses.get(200)).toBeGreaterThan(0.7 * count);
    });
  },
);
