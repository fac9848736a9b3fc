import { join } from 'node:path';
import type { Observe } from '../../core/observation.ts';
import type { EngineConnection } from './host/engineConnection.ts';
import { EngineStatements, type FunctionPlace, type Provide } from './host/engineStatements.ts';
import { EngineSupervisor } from './host/engineSupervisor.ts';
import { ParquetFiles } from './host/parquetFiles.ts';
import type { EngineRunner } from './query/statementRunner.ts';
import { type DuckDbSettings, functionMemoryBytes, functionProcesses } from './settings.ts';

export interface FetchedStatementsOptions {
  readonly settings: DuckDbSettings;
  /** The only folder whose files statements can read. */
  readonly rowsDir: string;
  /** Folder to which sorts spill. */
  readonly spillDir: string;
  readonly observe: Observe;
  /** Makes the rows of a statement available in a process. */
  readonly provide: Provide;
}

/** Engine processes that store nothing. */
export interface FetchedStatements {
  readonly statements: EngineRunner;
  readonly parquet: ParquetFiles;
  /** The process that runs statements without functions in JavaScript; null while it is being restarted. */
  readonly engine: EngineConnection | null;
  /** Starts the function processes and warms their redaction. Does not wait for them. */
  prepareRedaction(): void;
  /** Resident bytes of the running processes. */
  memoryBytes(): readonly { readonly process: string; readonly bytes: number }[];
  close(): Promise<void>;
}

/** How long the processes may take to end before they are killed. They have nothing to lose. */
const closeDeadlineMs = 2_000;

/**
 * Starts engine processes for statements over rows that another store has answered with: the same machinery as over
 * event files, with function processes (decision 57), limits and the isolation check.
 */
export async function openFetchedStatements(options: FetchedStatementsOptions): Promise<FetchedStatements> {
  const { settings, rowsDir, observe, provide } = options;
  const prepare = async () => {};
  const supervisor = new EngineSupervisor({
    engine: { ...settings, eventsDir: rowsDir, spillDir: join(options.spillDir, 'main'), hasScripted: false },
    processBytesMax: settings.processBytesMax,
    observe,
    prepare,
  });
  await supervisor.start();
  const functions = Array.from({ length: functionProcesses }, (_, n): FunctionPlace => {
    const place = new EngineSupervisor({
      engine: {
        ...settings,
        eventsDir: rowsDir,
        spillDir: join(options.spillDir, `functions-${n}`),
        memoryBytesMax: functionMemoryBytes(settings.memoryBytesMax),
        statementsMax: 1,
        hasScripted: true,
      },
      processBytesMax: Math.ceil(settings.processBytesMax / 2),
      observe,
      prepare,
      isStartedByUse: true,
      role: 'functions',
    });
    return { supervisor: place, provide };
  });
  const all = [supervisor, ...functions.map((each) => each.supervisor)];
  const statements = new EngineStatements({ supervisor, settings, functions, provide });
  return {
    statements,
    parquet: new ParquetFiles({ supervisor, folder: rowsDir, restartWaitMs: settings.restartWaitMs }),
    get engine() {
      return supervisor.engine;
    },
    prepareRedaction: () => statements.prepareRedaction(),
    memoryBytes: () =>
      all.flatMap(({ engine }, n) => {
        const bytes = engine?.residentBytes() ?? null;
        return bytes === null ? [] : [{ process: n === 0 ? 'engine' : `functions-${n}`, bytes }];
      }),
    close: async () => {
      await Promise.all(all.map(async (each) => await each.close([], closeDeadlineMs)));
    },
  };
}
