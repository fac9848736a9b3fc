import { afterAll, beforeAll, describe } from 'vitest';
import { storageEngineContract } from '../../src/ports/storageEngine.contract.ts';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../clickhouse/startClickHouse.ts';
import { clickhouseUnderTest } from './clickhouse/clickhouseUnderTest.ts';

describe.skipIf(!hasClickHouse)('where the process that answers queries may end', () => {
  let clickhouse: TestClickHouse;
  beforeAll(async () => {
    clickhouse = await startClickHouse();
  });
  afterAll(async () => {
    await clickhouse.close();
  });
  storageEngineContract(clickhouseUnderTest(() => clickhouse, 'queries'));
});
