import { queryEngineContract } from '../../../ports/queryEngine.contract.ts';
import { TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';

queryEngineContract('DuckDB', async () => {
  const test = await TestStorage.open();
  return {
    engine: new DuckDbQueryEngine(test.storage.files, test.storage.statements),
    log: test.storage.log,
    age: async () => await test.storage.sealNow(),
    close: async () => await test.close(),
  };
});
