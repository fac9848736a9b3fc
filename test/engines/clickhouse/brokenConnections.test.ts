import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EventCopies, NumberedEvent } from '../../../src/ports/eventCopies.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import { copyEvents } from '../../../src/start/copyEvents.ts';
import type { Fault } from '../../clickhouse/faults.ts';
import {
  hasStandIn,
  type StandInControl,
  startStandIn,
  type TestClickHouse,
} from '../../clickhouse/startClickHouse.ts';
import { MovedTimer } from '../../support/movedTimer.ts';
import { startMicros, TestClickHouseStorage } from './testClickHouseStorage.ts';

const [source] = builtinSources as readonly [Source];
const sources = [source];
/** Far above what any statement takes here: a test that wants to see it pass moves the timer. */
const settings = { insertMs: 60_000, commitMs: 240_000 };

describe.skipIf(!hasStandIn)('connections to ClickHouse that break', () => {
  let clickhouse: TestClickHouse;
  let standIn: StandInControl;
  const opened: TestClickHouseStorage[] = [];
  beforeAll(async () => {
    clickhouse = await startStandIn();
    standIn = clickhouse.standIn as StandInControl;
  });
  afterEach(async () => {
    await standIn.clearFaults();
    for (const each of opened.splice(0)) await each.close();
  });
  afterAll(async () => {
    await clickhouse.close();
  });

  const timer = new MovedTimer();
  const created = async () => {
    const test = await TestClickHouseStorage.create(clickhouse, { sources, settings, timer });
    opened.push(test);
    return test;
  };
  const met = async () => (await standIn.state()).faultsMet;
  const event = (id: string) => ({
    id,
    timestampMicros: startMicros,
    project: 'p',
    eventMessage: id,
    metadata: null,
    hot: source.hotColumns.map(() => null),
    irregular: [],
  });
  const all = async (copies: EventCopies) => {
    const found: NumberedEvent[] = [];
    for await (const page of copies.read(source, { after: -1, to: Number.MAX_SAFE_INTEGER })) found.push(...page);
    return found;
  };

  it('do not keep the events from being opened, which is reported once', async () => {
    const test = await created();
    await standIn.addFault({ kind: 'resetBefore', times: 2 });
    await standIn.addFault({ kind: 'resetAfter', times: 2, matching: '^CREATE' });
    await standIn.addFault({ kind: 'status', status: 503, times: 2, matching: 'max\\(arrival_number\\)' });
    await test.start();
    expect(await met()).toBe(6);
    expect(test.observations).toEqual([
      expect.objectContaining({ kind: 'warning', message: expect.stringContaining('does not answer yet') }),
    ]);
  });

  it('are reported at last if they break each time', async () => {
    const test = await created();
    await standIn.addFault({ kind: 'resetBefore' });
    let isOver = false;
    const started = test.start().finally(() => {
      isOver = true;
    });
    started.catch(() => undefined);
    await expect
      .poll(() => {
        timer.advanceMs(settings.commitMs);
        return isOver;
      })
      .toBe(true);
    // Which of them depends on when the connection breaks: before the request, or after it was sent.
    await expect(started).rejects.toThrow(
      /^The events in ClickHouse cannot be used: ClickHouse (did not answer|cannot be reached any more)/,
    );
  });

  it('are not tried again where ClickHouse refuses the statement', async () => {
    const test = await created();
    await standIn.addFault({ kind: 'error', code: 497, name: 'ACCESS_DENIED', matching: '^CREATE DATABASE' });
    await expect(test.start()).rejects.toThrow('ACCESS_DENIED');
    expect(await met()).toBe(1);
  });

  it.each<[string, Fault]>([
    ['before a statement', { kind: 'resetBefore', times: 3 }],
    ['after it was done', { kind: 'resetAfter', times: 3, matching: '^(SELECT|DELETE)' }],
    ['within its answer', { kind: 'brokenOff', afterBytes: 3, times: 3, matching: '^SELECT arrival_number' }],
    ['behind a proxy', { kind: 'status', status: 502, times: 3, matching: 'sum\\(toUInt128' }],
  ])('do not end a copy, and nothing is copied twice or left out: %s', async (_, fault) => {
    const [from, into] = [await created(), await created()];
    for (const each of [from, into]) await each.start();
    const ids = Array.from({ length: 30 }, (__, n) => `e${n}`);
    await from.storage.log.append({ source: source.name, events: ids.map(event), identity: null });
    const copy = async () =>
      await copyEvents({ from: from.storage.copies, into: into.storage.copies, sources, clock: from.clock, chunk: 8 });
    await standIn.addFault(fault);
    expect(await copy()).toEqual({ copied: 30, equal: 30 });
    expect(await met()).toBe(3);
    // A second run deletes the last chunk first, and stores it again.
    await standIn.addFault(fault);
    expect(await copy()).toMatchObject({ equal: 30 });
    await standIn.clearFaults();
    expect(await all(into.storage.copies)).toEqual(await all(from.storage.copies));
    expect((await all(into.storage.copies)).map(({ id }) => id)).toEqual(ids);
  });
});
