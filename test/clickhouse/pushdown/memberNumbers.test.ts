import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../startClickHouse.ts';
import { oddMembers, pick, randomOf } from './oddEvents.ts';
import { type GivenEvent, PushdownStore } from './pushdownStore.ts';

const isOne = (text: string): boolean => !/^[[{]/.test(text);

/** JSON numbers in many notations. */
function numberText(random: () => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const whole = String(BigInt(digits(1 + Math.floor(random() * 18))));
  const fraction = random() < 0.5 ? `.${digits(1 + Math.floor(random() * 18))}` : '';
  const exponent = random() < 0.4 ? `${pick(random, ['e', 'E', 'e+', 'e-'])}${Math.floor(random() * 60)}` : '';
  return `${random() < 0.3 ? '-' : ''}${whole}${fraction}${exponent}`;
}

describe.skipIf(!hasClickHouse)('a member that is fetched without the rest of its event', () => {
  let server: TestClickHouse;
  let store: PushdownStore;
  beforeAll(async () => {
    server = await startClickHouse();
    store = await PushdownStore.open(server, await server.createDatabase());
  });
  afterAll(async () => await server?.close());

  const text = 'select t.id, t.metadata.x as x from sources.edge_logs as t order by t.timestamp desc limit 2000';

  async function storeMembers(members: readonly string[]): Promise<void> {
    const timestampMicros = Date.UTC(2026, 4, 1) * 1000;
    const events = members.map(
      (member, i): GivenEvent => ({
        ...{ id: `${i}`, project: 'p', eventMessage: '', timestampMicros, metadata: `{"x":${member}}` },
      }),
    );
    await store.store('edge_logs', events);
  }

  test('is written as DuckDB writes it: numbers in every notation, texts and constants', async () => {
    const random = randomOf(7);
    await storeMembers([...oddMembers.filter(isOne), ...Array.from({ length: 800 }, () => numberText(random))]);
    const { rows, fetches } = await store.pushed(text);
    expect(fetches.flatMap(({ columns }) => columns.map(({ transport }) => transport))).not.toContain('json');
    expect(rows).toEqual((await store.reference(text)).rows);
  });

  test.each(['{"a":1}', '[1]', '{}', '[]'])(
    'is fetched with the event if it is %s, which only a check tells',
    async (member) => {
      await storeMembers(['1', member]);
      const expected = (await store.reference(text)).rows;
      const { rows, fetches } = await store.pushed(text);
      expect(rows).toEqual(expected);
      expect(fetches.flatMap(({ columns }) => columns.map(({ transport }) => transport))).toContain('json');
      const mutate = (sql: string) => sql.replaceAll(", '[')), 1", ", '[')) AND false, 1");
      const mutated = await store.pushed(text, { mutate });
      expect(mutated.fetches).not.toEqual(fetches);
    },
  );
});
