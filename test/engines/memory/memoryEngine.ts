import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/core/clock.ts';
import { Mutex } from '../../../src/core/concurrency/mutex.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type { Observe } from '../../../src/core/observation.ts';
import { openInstance } from '../../../src/engines/duckdb/process/instance.ts';
import { RedactedValues } from '../../../src/engines/duckdb/process/scripted/redactingFunctions.ts';
import { StatementSteps } from '../../../src/engines/duckdb/process/scripted/scriptedFunction.ts';
import { defaultEngineLimits } from '../../../src/googlesql/engineLimits.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { RemovalOfCommit, RemovedEvents } from '../../../src/ports/fileManifest.ts';
import type { StorageEngine } from '../../../src/ports/storageEngine.ts';
import { type RedactionConfig, redactorOf } from '../../../src/redact/redactionConfig.ts';
import { everythingRemoved, nothingRemoved } from '../../../src/retention/cutoffs.ts';
import type { EventDeletion } from '../../../src/retention/eventDeletion.ts';
import type { Removals } from '../../../src/retention/removals.ts';
import type { RetentionMark } from '../../../src/retention/retentionMark.ts';
import type { Source } from '../../../src/sources/source.ts';
import { MemoryLog } from './memoryLog.ts';
import { MemoryQueries } from './memoryQueries.ts';
import { type MemoryRow, MemoryRows } from './memoryRows.ts';

export interface MemoryEngineOptions {
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly observe: Observe;
  readonly removals: Removals;
  readonly openDeletions?: readonly EventDeletion[];
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Records removed events before a deletion is reported as complete. */
  readonly noteRemoval: (removal: RemovalOfCommit) => Promise<void>;
  readonly redaction: RedactionConfig;
  readonly redactionRowsMax: number;
  readonly memoryBytesMax: number;
}

export interface MemoryEngine extends StorageEngine {
  readonly rows: MemoryRows;
  readonly queries: MemoryQueries;
}

const enforceEveryMs = 60_000;

/**
 * An engine that keeps events in arrays, which proves that the port is sufficient for writing one. It uses the emitter
 * and a DuckDB in this process for queries, and nothing that stores files. Its data ends with it.
 */
export async function openMemoryEngine(options: MemoryEngineOptions): Promise<MemoryEngine> {
  const { clock, observe, removals } = options;
  const rows = new MemoryRows(removals);
  for (const { name } of options.sources) rows.addSource(name);
  const redactor = redactorOf(options.redaction);
  const redacted = new RedactedValues(options.redactionRowsMax);
  const steps = new StatementSteps();
  const folder = await mkdtemp(join(tmpdir(), 'logmill-memory-'));
  const instance = await openInstance(
    {
      eventsDir: join(folder, 'none'),
      spillDir: join(folder, 'spill'),
      threads: 1,
      memoryBytesMax: options.memoryBytesMax,
      spillBytesMax: 0,
      statementsMax: 8,
      redaction: options.redaction,
      redactionRowsMax: options.redactionRowsMax,
      hasScripted: true,
    },
    redacted,
    steps,
  );
  const queries = new MemoryQueries({ instance, redacted, steps, redactor, rows, removals });
  const removing = new Mutex();
  let open: readonly EventDeletion[] = options.openDeletions ?? [];

  const takeOut = async (): Promise<void> => {
    const nowMicros = clock.nowMicros();
    const deletions = removals.inForce;
    const removal = removalOf(rows, removals, nowMicros);
    await options.noteRemoval(removal);
    removals.mark(removal.marks);
    for (const source of rows.sources) rows.drop(source, (row) => rows.isRemoved(source, row, nowMicros));
    for (const deletion of deletions) removals.settle(deletion);
    for (const deletion of open) {
      await options.deletionDone(deletion);
      open = open.filter((each) => each !== deletion);
    }
  };
  const removeNow = async () => await removing.run(takeOut);
  const removeSoon = () => {
    removeNow().catch((cause: unknown) =>
      observe({ kind: 'warning', message: 'events could not be removed yet', cause }),
    );
  };
  const enforcing = setInterval(removeSoon, enforceEveryMs);
  enforcing.unref();

  return {
    name: 'memory',
    limits: defaultEngineLimits,
    log: new MemoryLog(rows, clock),
    queries,
    rows,
    barrier: redactor.description,
    isRowsScannedExact: true,
    findsDamage: false,
    isDurable: false,
    lastArrival: () => rows.lastArrival,
    ping: async (signal) => {
      signal.throwIfAborted();
      const connection = await instance.connect();
      await connection.run('SELECT 1');
      connection.closeSync();
    },
    addSource: async ({ name }) => rows.addSource(name),
    deleteEvents: async (register) =>
      await removing.run(async () => {
        const deletion = await register(rows.takeToken());
        removals.add(deletion);
        open = [...open, deletion];
        removeSoon();
        return deletion;
      }),
    deletionWaits: async (deletions) =>
      new Map(
        deletions.map((deletion) => [
          deletion.token,
          { isCarriedOut: !removals.isInForce(deletion.project, deletion.token), quarantined: [] },
        ]),
      ),
    removeNow,
    betweenRemovals: async (work) => await removing.run(work, { signal: busyAfter(5_000) }),
    close: async () => {
      clearInterval(enforcing);
      await removing.run(async () => {});
      await queries.settled();
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function busyAfter(ms: number): AbortSignal {
  const patience = new AbortController();
  const busy = new ServiceError('retention.busy', 'Events are being taken out; ask again in a few seconds.', {
    retryAfterSeconds: 5,
  });
  setTimeout(() => patience.abort(busy), ms).unref();
  return patience.signal;
}

/** The effect of taking out every row that is removed now. */
function removalOf(rows: MemoryRows, removals: Removals, nowMicros: number): RemovalOfCommit {
  const deleted = new Map<string, RemovedEvents>();
  const marks = new Map<string, RetentionMark>();
  for (const source of rows.sources) {
    for (const row of rows.all(source)) {
      if (!rows.isRemoved(source, row, nowMicros)) continue;
      const by = deletionOf(source, row, removals);
      if (by === null) {
        const mark = markOf(source, row.event.project, removals, nowMicros);
        marks.set(JSON.stringify([source, mark.project]), mark);
        continue;
      }
      const key = `${by.token} ${source}`;
      const known = deleted.get(key) ?? { deletion: by.token, source, events: 0, bytes: 0 };
      deleted.set(key, { ...known, events: known.events + 1, bytes: known.bytes + bytesOf(row.event) });
    }
  }
  return { deleted: [...deleted.values()], marks: [...marks.values()] };
}

/** The first deletion that takes the row; null if its age does. */
function deletionOf(source: string, { event, arrival }: MemoryRow, removals: Removals): EventDeletion | null {
  const found = removals
    .deletionsOf(source, event.project, arrival)
    .filter(({ beforeMicros }) => event.timestampMicros < (beforeMicros ?? everythingRemoved));
  return found.sort((a, b) => a.token - b.token)[0] ?? null;
}

function markOf(source: string, project: string, removals: Removals, nowMicros: number): RetentionMark {
  const hasOwn = removals.rules.ownOf(source).has(project);
  const none = Number.MAX_SAFE_INTEGER;
  const micros = hasOwn ? removals.cutoff(source, project, none, nowMicros) : removals.othersCutoff(source, nowMicros);
  return { source, project: hasOwn ? project : null, micros: Math.max(micros, nothingRemoved) };
}

const bytesOf = ({ eventMessage, metadata }: StoredEvent): number => eventMessage.length + (metadata?.length ?? 0);
