import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClickHouseStorage } from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import { defaultClickHouseSettings } from '../../../src/engines/clickhouse/settings.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { Removals } from '../../../src/retention/removals.ts';
import { RetentionRules } from '../../../src/retention/retentionRules.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { type EngineOfPages, EnginePages, valuesOf } from '../../support/enginePages.ts';
import { openTestQueries, sharedClickHouse } from './clickhouseEngine.ts';
import { TestClickHouseStorage } from './testClickHouseStorage.ts';

const startMicros = Date.UTC(2026, 4, 1) * 1000;

const event = (project: string, n: number): StoredEvent => ({
  id: `e${n}`,
  // Earlier and later ones in turn, so that pages mix the batches.
  timestampMicros: startMicros + (n % 5) * 1_000_000,
  project,
  eventMessage: `line ${n}`,
  metadata: null,
  hot: [null, null, null, null],
  irregular: [],
});

describe.skipIf(!hasClickHouse)('pages that two nodes read', () => {
  let test: TestClickHouseStorage;
  let [first, second]: ClickHouseStorage[] = [];
  const nodes = (): readonly [ClickHouseStorage, ClickHouseStorage] => {
    if (first === undefined || second === undefined) throw new Error('the nodes are not open');
    return [first, second];
  };
  const pages = new EnginePages(() => test.clock);
  let events = 0;
  /** Each test has events of its own. */
  let project = '';

  beforeAll(async () => {
    // A node asks the ledger only if it must: by itself, its knowledge never becomes too old.
    const settings = { ...defaultClickHouseSettings, freshMs: 600_000 };
    test = await TestClickHouseStorage.create(await sharedClickHouse(), {
      settings,
      openQueries: async (side) => await openTestQueries(side, test.removals, () => undefined, {}),
    });
    await test.start();
    first = test.storage;
    second = await test.another();
  });
  afterAll(async () => {
    await second?.close();
    await test.close();
  });

  const append = async (node: ClickHouseStorage, count: number) => {
    const batch = Array.from({ length: count }, () => event(project, events++));
    await node.log.append({ source: 'pooler_logs', events: batch, identity: null });
    return batch.map(({ eventMessage }) => eventMessage);
  };
  const sql = () =>
    `select event_message as v from sources.pooler_logs where project = '${project}' order by timestamp desc`;
  const page = async (engine: EngineOfPages, cursor: string | null) =>
    await pages.pageOf(engine, sql(), { size: 7, cursor });

  it('are the whole of the first moment, whichever node reads each, and whatever both store meanwhile', async () => {
    project = 'whole';
    const [a, b] = nodes();
    await append(b, 9);
    await append(a, 20);
    const whole = await pages.wholeOf(a, sql());
    let read = await page(a, null);
    const seen = [...valuesOf(read.result)];
    for (let turn = 0; read.links.next !== null; turn++) {
      await append(turn % 2 === 0 ? a : b, 5);
      read = await page(turn % 2 === 0 ? b : a, read.links.next);
      seen.push(...valuesOf(read.result));
    }
    expect([whole.length, seen]).toEqual([29, whole]);
  });

  it('leave out what another node is still storing, on every page, and what has a higher number', async () => {
    project = 'open';
    const [a, b] = nodes();
    await append(a, 10);
    const known = a.lastArrival?.() ?? 0;
    const begun = await test.ledger.begin('third', [{ identity: null, events: 3 }], test.clock.nowMicros());
    const later = await append(a, 4);
    const one = await page(a, null);
    await test.ledger.complete(begun.commit ?? 0, 'third', test.clock.nowMicros());
    const two = await page(b, one.links.next);
    const seen = [one, two].flatMap(({ result }) => valuesOf(result));
    expect([seen.length, later.some((each) => seen.includes(each)), two.links.next]).toEqual([10, false, null]);
    // What the next node to store something learns.
    await append(b, 1);
    const anew = await page(b, null);
    expect(valuesOf((await page(b, anew.links.next)).result)).toHaveLength(7);
    expect(b.lastArrival?.()).toBe(known + 8);
  });

  it('are refused if the store knows none of their moments, because an older copy was restored', async () => {
    project = 'restored';
    const [a, b] = nodes();
    await append(a, 10);
    const { links } = await page(a, null);
    const last = a.lastArrival?.() ?? 0;
    expect([await b.reachArrival?.(last), await b.reachArrival?.(last + 1)]).toEqual([true, false]);
    const restored = { ...b, reachArrival: async () => false };
    await expect(page(restored, links.next)).rejects.toMatchObject({
      code: 'page.cursor',
      errors: [{ rule: 'altered' }],
    });
  });

  it('have no notice of removed events if only one node removed those that reached their age before', async () => {
    project = 'aged';
    const rules = new RetentionRules({ days: 10, bySource: new Map() });
    const of = async (removals: Removals) =>
      await test.another({
        removals,
        openQueries: async (side) => await openTestQueries(side, removals, () => undefined, {}),
      });
    await append(nodes()[0], 12);
    const old = { ...event(project, events++), timestampMicros: test.clock.nowMicros() - 20 * 86_400_000_000 };
    await nodes()[0].log.append({ source: 'pooler_logs', events: [old], identity: null });
    const [one, other] = [await of(new Removals(rules)), await of(new Removals(rules))];
    try {
      const kept = sql().replace(' order by', " and timestamp >= timestamp '2026-01-01' order by");
      const read = async (node: ClickHouseStorage, cursor: string | null) =>
        await pages.pageOf(node, kept, { size: 3, cursor });
      const first = await read(one, null);
      await one.removeNow();
      expect(await test.select('pooler_logs', `project = 'aged' AND event_message = '${old.eventMessage}'`)).toEqual(
        [],
      );
      const second = await read(one, first.links.next);
      const third = await read(other, second.links.next);
      const fourth = await read(one, third.links.next);
      expect([first, second, third, fourth].flatMap(({ result }) => valuesOf(result))).toHaveLength(12);
      expect([second, third, fourth].flatMap(({ notices }) => notices)).toEqual([]);
    } finally {
      await one.close();
      await other.close();
    }
  });

  it('have what other nodes acknowledged before, also on a node that was idle', async () => {
    project = 'idle';
    const [a] = nodes();
    const idle = await test.another({ settings: { ...defaultClickHouseSettings, freshMs: 0 } });
    try {
      const lines = await append(a, 5);
      expect(idle.lastArrival?.()).toBe((a.lastArrival?.() ?? 0) - 5);
      expect(valuesOf((await page(idle, null)).result).toSorted()).toEqual(lines.toSorted());
    } finally {
      await idle.close();
    }
  });
});
