import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NodeMarks } from '../../../src/ports/commitLedger.ts';
import type { EventBatch, StoredEvent } from '../../../src/ports/eventLog.ts';
import {
  hasClickHouse,
  type StandInControl,
  startStandIn,
  type TestClickHouse,
} from '../../clickhouse/startClickHouse.ts';
import { MovedTimer } from '../../support/movedTimer.ts';
import { startMicros, TestClickHouseStorage, type TestStorageOptions } from './testClickHouseStorage.ts';

const weekMicros = 604_800_000_000;
/** The times are far above what any INSERT takes here: a test that wants to see them pass moves the timer. */
const settings = { insertMs: 60_000, commitMs: 240_000, freshMs: 0 };

describe.skipIf(!hasClickHouse)('the event log over a failing ClickHouse', () => {
  let clickhouse: TestClickHouse;
  let standIn: StandInControl;
  let test: TestClickHouseStorage;
  let timer: MovedTimer;
  beforeAll(async () => {
    clickhouse = await startStandIn();
    if (clickhouse.standIn === null) throw new Error('faults need the stand-in');
    standIn = clickhouse.standIn;
  });
  afterAll(async () => {
    await clickhouse.close();
  });
  const open = async (options: TestStorageOptions = {}) => {
    timer = new MovedTimer();
    test = await TestClickHouseStorage.open(clickhouse, {
      ...options,
      timer,
      settings: { ...settings, ...options.settings },
    });
  };
  beforeEach(async () => {
    await open();
  });
  afterEach(async () => {
    await standIn.clearFaults();
    await test.close();
  });

  const event = (id: string, weeksAgo = 0): StoredEvent => ({
    id,
    timestampMicros: startMicros - weeksAgo * weekMicros,
    project: 'p',
    eventMessage: '',
    metadata: null,
    hot: (test.sources.find(({ name }) => name === 'edge_logs')?.hotColumns ?? []).map(() => null),
    irregular: [],
  });
  const batch = (...events: readonly StoredEvent[]): EventBatch => ({ source: 'edge_logs', events, identity: null });
  const visible = async () => (await test.read('edge_logs')).map(({ id }) => id);
  const stored = async () => (await test.select('edge_logs')).map(({ id }) => id);
  const takeAllForDead = async () => {
    const hear = async (silent?: NodeMarks) => await test.ledger.hear('another', test.clock.nowMicros(), silent);
    await hear(await hear());
  };
  const inserts = { matching: '^INSERT' };
  const met = async () => (await standIn.state()).faultsMet;
  /** Moves the timer until this batch is given up. */
  const expectGivenUp = async (sent: Promise<unknown>) => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    void sent.then(settle, settle);
    await expect
      .poll(() => {
        timer.advanceMs(settings.commitMs);
        return isSettled;
      })
      .toBe(true);
    await expect(sent).rejects.toMatchObject({ code: 'ingest.overloaded' });
    await expect(sent).rejects.not.toThrow(/TOO_MANY_PARTS|ClickHouse/);
  };

  it.each([
    ['answers nothing after it has stored the rows', { kind: 'resetAfter' }],
    ['breaks the connection before it stores the rows', { kind: 'resetBefore' }],
    ['does not know whether the rows are stored', { kind: 'error', code: 319, name: 'UNKNOWN_STATUS_OF_INSERT' }],
    ['ends while it stores the rows', { kind: 'crash' }],
    ['is behind a proxy that fails', { kind: 'status', status: 502 }],
  ] as const)('stores a batch over two weeks once where ClickHouse %s', async (_, fault) => {
    await standIn.addFault({ ...fault, ...inserts, times: 1 });
    expect(await test.storage.log.append(batch(event('1'), event('2', 1)))).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1', '2']);
    expect(await stored()).toEqual(['1', '2']);
  });

  it('stores a batch over two weeks once where ClickHouse is silent after it has stored the rows', async () => {
    await standIn.addFault({ kind: 'silent', ...inserts, times: 1 });
    const sent = test.storage.log.append(batch(event('1'), event('2', 1)));
    await expect.poll(stored).toEqual(['1', '2']);
    expect(await visible()).toEqual([]);
    timer.advanceMs(settings.insertMs);
    expect(await sent).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1', '2']);
    expect(await stored()).toEqual(['1', '2']);
  });

  it('refuses a batch that ClickHouse does not take in time, and takes the next one', async () => {
    await standIn.addFault({ kind: 'error', code: 252, name: 'TOO_MANY_PARTS', ...inserts });
    const refused = test.storage.log.append(batch(event('1')));
    // It was tried again.
    await expect.poll(met).toBeGreaterThan(1);
    await expectGivenUp(refused);
    await standIn.clearFaults();
    expect(await test.storage.log.append(batch(event('2')))).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['2']);
  });

  it('refuses a batch whose rows ClickHouse cannot take, and stores those that came with it', async () => {
    await standIn.addFault({ kind: 'slow', ms: 500, ...inserts, times: 1 });
    // The commit of both, then that of the first one alone.
    await standIn.addFault({ kind: 'error', code: 53, name: 'TYPE_MISMATCH', ...inserts, times: 2 });
    const outcomes = await Promise.allSettled(
      ['before', '1', '2'].map(async (id) => await test.storage.log.append(batch(event(id)))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'engine.failed' } });
    expect(await visible()).toEqual(['before', '2']);
  });

  it('never shows a part of a batch that is given up, and removes it later', async () => {
    await test.close();
    await open({ settings: { insertRowsMax: 2, insertsMax: 1, abandonedMs: 1_000 } });
    await standIn.addFault({ kind: 'status', status: 500, ...inserts, after: 1 });
    const identity = { key: 'k', digest: 'd', answer: '{}' };
    const whole = { ...batch(event('1'), event('2'), event('3')), identity };
    const sent = test.storage.log.append(whole);
    await expect.poll(met).toBeGreaterThan(0);
    await expectGivenUp(sent);
    expect(await stored()).toEqual(['1', '2']);
    expect(await visible()).toEqual([]);
    await standIn.clearFaults();
    expect(await test.storage.log.append(whole)).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1', '2', '3']);
    test.clock.advanceMs(10_000);
    await test.storage.removeNow();
    expect(await stored()).toEqual(['1', '2', '3']);
    expect((await test.ledger.state()).hidden).toEqual([]);
  });

  it('shows nothing of a node that dies during a commit, and stores its batch when it is sent again', async () => {
    const identity = { key: 'k', digest: 'd', answer: '{}' };
    const { commit } = await test.ledger.begin('dead', [{ identity, events: 1 }], test.clock.nowMicros());
    if (commit === null) throw new Error('nothing was begun');
    await clickhouse.run(
      `INSERT INTO ${test.place.database}.edge_logs (id, timestamp, project, event_message, arrival_number) VALUES ('lost', 0, 'p', '', ${commit})`,
    );
    expect(await visible()).toEqual([]);
    await takeAllForDead();
    expect(await visible()).toEqual([]);
    expect(await test.storage.log.append({ ...batch(event('1')), identity })).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1']);
  });

  it('stores a batch again if the node was taken for dead while it was stored', async () => {
    await standIn.addFault({ kind: 'held', ...inserts, times: 1 });
    const sent = test.storage.log.append(batch(event('1')));
    await expect.poll(met).toBe(1);
    await takeAllForDead();
    await standIn.clearFaults();
    expect(await sent).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1']);
    expect(await stored()).toEqual(['1', '1']);
  });

  it('shows every node what another one stored, and stores a batch once that is sent to both', async () => {
    const other = await test.another();
    const identity = { key: 'k', digest: 'd', answer: '{}' };
    const same = { ...batch(event('1')), identity };
    const outcomes = await Promise.all([test.storage.log.append(same), other.log.append(same)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['duplicate', 'stored']);
    await other.log.append(batch(event('2')));
    await test.storage.log.append(batch(event('3')));
    const ids = ['1', '2', '3'];
    expect((await test.read('edge_logs', other)).map(({ id }) => id)).toEqual(ids);
    expect(await visible()).toEqual(ids);
    await other.close();
  });

  it('acknowledges a batch again that was stored, also while ClickHouse is away', async () => {
    const identity = { key: 'k', digest: 'd', answer: '{}' };
    await test.storage.log.append({ ...batch(event('1')), identity });
    await standIn.refuseConnections();
    try {
      expect(await test.storage.log.append({ ...batch(event('1')), identity })).toMatchObject({ kind: 'duplicate' });
      await expectGivenUp(test.storage.log.append(batch(event('2'))));
    } finally {
      await standIn.acceptConnections();
    }
    expect(await test.storage.log.append(batch(event('3')))).toEqual({ kind: 'stored' });
    expect(await visible()).toEqual(['1', '3']);
  });
});
