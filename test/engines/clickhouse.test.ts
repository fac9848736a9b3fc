import { describe } from 'vitest';
import { storageEngineContract } from '../../src/ports/storageEngine.contract.ts';
import { hasClickHouse } from '../clickhouse/startClickHouse.ts';
import { clickhouse } from './clickhouse/clickhouseEngine.ts';

describe.skipIf(!hasClickHouse)('where the process that answers queries may end', () => {
  storageEngineContract(clickhouse);
});
