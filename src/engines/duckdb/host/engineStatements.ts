import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { ServiceError } from '../../../core/errors.ts';
import { systemTimer } from '../../../core/timer.ts';
import type { RunCaller, RunTime } from '../../../ports/queryEngine.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import { redactorOf } from '../../../redact/redactionConfig.ts';
import { tooLong } from '../emit/emission.ts';
import { scriptedNames } from '../functions/scriptedNames.ts';
import type { EngineCalls } from '../process/protocol.ts';
import { heldStatementCharsMax } from '../process/sandbox/projectIsolation.ts';
import type {
  CutoffSearch,
  EncodedRows,
  EngineRunner,
  NewestRows,
  Reads,
  RowsBounds,
  StatementRunner,
  StatementValue,
} from '../query/statementRunner.ts';
import type { DuckDbSettings } from '../settings.ts';
import { attributeCrash, type Involved } from './crashAttribution.ts';
import type { EngineConnection, EngineReply } from './engineConnection.ts';
import { EngineDied, EngineFailure, memoryError, statementError } from './engineFailure.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import { FunctionPlaces } from './functionPlaces.ts';
import type { FunctionProcess } from './functionProcess.ts';

/** One statement on its way through the engine, over all of its attempts. */
interface Run extends Involved {
  readonly call: StatementCall;
  readonly reads: Reads;
  readonly caller: RunCaller;
  readonly signal: AbortSignal;
  readonly time: RunTime;
  isSuspect: boolean;
  isStuck: boolean;
  bytesBefore: number;
  processEnds: number;
  /** How often it was repeated for memory; bounded on its own. */
  memoryRepeats: number;
  /** The other statements that shared the memory of the process when this one found none. */
  neighbours: readonly Promise<void>[];
}

type StatementCall = EngineCalls['statement']['takes'];

/**
 * The attempt came to nothing, and not, as far as is known, by the statement's own doing: it is repeated,
 * where it found no memory when its neighbours have ended.
 */
type Repeat = 'repeat' | 'repeatLater';

interface EngineStatementsOptions {
  readonly supervisor: EngineSupervisor;
  readonly settings: DuckDbSettings;
  readonly functions: readonly FunctionProcess[];
  /** Has a process see what a statement reads, where it does not have the files. */
  readonly provide?: FunctionProcess['provide'] | null;
}

/** How long a statement with functions in JavaScript may ignore its interrupt: its process runs nothing else, and others wait for it. */
const functionGraceMs = 250;

/** A statement that found no memory is repeated so often at most. */
const memoryRepeatsMax = 2;

/** A statement that ran longer before it found no memory had time to fill it: it is not repeated. */
const shortMs = 1_000;

/** How long a statement that found no memory waits for those beside it: its place is not free meanwhile. */
const neighbourWaitMs = 1_000;

/**
 * The runner over the engine process. A process that ends takes all its statements with it: those
 * that are not to blame are repeated. Where it is not plain which one is to blame, they are repeated
 * one at a time, so that a second end names it. A statement that soon found no memory beside others is
 * repeated as well, when those have ended: what it lacked, they held.
 */
export class EngineStatements implements EngineRunner {
  readonly redactor: Redactor;
  readonly #supervisor: EngineSupervisor;
  readonly #settings: DuckDbSettings;
  readonly #slots: Semaphore;
  /** Over each process for functions in JavaScript; none where this is one of them. */
  readonly #functions: readonly EngineStatements[];
  readonly #places: FunctionPlaces;
  readonly #suspects = new Semaphore(1, Number.POSITIVE_INFINITY, () => new Error('unbounded'));
  /** How many statements of each tenant are suspects; none of 0. */
  readonly #suspected = new Map<string, number>();
  /** What each process runs, with the end of the attempt. */
  readonly #runs = new Map<EngineConnection, Map<Run, Promise<void>>>();
  readonly #provide: FunctionProcess['provide'] | null;
  readonly #guilty = new WeakMap<EngineConnection, ReadonlySet<Run>>();

  constructor({ supervisor, settings, functions, provide = null }: EngineStatementsOptions) {
    this.#supervisor = supervisor;
    this.#settings = settings;
    this.#provide = provide;
    this.redactor = redactorOf(settings.redaction);
    this.#slots = new Semaphore(settings.statementsMax, settings.statementQueueMax, () => overloaded(5));
    this.#places = new FunctionPlaces({
      count: functions.length,
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
        }),
    );
  }

  boundTo(
    projects: readonly string[] | null,
    redactionTag: number | null = null,
    time: RunTime = unlimited,
    caller: RunCaller = {},
  ): StatementRunner {
    const without = { projects, redactionTag, cutoff: null, rowsMax: 0, bytesMax: 0 };
    const of = (reads: Reads = () => []) => ({ reads, time, caller });
    return {
      runRows: async (sql, bounds, signal, reads) => {
        return rowsOf(await this.#run({ ...without, mode: 'rows', sql, ...bounds }, signal, of(reads)));
      },
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
    const chars = Math.max(call.sql.length, call.cutoff?.sql.length ?? 0);
    if (call.projects !== null && chars > heldStatementCharsMax) throw tooLong();
    if (this.#functions.length > 0 && isScripted(call)) return await this.#runAside(call, signal, given);
    const run: Run = {
      ...given,
      call,
      signal,
      isSuspect: false,
      isStuck: false,
      bytesBefore: 0,
      processEnds: 0,
      memoryRepeats: 0,
      neighbours: [],
    };
    try {
      // To wait for a place costs the statement no time; it goes on when it has a process.
      if (this.#provide !== null) run.time.pause();
      return await this.#inSlot(run);
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw statementError(error);
    }
  }

  /** In one of the processes for functions in JavaScript, and again where it had to yield its place: neither costs it time. */
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
          if (functions === undefined) throw new Error(`there is no process ${place}`);
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
      // As often as it needs: whoever ends a process under it is found out, and its own time bounds it.
      for (;;) {
        const reply = run.isSuspect || this.#mayFrame(run) ? await this.#inTurn(run) : await this.#attempt(run);
        if (typeof reply === 'object') return reply;
        if (reply === 'repeat') continue;
        run.memoryRepeats++;
        await afterAll(run.neighbours, run);
      }
    };
    try {
      return await this.#slots.use(run.signal, inPlace, tenantOf(run));
    } finally {
      if (run.isSuspect) this.#countSuspects(run, -1);
    }
  }

  /**
   * Whether a statement that ended a process again beside the suspect of another tenant would have that one taken for it: the
   * tenant is suspected itself.
   */
  #mayFrame(run: Run): boolean {
    return this.#suspected.size > 1 && this.#suspected.has(tenantOf(run));
  }

  #countSuspects(run: Run, change: 1 | -1): void {
    const count = (this.#suspected.get(tenantOf(run)) ?? 0) + change;
    if (count === 0) this.#suspected.delete(tenantOf(run));
    else this.#suspected.set(tenantOf(run), count);
  }

  /** One suspect at a time, tenants by turns; the time that others take is not its own. */
  async #inTurn(run: Run): Promise<EngineReply<'statement'> | Repeat> {
    run.time.pause();
    return await this.#suspects.use(run.signal, async () => await this.#attempt(run), tenantOf(run));
  }

  async #attempt(run: Run): Promise<EngineReply<'statement'> | Repeat> {
    const engine = await this.#ready(run);
    if (this.#provide === null) return await this.#attemptIn(engine, run);
    let release: () => Promise<void>;
    try {
      release = await this.#provide(engine, run.reads(), run.signal);
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
    const { call, signal } = run;
    const runs = this.#runs.get(engine) ?? new Map<Run, Promise<void>>();
    this.#runs.set(engine, runs);
    let hasEnded = () => {};
    runs.set(run, new Promise((resolve) => (hasEnded = resolve)));
    run.bytesBefore = engine.memory.read() ?? 0;
    const startedMs = performance.now();
    const { id, reply } = engine.start('statement', call);
    let expectTimer: NodeJS.Timeout | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      void engine.call('cancel', { target: id }).catch(() => {
        // The process has ended, and the statement with it.
      });
      const graceMs = this.#settings.interruptGraceMs;
      expectTimer = setTimeout(() => this.#supervisor.expectEnd(engine), graceMs / 8);
      killTimer = setTimeout(() => {
        run.isStuck = true;
        this.#supervisor.kill(engine, 'stuck');
      }, graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await reply;
    } catch (error) {
      if (error instanceof EngineDied) {
        if (!this.#judge(engine).has(run)) return 'repeat';
        throw this.#supervisor.killReason(engine) === 'memory' ? memoryError(error) : error;
      }
      if (isSpilled(error)) this.#supervisor.kill(engine, 'disk');
      const neighbours = [...runs].filter(([other]) => other !== run).map(([, end]) => end);
      const mayRepeat = run.memoryRepeats < memoryRepeatsMax && neighbours.length > 0 && !signal.aborted;
      if (!mayRepeat || !isMemoryFailure(error) || performance.now() - startedMs > shortMs) throw error;
      run.neighbours = neighbours;
      return 'repeatLater';
    } finally {
      clearTimeout(expectTimer);
      clearTimeout(killTimer);
      signal.removeEventListener('abort', onAbort);
      hasEnded();
      runs.delete(run);
      if (runs.size === 0) this.#runs.delete(engine);
    }
  }

  /** The process, when there is one. To wait for it costs the statement no time. */
  async #ready(run: Run): Promise<EngineConnection> {
    const { engine } = this.#supervisor;
    if (engine !== null) {
      run.time.resume();
      return engine;
    }
    run.time.pause();
    const started = await this.#supervisor.readyWithin(this.#settings.restartWaitMs, run.signal);
    goOn(run);
    return started;
  }

  /** The statements to blame for the end of a process; decided once, when the first of them hears of it. */
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
    // Whoever leaves, or yields, has a process ended that ran nothing else.
    if (this.#provide === null || reason !== 'stuck') for (const run of guilty) run.caller.blamed?.();
    // An end whose reason is known says nothing about the others.
    if (guilty.size === 0 && reason !== 'disk') for (const run of runs) run.processEnds++;
    this.#guilty.set(engine, guilty);
    return guilty;
  }
}

const tenantOf = ({ caller }: Run): string => caller.tenant ?? '';

const scriptedCall = new RegExp(`\\b(?:${Object.values(scriptedNames).join('|')})\\(`);

/** Whether a statement may have a function that is worked out in JavaScript. Of a text that only looks like one, the answer is the same. */
function isScripted({ sql, cutoff, redactionTag }: StatementCall): boolean {
  return redactionTag !== null || scriptedCall.test(sql) || (cutoff !== null && scriptedCall.test(cutoff.sql));
}

/** Whether the device refused a write of what the statement spilled. */
const isSpilled = (error: unknown): boolean =>
  error instanceof EngineFailure && error.failure.kind === 'disk' && error.failure.detail.includes('/duckdb_temp_');

const isMemoryFailure = (error: unknown): boolean => error instanceof EngineFailure && error.failure.kind === 'memory';

/** Waits until all of them have ended, and not for long, at no cost to the run's time. @throws the signal's reason when it aborts first. */
async function afterAll(ends: readonly Promise<void>[], run: Run): Promise<void> {
  const { signal, time } = run;
  time.pause();
  const isOver = new AbortController();
  const waited = delay(neighbourWaitMs, undefined, { signal: AbortSignal.any([signal, isOver.signal]) });
  try {
    await Promise.race([Promise.all(ends), waited]);
  } finally {
    isOver.abort();
  }
  goOn(run);
}

/** Whoever may have ended its process has only the time that it had left, so that no query takes twice its time by that. */
function goOn({ isSuspect, time }: Run): void {
  if (isSuspect) time.resume();
  else time.restart();
}

const unlimited: RunTime = { pause: () => {}, resume: () => {}, restart: () => {} };

function rowsOf({ gives, payload }: EngineReply<'statement'>): EncodedRows {
  return { rows: payload, rowCount: gives.rowCount, hasMore: gives.hasMore, cutByBytes: gives.cutByBytes };
}

function abortReason(signal: AbortSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  return new ServiceError('query.cancelled', 'The query was ended before it finished.', { cause: signal.reason });
}

const overloaded = (retryAfterSeconds: number): ServiceError =>
  new ServiceError(
    'query.overloaded',
    'Too many queries are waiting for the engine. Send the call again after the time in Retry-After.',
    { retryAfterSeconds },
  );
