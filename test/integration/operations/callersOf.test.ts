import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { DuckDbQueryEngine } from '../../../src/engines/duckdb/duckdbQueryEngine.ts';
import { TestStorage } from '../../../src/engines/duckdb/storage.fixture.ts';
import { defaultIngestLimits } from '../../../src/ingest/ingest.ts';
import { sourceDirectory } from '../../../src/ingest/sourceDirectory.ts';
import type { CallersOf } from '../../../src/manage/recentCallers.ts';
import { createCallersOf } from '../../../src/observe/callersOf.ts';
import type { Usage } from '../../../src/observe/usage.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { serviceCalls } from '../../../src/sources/serviceCalls.ts';
import { startUsage } from '../../../src/start/usage.ts';

const mine = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const another = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const dayMs = 24 * 60 * 60 * 1000;

let test: TestStorage;
let usage: Usage;
let callersOf: CallersOf;
const observations: Observation[] = [];
beforeAll(async () => {
  // As a folder of an earlier version is: made before there was usage.
  test = await TestStorage.open({}, builtinSources);
  await test.closeStorage();
  test = new TestStorage(test.dataDir, {}, [...builtinSources, serviceCalls], test.catalogue);
  await test.reopen();
  const { clock, storage } = test;
  const inputs = {
    clock,
    randomness: systemRandomness,
    observe: (observation: Observation) => void observations.push(observation),
  };
  usage = startUsage(
    { ...inputs, slowMs: 1000 },
    {
      ...inputs,
      eventLog: storage.eventLog,
      sources: sourceDirectory([]),
      defaultProject: null,
      // Of the settings, and none of usage's business.
      limits: { ...defaultIngestLimits, bodyBytesMax: 1, eventsMax: 1, eventBytesMax: 1 },
    },
  );
  callersOf = createCallersOf({ usage, clock, engine: new DuckDbQueryEngine(storage.files, storage.statements) });
});
afterAll(async () => {
  await usage.close();
  await test.close();
});

function call(endpointId: string, token: string, status = 200, answeredMs = 5): void {
  usage.record({
    kind: 'request.completed',
    requestId: 'r',
    route: 'endpoints.query',
    status,
    elapsedMs: answeredMs,
    call: {
      endpoint: { id: endpointId, name: 'logs.all', version: 1 },
      token,
      isCallerQuery: false,
      cache: 'bypass',
      rowCount: 0,
      bytes: 0,
      answeredMs,
      stagesMs: {},
    },
  });
}

describe('callersOf', () => {
  it('names the tokens that called an endpoint since then, in whatever file their calls lie', async () => {
    const { clock, storage } = test;
    expect(await callersOf(mine, 0)).toEqual([]);
    call(mine, 'long-ago');
    await usage.flush();
    await storage.sealNow();
    clock.advanceMs(31 * dayMs);
    const sinceMicros = clock.nowMicros() - 30 * dayMs * 1000;
    clock.advanceMs(1000);
    const firstMicros = clock.nowMicros();
    for (let n = 0; n < 3; n++) call(mine, 'often');
    call(mine, 'slow', 200, 2000);
    call(another, 'elsewhere');
    await usage.flush();
    await storage.sealNow();
    clock.advanceMs(1000);
    call(mine, 'often', 400);
    const expected = [
      { token: 'often', calls: 4, lastMicros: clock.nowMicros() },
      { token: 'slow', calls: 1, lastMicros: firstMicros },
    ];
    expect(await callersOf(mine.toUpperCase(), sinceMicros)).toEqual(expected);
    expect((await callersOf(mine, 0)).map(({ token }) => token)).toEqual(['often', 'long-ago', 'slow']);
    expect(observations).toEqual([]);
  });
});
