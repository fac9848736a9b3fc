import { queryEngineContract } from '../ports/queryEngine.contract.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';
import { lookBackEventsDefault } from './lookBack.ts';
import { TestStorage } from './storage.fixture.ts';

const harness = (lookBackEvents: number) => async () => {
  const test = await TestStorage.open();
  const { files, statements, eventLog, sealNow } = test.storage;
  return {
    engine: new DuckDbQueryEngine(files, statements, () => performance.now(), lookBackEvents),
    log: eventLog,
    age: sealNow,
    close: async () => await test.close(),
  };
};

queryEngineContract('DuckDB', harness(lookBackEventsDefault));
queryEngineContract('DuckDB, looking back a few events at a time,', harness(3));
