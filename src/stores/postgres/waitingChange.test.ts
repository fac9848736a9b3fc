import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import { SqlCommitLedger } from '../sql/sqlCommitLedger.ts';
import { SqlTokenStore } from '../sql/sqlTokenStore.ts';
import { tokenRecord } from '../sql/tokenRecord.fixture.ts';
import { openPostgres, type PostgresStore } from './openPostgres.ts';
import { openTwice, patientWaits, type TwoNodes } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';

describe.skipIf(!hasPostgres)('a change in PostgreSQL', () => {
  let connections: TwoNodes;
  let impatient: PostgresStore;
  beforeEach(async () => {
    connections = await openTwice();
    impatient = await openPostgres({
      address: parsePostgresAddress(connections.url),
      release: '0.0.0',
      timer: systemTimer,
      waits: { ...patientWaits, lockMs: 100 },
    });
  });
  afterEach(async () => {
    await impatient.close();
    await connections.close();
  });

  /** Holds the row of the tokens' change count, as a change of another node that takes its time does. */
  async function holdTokens(): Promise<() => Promise<void>> {
    const client = await connections.nodes[0].pool.connectAlone();
    await client.query('begin');
    await client.query(
      "insert into generations (subject, generation) values ('tokens', 1) on conflict (subject) do update set generation = generations.generation",
    );
    return async () => {
      await client.query('commit');
      await client.end();
    };
  }

  it('waits for that of another node, and reads do not', async () => {
    const store = new SqlTokenStore(connections.second);
    await store.create(tokenRecord('first'));
    const letGo = await holdTokens();
    let isCreated = false;
    const creating = store.create(tokenRecord('second')).then(() => {
      isCreated = true;
    });
    for (let n = 0; n < 50; n++) expect(await store.list()).toHaveLength(1);
    expect(isCreated).toBe(false);
    await letGo();
    await creating;
    expect(await store.list()).toHaveLength(2);
  });

  it('is refused with a code where another node does not let go, and nothing is changed', async () => {
    await new SqlTokenStore(connections.second).create(tokenRecord('first'));
    const letGo = await holdTokens();
    const store = new SqlTokenStore(impatient.database);
    await expect(store.create(tokenRecord('second'))).rejects.toMatchObject({
      code: 'service.store_busy',
      retryAfterSeconds: 2,
    });
    await letGo();
    expect(await store.list()).toHaveLength(1);
    await store.create(tokenRecord('third'));
    expect(await store.list()).toHaveLength(2);
  });

  it('that abandons a commit waits until it is begun, and finds it', async () => {
    const [begins, abandons] = [new SqlCommitLedger(connections.first), new SqlCommitLedger(connections.second)];
    const { end } = await begins.state();
    const client = await connections.nodes[0].pool.connectAlone();
    await client.query('begin');
    // As `begin` does, whose commit takes its time.
    await client.query(
      'insert into event_numbers ("row", next) values (1, 2) on conflict ("row") do update set next = event_numbers.next + 1',
    );
    await client.query('insert into event_commits (first, "end", node) values ($1, $2, $3)', [end, end + 1, 'a']);
    const abandoned = abandons.abandon('a', 1);
    // It has a connection now, and asks.
    for (let n = 0; n < 50; n++) await abandons.state();
    await client.query('commit');
    await client.end();
    await abandoned;
    expect(await begins.complete(end, 'a', 1)).toBeNull();
  });

  it('never waits for times of last use that two nodes store at once in another order', async () => {
    const [a, b] = [new SqlTokenStore(connections.first), new SqlTokenStore(connections.second)];
    const ids = Array.from({ length: 200 }, (_, n) => `token${n}`);
    for (const id of ids) await a.create(tokenRecord(id));
    const used = (order: readonly string[], micros: number) => new Map(order.map((id) => [id, micros] as const));
    for (let n = 1; n <= 5; n++) {
      await Promise.all([a.recordUse(used(ids, 2 * n)), b.recordUse(used(ids.toReversed(), 2 * n + 1))]);
    }
    expect(new Set((await a.list()).map(({ lastUsedAtMicros }) => lastUsedAtMicros))).toEqual(new Set([11]));
  });
});
