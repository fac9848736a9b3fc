import { afterAll, beforeAll, describe } from 'vitest';
import { eventLogContract } from '../../../src/ports/eventLog.contract.ts';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../../clickhouse/startClickHouse.ts';
import { clickhouseUnderTest } from './clickhouseUnderTest.ts';

describe.skipIf(!hasClickHouse)('where ClickHouse itself may end', () => {
  let clickhouse: TestClickHouse;
  beforeAll(async () => {
    clickhouse = await startClickHouse();
  });
  afterAll(async () => {
    await clickhouse.close();
  });
  eventLogContract(clickhouseUnderTest(() => clickhouse, 'ClickHouse'));
});
