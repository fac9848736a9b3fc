import { setTimeout as delay } from 'node:timers/promises';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { systemTimer } from '../../../core/timer.ts';
import type { RunCaller, RunTime } from '../../../ports/queryEngine.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import { redactorOf } from '../../../redact/redactionConfig.ts';
import type {
  CutoffSearch,
  EncodedRows,
  EndOfRows,
  EngineRunner,
  NewestRows,
  Reads,
  RowsBounds,
  StatementRunner,
  StatementValue,
  StreamBounds,
  TakeFrame,
} from '../query/statementRunner.ts';
import type { TableRead } from '../query/tableRead.ts';
import type { DuckDbSettings } from '../settings.ts';
import { attributeCrash } from './crashAttribution.ts';
import type { EngineConnection, EngineReply } from './engineConnection.ts';
import { EngineDied, EngineFailure, memoryError, statementError } from './engineFailure.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import { FunctionPlaces } from './functionPlaces.ts';
import { processorTimeMs } from './processorTime.ts';
import {
  abortReason,
  creditFrames,
  interrupted,
  isScripted,
  newRun,
  notStreamed,
  overloaded,
  type Run,
  refuseTooLong,
  type StatementCall,
  tenantOf,
} from './statementRun.ts';

/**
 * The attempt failed, as far as is known not because of the statement, so it is repeated. If it ran out of memory, it
 * is repeated after its neighbours have ended, or after a while.
 */
type Repeat = 'repeat' | 'repeatLater';

interface EngineStatementsOptions {
  readonly supervisor: EngineSupervisor;
  readonly settings: DuckDbSettings;
  readonly functions: readonly FunctionPlace[];
  /** Makes the data that a statement reads available to a process that lacks it. */
  readonly provide?: Provide | null;
  /** Whether the process is one of several that run one statement at a time (decision 57). */
  readonly isAside?: boolean;
}

/**
 * Makes the data that a statement reads available in a process. Pauses the time of the statement while others keep it
 * waiting. The returned function is called once the statement has ended.
 */
export type Provide = (
  engine: EngineConnection,
  reads: readonly TableRead[],
  signal: AbortSignal,
  time: Pick<RunTime, 'pause' | 'resume'>,
) => Promise<() => Promise<void>>;

/** A process for statements with functions written in JavaScript. */
export interface FunctionPlace {
  readonly supervisor: EngineSupervisor;
  provide: Provide;
}

/**
 * How long a statement with functions in JavaScript may ignore its interrupt: its process runs nothing else, and others
 * wait for it.
 */
const functionGraceMs = 100;

/**
 * How long a statement that ran out of memory waits at most before each repetition. The first waits are short, because
 * the statement that holds the memory often fails for it too. It keeps its slot in the queue meanwhile.
 */
const memoryWaitsMs = [100, 200, 400, 1_000, 1_000, 1_000];

/**
 * A statement that ran longer before it ran out of memory had time to fill it, so it is repeated only once. On a busy
 * machine a small one may take as long.
 */
const shortMs = 1_000;
const longWaitsMs = [1_000];

/**
 * Runs statements in the engine process. A process that ends takes all its statements with it; those that did not end
 * it are repeated. If it is unclear which one did, they are repeated one at a time, so that a second end identifies it.
 * A statement that ran out of memory next to others is also repeated after they have ended, because they may have held
 * the memory: other statements, else whatever the process does, such as merging files.
 */
export class EngineStatements implements EngineRunner {
  readonly redactor: Redactor;
  readonly #supervisor: EngineSupervisor;
  readonly #settings: DuckDbSettings;
  readonly #slots: Semaphore;
  /** Runners over each function process; empty if this is one of them. */
  readonly #functions: readonly EngineStatements[];
  readonly #places: FunctionPlaces;
  readonly #suspects = new Mutex();
  /** Number of suspects by tenant; without zeros. */
  readonly #suspected = new Map<string, number>();
  /** Running statements by process, with the end of each attempt. */
  readonly #runs = new Map<EngineConnection, Map<Run, Promise<void>>>();
  readonly #provide: Provide | null;
  readonly #isAside: boolean;
  readonly #guilty = new WeakMap<EngineConnection, ReadonlySet<Run>>();

  constructor({ supervisor, settings, functions, provide = null, isAside = false }: EngineStatementsOptions) {
    this.#supervisor = supervisor;
    this.#settings = settings;
    this.#provide = provide;
    this.#isAside = isAside;
    this.redactor = redactorOf(settings.redaction);
    this.#slots = new Semaphore(settings.statementsMax);
    this.#places = new FunctionPlaces({
      count: functions.length,
      isReady: (place) => functions[place]?.supervisor.engine !== null,
      processorMs: (place) => {
        const engine = functions[place]?.supervisor.engine;
        return engine === undefined || engine === null ? null : processorTimeMs(engine.pid);
      },
      waitingMax: settings.statementQueueMax,
      waitingMaxByOwner: Math.ceil(settings.statementQueueMax / 8),
      waitMsMax: settings.functionWaitMs,
      timer: systemTimer,
      onOverload: overloaded,
    });
    this.#functions = functions.map(
      (each) =>
        new EngineStatements({
          supervisor: each.supervisor,
          settings: {
            ...settings,
            statementsMax: 1,
            interruptGraceMs: Math.min(settings.interruptGraceMs, functionGraceMs),
          },
          functions: [],
          provide: each.provide.bind(each),
          isAside: true,
        }),
    );
  }

  /** Starts the function processes, unless they were started before. Does not wait for them. */
  startFunctions(): void {
    for (const each of this.#functions) each.#supervisor.startAhead();
  }

  /** Like `startFunctions`, and warms the redaction of the processes. */
  prepareRedaction(): void {
    for (const each of this.#functions) each.#supervisor.prepareRedaction();
  }

  boundTo(
    projects: readonly string[] | null,
    redactionTag: number | null = null,
    time: RunTime = unlimited,
    caller: RunCaller = {},
    held: readonly string[] = [],
  ): StatementRunner {
    const without = { projects, held, redactionTag, cutoff: null, rowsMax: 0, bytesMax: 0 };
    const of = (reads: Reads = () => []) => ({ reads, time, caller });
    return {
      runRows: async (sql, bounds, signal, reads) => {
        return rowsOf(await this.#run({ ...without, mode: 'rows', sql, ...bounds }, signal, of(reads)));
      },
      streamRows: async (sql, bounds, take, signal, reads) =>
        await this.#stream({ ...without, mode: 'rows', sql, ...bounds, creditFrames }, take, signal, of(reads)),
      runNewest: async (cutoff, sql, bounds, signal, reads) => {
        const reply = await this.#run({ ...without, mode: 'rows', sql, cutoff, ...bounds }, signal, of(reads));
        const [micros, found] = reply.gives.values[0] ?? [];
        return {
          ...rowsOf(reply),
          cutoff: { micros: typeof micros === 'string' ? BigInt(micros) : null, found: Number(found) },
        };
      },
      runValues: async (sql, signal, reads) =>
        (await this.#run({ ...without, mode: 'values', sql }, signal, of(reads))).gives.values,
      explain: async (sql, signal, reads) =>
        (await this.#run({ ...without, mode: 'explain', sql }, signal, of(reads))).gives.text,
    };
  }

  async runRows(sql: string, bounds: RowsBounds, signal: AbortSignal): Promise<EncodedRows> {
    return await this.boundTo(null).runRows(sql, bounds, signal);
  }

  async streamRows(sql: string, bounds: StreamBounds, take: TakeFrame, signal: AbortSignal): Promise<EndOfRows> {
    return await this.boundTo(null).streamRows(sql, bounds, take, signal);
  }

  async runNewest(search: CutoffSearch, sql: string, bounds: RowsBounds, signal: AbortSignal): Promise<NewestRows> {
    return await this.boundTo(null).runNewest(search, sql, bounds, signal);
  }

  async runValues(sql: string, signal: AbortSignal): Promise<readonly (readonly StatementValue[])[]> {
    return await this.boundTo(null).runValues(sql, signal);
  }

  async explain(sql: string, signal: AbortSignal): Promise<string> {
    return await this.boundTo(null).explain(sql, signal);
  }

  async #run(
    call: StatementCall,
    signal: AbortSignal,
    given: Pick<Run, 'reads' | 'time' | 'caller'>,
  ): Promise<EngineReply<'statement'>> {
    refuseTooLong(call);
    if (this.#functions.length > 0 && isScripted(call)) return await this.#runAside(call, signal, given);
    const run = newRun(call, signal, given);
    try {
      // Waiting for a process costs the statement no time; its clock starts again when it has one.
      if (this.#isAside) run.time.pause();
      return await this.#inSlot(run);
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw statementError(error);
    }
  }

  /**
   * Runs a statement whose rows are taken while it runs. It takes no slot, because a reader may keep it waiting; whoever
   * starts streams limits their number. It is not repeated, because its first rows may have been taken.
   */
  async #stream(
    call: StatementCall,
    take: TakeFrame,
    signal: AbortSignal,
    given: Pick<Run, 'reads' | 'time' | 'caller'>,
  ): Promise<EndOfRows> {
    refuseTooLong(call);
    if (isScripted(call)) throw notStreamed();
    const run = newRun(call, signal, given, take);
    try {
      const reply = await this.#attempt(run);
      if (reply === 'repeatLater') throw memoryError();
      if (reply === 'repeat') throw interrupted();
      await run.feed?.taken;
      const { rowCount, hasMore, cutByBytes } = reply.gives;
      return { rowCount, hasMore, cutByBytes };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      // Not a failure of the engine, so its receiver gets it back as it is.
      if (run.feed?.failure !== undefined) throw run.feed.failure.cause;
      throw statementError(error);
    } finally {
      if (run.isSuspect) this.#countSuspects(run, -1);
    }
  }

  /** Runs a statement in one of the function processes, and again if it had to yield. Neither costs it time. */
  async #runAside(
    call: StatementCall,
    signal: AbortSignal,
    given: Pick<Run, 'reads' | 'time' | 'caller'>,
  ): Promise<EngineReply<'statement'>> {
    const { caller, time } = given;
    caller.stepsAside?.();
    const tenant = caller.tenant ?? '';
    time.pause();
    try {
      return await this.#places.use(
        { tenant, owner: caller.owner ?? tenant },
        signal,
        async (place, yielding, begins) => {
          const functions = this.#functions[place];
          // Another tenant may soon need the others, and must not wait until they are started.
          this.startFunctions();
          if (functions === undefined) throw new Error(`there is no function process ${place}`);
          const whenReady = (goOn: () => void) => () => {
            begins();
            goOn();
          };
          const timed = {
            pause: () => time.pause(),
            resume: whenReady(() => time.resume()),
            restart: whenReady(() => time.restart()),
          };
          return await functions.#run(call, yielding, { ...given, time: timed }).finally(() => {
            if (yielding.aborted) time.restart();
            time.pause();
          });
        },
      );
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw error;
    } finally {
      time.resume();
    }
  }

  async #inSlot(run: Run): Promise<EngineReply<'statement'>> {
    const inPlace = async () => {
      // Unbounded, because crash attribution finds the statement that ends the process, and the statement's own time
      // limits it.
      for (;;) {
        const reply = run.isSuspect || this.#mayFrame(run) ? await this.#inTurn(run) : await this.#attempt(run);
        if (typeof reply === 'object') return reply;
        if (reply === 'repeat') continue;
        run.memoryRepeats++;
        await afterAll(run.neighbours, run);
      }
    };
    try {
      if (this.#slots.isFull(this.#settings.statementQueueMax)) throw overloaded(5);
      return await this.#slots.run(inPlace, { owner: tenantOf(run), signal: run.signal });
    } finally {
      if (run.isSuspect) this.#countSuspects(run, -1);
    }
  }

  /**
   * Whether a statement that ends a process again would incriminate the suspect of another tenant, because its own
   * tenant is suspected too.
   */
  #mayFrame(run: Run): boolean {
    return this.#suspected.size > 1 && this.#suspected.has(tenantOf(run));
  }

  #countSuspects(run: Run, change: 1 | -1): void {
    const count = (this.#suspected.get(tenantOf(run)) ?? 0) + change;
    if (count === 0) this.#suspected.delete(tenantOf(run));
    else this.#suspected.set(tenantOf(run), count);
  }

  /** Runs one suspect at a time, with tenants in turn. Waiting for others costs the statement no time. */
  async #inTurn(run: Run): Promise<EngineReply<'statement'> | Repeat> {
    run.time.pause();
    return await this.#suspects.run(() => this.#attempt(run), { owner: tenantOf(run), signal: run.signal });
  }

  async #attempt(run: Run): Promise<EngineReply<'statement'> | Repeat> {
    const engine = await this.#ready(run);
    if (this.#provide === null) return await this.#attemptIn(engine, run);
    let release: () => Promise<void>;
    try {
      release = await this.#provide(engine, run.reads(), run.signal, run.time);
    } catch (error) {
      if (error instanceof EngineDied && engine.hasEnded) return 'repeat';
      throw error;
    }
    try {
      return await this.#attemptIn(engine, run);
    } finally {
      await release();
    }
  }

  async #attemptIn(engine: EngineConnection, run: Run): Promise<EngineReply<'statement'> | Repeat> {
    const { call, signal, feed } = run;
    const runs = this.#runs.get(engine) ?? new Map<Run, Promise<void>>();
    this.#runs.set(engine, runs);
    run.hadNeighbours = runs.size > 0;
    for (const other of runs.keys()) other.hadNeighbours = true;
    let hasEnded = () => {};
    runs.set(run, new Promise((resolve) => (hasEnded = resolve)));
    run.bytesBefore = engine.residentBytes() ?? 0;
    const startedMs = performance.now();
    const { id, reply } = engine.start('statement', call, [], feed?.onPart);
    const tell = (name: 'cancel' | 'credit') =>
      void engine.call(name, { target: id }).catch(() => {
        // The process has ended, and the statement with it.
      });
    let expectTimer: NodeJS.Timeout | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      // A reader that leaves aborts the signal and also fails to take rows.
      if (killTimer !== undefined) return;
      tell('cancel');
      const { interruptGraceMs } = this.#settings;
      // A process for functions runs nothing else, so ending it harms nobody.
      const graceMs = this.#isAside ? interruptGraceMs : (run.caller.graceMs ?? interruptGraceMs);
      expectTimer = setTimeout(() => this.#supervisor.expectEnd(engine), graceMs / 8);
      killTimer = setTimeout(() => {
        run.isStuck = true;
        this.#supervisor.kill(engine, 'stuck');
      }, graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    feed?.begin({ credit: () => tell('credit'), cancel: onAbort });
    try {
      return await reply;
    } catch (error) {
      if (error instanceof EngineDied) {
        if (!this.#judge(engine).has(run)) return 'repeat';
        throw this.#supervisor.killReason(engine) === 'memory' ? memoryError(error) : error;
      }
      if (isSpilled(error)) this.#supervisor.kill(engine, 'disk', error);
      if (!isMemoryFailure(error) || signal.aborted || feed !== null) throw error;
      const waitsMs = performance.now() - startedMs > shortMs ? longWaitsMs : memoryWaitsMs;
      const waitMs = waitsMs[run.memoryRepeats];
      const statements = [...runs].filter(([other]) => other !== run).map(([, end]) => end);
      const neighbours = statements.length > 0 ? statements : engine.endsOfCalls();
      // The statement that held the memory may have failed for it a moment earlier.
      if (waitMs === undefined || (neighbours.length === 0 && !run.hadNeighbours)) throw error;
      run.neighbours = { ends: neighbours, waitMs };
      return 'repeatLater';
    } finally {
      feed?.end();
      clearTimeout(expectTimer);
      clearTimeout(killTimer);
      signal.removeEventListener('abort', onAbort);
      hasEnded();
      runs.delete(run);
      if (runs.size === 0) this.#runs.delete(engine);
    }
  }

  /** Waits for the process, which costs the statement no time. */
  async #ready(run: Run): Promise<EngineConnection> {
    const { engine } = this.#supervisor;
    if (engine !== null) {
      run.time.resume();
      return engine;
    }
    run.time.pause();
    const { restartWaitMs, functionWaitMs } = this.#settings;
    // A function process is started by its first use, so a call waits for it as it would wait for a busy one.
    const waitMs = this.#isAside ? Math.max(restartWaitMs, functionWaitMs) : restartWaitMs;
    const started = await this.#supervisor.readyWithin(waitMs, run.signal);
    goOn(run);
    return started;
  }

  /** The statements that ended a process. Decided once, when the first statement learns of the end. */
  #judge(engine: EngineConnection): ReadonlySet<Run> {
    const known = this.#guilty.get(engine);
    if (known !== undefined) return known;
    const runs = [...(this.#runs.get(engine)?.keys() ?? [])];
    const reason = this.#supervisor.killReason(engine);
    const { guilty, suspects } = attributeCrash(reason, runs, this.#settings.processBytesMax);
    for (const run of suspects) {
      if (!run.isSuspect) this.#countSuspects(run, 1);
      run.isSuspect = true;
    }
    // A statement that leaves or yields ends only a process that ran nothing else.
    if (!this.#isAside || reason !== 'stuck') for (const run of guilty) run.caller.blamed?.();
    // An end with a known reason says nothing about the other statements.
    if (guilty.size === 0 && reason !== 'disk') for (const run of runs) run.processEnds++;
    this.#guilty.set(engine, guilty);
    return guilty;
  }
}

/** Whether the device refused to store what the statement spilled. */
const isSpilled = (error: unknown): boolean =>
  error instanceof EngineFailure && error.failure.kind === 'disk' && error.failure.detail.includes('/duckdb_temp_');

const isMemoryFailure = (error: unknown): boolean => error instanceof EngineFailure && error.failure.kind === 'memory';

/**
 * Waits at most `waitMs` until all have ended, at no cost to the run's time. @throws the signal's reason if
 * it aborts first
 */
async function afterAll({ ends, waitMs }: Run['neighbours'], run: Run): Promise<void> {
  const { signal, time } = run;
  time.pause();
  const isOver = new AbortController();
  const waited = delay(waitMs, undefined, { signal: AbortSignal.any([signal, isOver.signal]) });
  try {
    await Promise.race([Promise.all(ends), waited]);
  } finally {
    isOver.abort();
  }
  goOn(run);
}

/** A suspect keeps only its remaining time, so that no query takes twice its time by ending its process. */
function goOn({ isSuspect, time }: Run): void {
  if (isSuspect) time.resume();
  else time.restart();
}

const unlimited: RunTime = { pause: () => {}, resume: () => {}, restart: () => {} };

function rowsOf({ gives, payload }: EngineReply<'statement'>): EncodedRows {
  const { rowCount, hasMore, cutByBytes, pageKeys, shortKeyRows, rowKeys } = gives;
  const keys = {
    ...(pageKeys === null ? {} : { pageKeys }),
    ...(shortKeyRows === undefined ? {} : { shortKeyRows }),
    ...(rowKeys === undefined ? {} : { rowKeys }),
  };
  return { rows: payload, rowCount, hasMore, cutByBytes, ...keys };
}
