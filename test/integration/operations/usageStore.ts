import { systemRandomness } from '../../../src/core/ids.ts';
import type { CallReport, Observation } from '../../../src/core/observation.ts';
import { DuckDbQueryEngine } from '../../../src/engines/duckdb/query/duckdbQueryEngine.ts';
import { TestStorage } from '../../../src/engines/duckdb/storage.fixture.ts';
import { defaultIngestLimits } from '../../../src/ingest/ingest.ts';
import { sourceDirectory } from '../../../src/ingest/sourceDirectory.ts';
import type { Usage } from '../../../src/observe/usage.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { serviceCalls } from '../../../src/sources/serviceCalls.ts';
import { startUsage } from '../../../src/start/usage.ts';

/** Usage over a real storage and engine, without a service around it. */
export class UsageStore {
  readonly storage: TestStorage;
  readonly usage: Usage;
  readonly engine: DuckDbQueryEngine;
  readonly observations: Observation[] = [];

  private constructor(test: TestStorage) {
    const { clock, storage } = test;
    const inputs = {
      clock,
      randomness: systemRandomness,
      observe: (observation: Observation) => void this.observations.push(observation),
    };
    this.storage = test;
    this.usage = startUsage(
      { ...inputs, slowMs: 1000 },
      {
        ...inputs,
        eventLog: storage.log,
        sources: sourceDirectory([]),
        defaultProject: null,
        // Of the settings, and none of usage's business.
        limits: { ...defaultIngestLimits, bodyBytesMax: 1, eventsMax: 1, eventBytesMax: 1 },
      },
    );
    this.engine = new DuckDbQueryEngine(storage.files, storage.statements);
  }

  /** On a folder as an earlier version left it: made before there was usage. */
  static async open(): Promise<UsageStore> {
    const older = await TestStorage.open({}, builtinSources);
    await older.closeStorage();
    const test = new TestStorage(older.dataDir, {}, [...builtinSources, serviceCalls], older.manifest);
    await test.reopen();
    return new UsageStore(test);
  }

  record(call: Partial<CallReport> & Pick<CallReport, 'endpoint' | 'token'>, status = 200): void {
    this.usage.record({
      kind: 'request.completed',
      requestId: 'r',
      route: 'endpoints.query',
      status,
      elapsedMs: call.answeredMs ?? 5,
      call: {
        isCallerQuery: false,
        cache: 'bypass',
        rowCount: 0,
        bytes: 0,
        answeredMs: 5,
        stagesMs: {},
        ...call,
      },
    });
  }

  async close(): Promise<void> {
    await this.usage.close();
    await this.storage.close();
  }
}
