import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const eventMessage = `"${'line\n'.repeat(150_000)}`;
const bytesMax = 2 ** 26;

describe.skipIf(!hasClickHouse)('an answer with a large column many times', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await startedTestStorage();
    const event: StoredEvent = {
      ...{ id: '1', timestampMicros: startMicros, project: 'p', eventMessage, metadata: null, hot: [null] },
      irregular: [],
    };
    await test.storage.log.append({ source: 'rest_api_logs', events: [event], identity: null });
  });
  afterAll(async () => {
    await test.close();
  });

  async function answer(times: number) {
    const columns = Array.from({ length: times }, (_, i) => `t.event_message as a${i}`).join(', ');
    const sql = `select ${columns} from sources.rest_api_logs as t where t.project = 'p'`;
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const call = { parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
    const request = { ...call, query, redaction: null, rowsMax: 1000, bytesMax };
    return await test.storage.queries.run(request, new AbortController().signal);
  }

  it.each([1, 2, 5])('has it as often as the query asks for: %i times', async (times) => {
    const { rows, rowCount } = await answer(times);
    expect(rowCount).toBe(1);
    const row: unknown = JSON.parse(Buffer.from(rows).toString());
    expect(Object.values(row as object)).toEqual(Array.from({ length: times }, () => eventMessage));
  });

  it('is refused by the engine process, not built in the memory of the service, if its row is too large', async () => {
    await expect(answer(1_000)).rejects.toMatchObject({ code: 'query.memory' });
    expect((await answer(1)).rowCount).toBe(1);
  });
});
