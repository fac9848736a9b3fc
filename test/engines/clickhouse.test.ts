import { describe } from 'vitest';
import { queryEngineContract } from '../../src/ports/queryEngine.contract.ts';
import { storageEngineContract } from '../../src/ports/storageEngine.contract.ts';
import { hasClickHouse } from '../clickhouse/startClickHouse.ts';
import { clickhouse } from './clickhouse/clickhouseEngine.ts';

/** `npm run test:clickhouse` tries everything. */
const contract = process.env.CLICKHOUSE_SUITES === 'whole' ? storageEngineContract : queryEngineContract;

describe.skipIf(!hasClickHouse)('where the process that answers queries may end', () => {
  contract(clickhouse);
});
