import { type EventLogHarness, eventLogContract } from '../../../ports/eventLog.contract.ts';
import { TestStorage } from '../storage.fixture.ts';

eventLogContract('DuckDB', async (): Promise<EventLogHarness> => {
  const test = await TestStorage.open({ rotateEvents: 2_500 });
  return {
    get log() {
      return test.storage.log;
    },
    clock: test.clock,
    read: async (source) => await test.read(source),
    idsByArrival: async (source) =>
      (await test.values(`SELECT id FROM {${source}} ORDER BY arrival_number`)).map(([id]) => String(id)),
    crash: async () => await test.killEngine(),
    age: async () => await test.storage.sealNow(),
    restart: async () => await test.reopen(),
    close: async () => await test.close(),
  };
});
