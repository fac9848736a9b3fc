import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ClickHouseStorage } from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import { defaultClickHouseSettings } from '../../../src/engines/clickhouse/settings.ts';
import type { Begun, CommitLedger } from '../../../src/ports/commitLedger.ts';
import { SqlCommitLedger } from '../../../src/stores/sql/sqlCommitLedger.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { EngineTails, Followed, tailPlan } from '../../support/engineTails.ts';
import { openTestQueries, sharedClickHouse } from './clickhouseEngine.ts';
import { TestClickHouseStorage } from './testClickHouseStorage.ts';

/** A ledger whose answer to `begin` is lost. */
class LosingLedger extends SqlCommitLedger {
  override async begin(...asked: Parameters<CommitLedger['begin']>): Promise<Begun> {
    await super.begin(...asked);
    throw new Error('the connection was lost');
  }
}

describe.skipIf(!hasClickHouse)('a tail on one of two nodes', () => {
  let test: TestClickHouseStorage;
  let nodes: readonly [ClickHouseStorage, ClickHouseStorage];
  const tails = new EngineTails(() => test.clock);
  let events = 0;

  beforeAll(async () => {
    test = await TestClickHouseStorage.create(await sharedClickHouse(), {
      settings: { ...defaultClickHouseSettings, freshMs: 0 },
      // So small that a part of the events must be fetched at a time.
      openQueries: async (side) =>
        await openTestQueries(side, test.removals, () => undefined, {}, { bytesMax: 2 ** 14, rowsMax: 120 }),
    });
    await test.start();
    nodes = [test.storage, await test.another()];
  });
  afterAll(async () => {
    await nodes[1].close();
    await test.close();
  });

  const append = async (node: ClickHouseStorage, project: string, count: number) => {
    const batch = Array.from({ length: count }, () => ({
      id: 'x',
      timestampMicros: test.clock.nowMicros(),
      project,
      eventMessage: `event ${events++}`,
      metadata: '{"list":["a","b"]}',
      hot: [null, null, null, null],
      irregular: [],
    }));
    await node.log.append({ source: 'pooler_logs', events: batch, identity: null });
    return batch.map(({ eventMessage }) => eventMessage);
  };
  const planOf = (project: string, isRedacted = false) =>
    tailPlan('select event_message as v from sources.pooler_logs', nodes[0], [project], isRedacted);

  it('has the rows of both, in the order of their numbers, and those of an earlier commit before later ones', async () => {
    const [a, b] = nodes;
    const opened = tails.over(b);
    const tail = new Followed(planOf('order'));
    await tail.connect(opened);
    const expected = [...(await append(a, 'order', 3)), ...(await append(b, 'order', 2))];
    await expect.poll(() => tail.seen).toEqual(expected);
    const held = await test.ledger.begin('third', [{ identity: null, events: 5 }], test.clock.nowMicros());
    const later = await append(a, 'order', 1);
    // Its events are visible to queries, but another one may still appear before them.
    await expect.poll(async () => (await test.read('pooler_logs', b)).at(-1)?.eventMessage).toBe(later[0]);
    expect(tail.seen).toEqual(expected);
    await test.ledger.complete(held.commit ?? 0, 'third', test.clock.nowMicros());
    await expect.poll(() => tail.seen).toEqual([...expected, ...later]);
    expect(tail.announced).toEqual([]);
    tail.leave();
  });

  it('goes on after an ID of the other node, whatever that one knew of', async () => {
    const [a, b] = nodes;
    const tail = new Followed(planOf('resumed'));
    await tail.connect(tails.over(a));
    const expected = [...(await append(a, 'resumed', 4))];
    await expect.poll(() => tail.seen).toEqual(expected);
    tail.leave();
    expected.push(...(await append(b, 'resumed', 2)), ...(await append(a, 'resumed', 2)));
    await tail.connect(tails.over(b));
    expected.push(...(await append(a, 'resumed', 1)));
    await expect.poll(() => tail.seen).toEqual(expected);
    expect(tail.announced).toEqual([]);
    tail.leave();
  });

  it('goes on after a node did not learn that it had begun a commit, and lives', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const losing = await test.another({ ledger: new LosingLedger(test.database) });
    try {
      const [, b] = nodes;
      const tail = new Followed(planOf('lost'));
      await tail.connect(tails.over(b));
      await expect(append(losing, 'lost', 1)).rejects.toMatchObject({ code: 'ingest.overloaded' });
      const expected = await append(b, 'lost', 2);
      expect((await test.ledger.state()).hidden).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(10_000);
      await expect.poll(() => tail.seen).toEqual(expected);
      tail.leave();
    } finally {
      await losing.close();
      vi.useRealTimers();
    }
  });

  it('goes on soon after a node died while it stored a batch', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const third = await test.another();
    try {
      const [, b] = nodes;
      const tail = new Followed(planOf('dead'));
      await tail.connect(tails.over(b));
      await test.ledger.begin('dead', [{ identity: null, events: 5 }], test.clock.nowMicros());
      const expected = await append(b, 'dead', 2);
      const laterSeen = async () => {
        await vi.advanceTimersByTimeAsync(2_000);
        return tail.seen;
      };
      await expect.poll(laterSeen).toEqual(expected);
      tail.leave();
    } finally {
      await third.close();
      vi.useRealTimers();
    }
  });

  it('reads many events in parts, if they are redacted before the query and therefore all fetched', async () => {
    const [a, b] = nodes;
    const tail = new Followed(planOf('many', true));
    await tail.connect(tails.over(a));
    const expected = [...(await append(b, 'many', 1))];
    await expect.poll(() => tail.seen).toEqual(expected);
    tail.leave();
    expected.push(...(await append(b, 'many', 200)));
    await tail.connect(tails.over(a));
    await expect.poll(() => tail.seen.length).toBe(201);
    expect([tail.seen, tail.announced]).toEqual([expected, []]);
    tail.leave();
  });
});
