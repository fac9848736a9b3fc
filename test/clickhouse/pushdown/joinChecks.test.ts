import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../startClickHouse.ts';
import { type GivenEvent, PushdownStore } from './pushdownStore.ts';

const left = (condition: string) =>
  `select count(*) as n from sources.edge_logs as a join sources.auth_logs as b on ${condition}`;
const right = (condition: string) =>
  `select count(*) as n from sources.auth_logs as b join sources.edge_logs as a on ${condition}`;

const event = (id: string, message: string, metadata: string): GivenEvent => ({
  ...{ id, project: 'p', eventMessage: message, metadata },
  timestampMicros: Date.UTC(2026, 4, 1) * 1000,
});

/** A statement that leaves out events without a match, also those that fail a check. */
const withoutUnmatched = (sql: string): string => sql.replaceAll('FULL JOIN', 'INNER JOIN');

const status = 'safe_cast(a.metadata.response.status_code as string) = b.event_message';
const nested = 'a.metadata.x = b.metadata.x';

describe.skipIf(!hasClickHouse)('a join of events that fail a check', () => {
  let server: TestClickHouse;
  let store: PushdownStore;

  beforeAll(async () => {
    server = await startClickHouse();
    store = await PushdownStore.open(server, await server.createDatabase());
    await store.store('edge_logs', [
      event('1', 'm', '{"response":{"status_code":"200"},"x":{"a":1.0}}'),
      event('2', 'm', '{"response":{"status_code":404},"x":9007199254740993}'),
    ]);
    await store.store('auth_logs', [
      event('3', '200', '{"x":"{\\"a\\":1.0}"}'),
      event('4', '404', '{"x":9007199254740992}'),
    ]);
  });
  afterAll(async () => await server?.close());

  test.each([
    ['an irregular event on the left', left(status), 2],
    ['an irregular event on the right', right(status), 2],
    ['an object on the left', left(nested), 1],
    ['an object on the right', right(nested), 1],
  ])('%s is found, although it has no match in ClickHouse', async (_, text, n) => {
    const expected = [JSON.stringify({ n })];
    expect((await store.reference(text)).rows).toEqual(expected);
    expect((await store.pushed(text)).rows).toEqual(expected);
    expect((await store.pushed(text, { mutate: withoutUnmatched })).rows).not.toEqual(expected);
  });

  test('whole numbers that are the same FLOAT64 are not equal', async () => {
    const text = left(`${nested} and a.id = '2'`);
    const asFloats = (sql: string) => sql.replaceAll("match(substring(in_l0, 2), '^-?[0-9]+$')", 'false');
    const expected = ['{"n":0}'];
    const pushed = await store.pushed(text);
    expect(pushed.keptBack).toEqual([]);
    expect([pushed.rows, (await store.reference(text)).rows]).toEqual([expected, expected]);
    expect((await store.pushed(text, { mutate: asFloats })).rows).not.toEqual(expected);
  });
});
