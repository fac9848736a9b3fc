import { describe } from 'vitest';
import { eventLogContract } from '../../../src/ports/eventLog.contract.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { clickhouseEngine } from './clickhouseEngine.ts';

/** `npm run test:clickhouse` tries it: ClickHouse is started again for many of the tests. */
const isTried = hasClickHouse && process.env.CLICKHOUSE_SUITES === 'whole';

describe.skipIf(!isTried)('where ClickHouse itself may end', () => {
  eventLogContract(clickhouseEngine('ClickHouse'));
});
