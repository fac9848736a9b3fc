import { describe } from 'vitest';
import { eventLogContract } from '../../../src/ports/eventLog.contract.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { clickhouseEngine } from './clickhouseEngine.ts';

describe.skipIf(!hasClickHouse)('where ClickHouse itself may end', () => {
  eventLogContract(clickhouseEngine('ClickHouse'));
});
