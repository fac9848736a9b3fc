import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBatch, StoredEvent } from '../../../src/ports/eventLog.ts';
import type { EventDeletion } from '../../../src/retention/eventDeletion.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';
import { startMicros, TestClickHouseStorage } from './testClickHouseStorage.ts';

describe.skipIf(!hasClickHouse)('events in ClickHouse after an older copy of the store was restored', () => {
  let test: TestClickHouseStorage;
  let interruptions: number;
  beforeEach(async () => {
    interruptions = 0;
    test = await TestClickHouseStorage.open(await sharedClickHouse(), {
      settings: { insertMs: 60_000, commitMs: 240_000, freshMs: 0 },
      storeInterruptions: () => interruptions,
    });
  });
  afterEach(async () => {
    await test.close();
  });

  const event = (id: string): StoredEvent => ({
    id,
    timestampMicros: startMicros,
    project: 'p',
    eventMessage: '',
    metadata: null,
    hot: (test.sources.find(({ name }) => name === 'edge_logs')?.hotColumns ?? []).map(() => null),
    irregular: [],
  });
  const batch = (...ids: readonly string[]): EventBatch => ({
    source: 'edge_logs',
    events: ids.map(event),
    identity: null,
  });
  const visible = async () => (await test.read('edge_logs')).map(({ id }) => id);
  const next = async () => (await test.ledger.state()).end;
  /** Puts the ledger back to where it was. */
  const restore = async (end: number) => {
    await test.database.updateTable('event_numbers').set({ next: end }).execute();
  };

  it('stay visible, and later ones get numbers above theirs', async () => {
    await test.storage.log.append(batch('1'));
    const before = await next();
    await test.storage.log.append(batch('2', '3'));
    expect(await visible()).toEqual(['1', '2', '3']);
    await restore(before);
    expect(await visible()).toEqual(['1', '2', '3']);
    await test.storage.log.append(batch('4'));
    expect(await visible()).toEqual(['1', '2', '3', '4']);
    expect(await next()).toBeGreaterThan(before + 2);
  });

  it('are all covered by a deletion, also those that this node has not seen', async () => {
    const before = await next();
    const other = await test.another();
    await other.log.append(batch('1', '2'));
    await other.close();
    await restore(before);
    interruptions += 1;
    const asked = { project: 'p', source: null, beforeMicros: null, requestedMicros: startMicros };
    await test.storage.deleteEvents(async (token): Promise<EventDeletion> => ({ ...asked, token }));
    expect(await visible()).toEqual([]);
    await test.storage.removeNow();
    expect(await test.select('edge_logs')).toEqual([]);
  });
});
