import { describe } from 'vitest';
import { queryEngineContract } from '../../../src/ports/queryEngine.contract.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { clickhouse } from './clickhouseEngine.ts';

describe.skipIf(!hasClickHouse)('queries over ClickHouse', () => {
  queryEngineContract(clickhouse);
});
