import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../startClickHouse.ts';
import { PushdownStore } from './pushdownStore.ts';

// ClickHouse copies the event for each element whose type it looks up.

const numbers = Array.from({ length: 50_000 }, (_, i) => i);
const memoryBytesMax = 2 ** 30;

describe.skipIf(!hasClickHouse)('a condition on the elements of a long array', () => {
  let server: TestClickHouse;
  let store: PushdownStore;

  beforeAll(async () => {
    server = await startClickHouse();
    const bounded = (settings?: Readonly<Record<string, string>>) => ({
      ...settings,
      max_memory_usage: String(memoryBytesMax),
    });
    const clickhouse = {
      run: async (sql: string, settings?: Readonly<Record<string, string>>) => await server.run(sql, bounded(settings)),
      runForBytes: async (sql: string, settings?: Readonly<Record<string, string>>) =>
        await server.runForBytes(sql, bounded(settings)),
    };
    store = await PushdownStore.open(clickhouse, await server.createDatabase());
    const event = { project: 'p', eventMessage: '', timestampMicros: Date.UTC(2026, 4, 1) * 1000 };
    await store.store('edge_logs', [
      { ...event, id: 'whole', metadata: `{"tags":[${numbers.join(',')}]}` },
      { ...event, id: 'with a fraction', metadata: `{"tags":[${[...numbers, '50000.0'].join(',')}]}` },
    ]);
  });
  afterAll(async () => await server?.close());

  test.each([
    "regexp_contains(e, '^12')",
    "regexp_contains(e, '^12$')",
    "e = '49999'",
    "e = '50000.0'",
    "e = '50000'",
    'length(e) < 0',
    'e is null',
  ])('needs little memory: %s', async (condition) => {
    const text = `select t.id as k from sources.edge_logs as t where exists (select 1 from unnest(safe_cast(t.metadata.tags as array<string>)) as e where ${condition}) order by k limit 10`;
    const pushed = await store.pushed(text);
    expect(pushed.keptBack).toEqual([]);
    expect(pushed.rows).toEqual((await store.reference(text)).rows);
  });
});
