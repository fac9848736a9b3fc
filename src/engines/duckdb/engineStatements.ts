import { ServiceError } from '../../core/errors.ts';
import type { Redactor } from '../../redact/createRedactor.ts';
import { redactorOf } from '../../redact/redactionConfig.ts';
import { tooLong } from './emit/emission.ts';
import type { EngineConnection, EngineReply } from './engineConnection.ts';
import { EngineDied, memoryError, statementError } from './engineFailure.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import type { EngineCalls } from './process/protocol.ts';
import { heldStatementCharsMax } from './process/tenantWall.ts';
import type { DuckDbSettings } from './settings.ts';
import { Slots } from './slots.ts';
import type {
  CutoffSearch,
  EncodedRows,
  EngineRunner,
  NewestRows,
  RowsBounds,
  StatementRunner,
  StatementValue,
} from './statementRunner.ts';

/** One statement on its way through the engine, over both of its attempts. */
interface Run {
  /** It ran in a process that ended for a reason not known to be another statement's. */
  isSuspect: boolean;
  /** The process was killed because this statement did not stop. */
  isStuck: boolean;
}

type StatementCall = EngineCalls['statement']['takes'];

/**
 * The runner over the engine process. A process that ends takes all its statements with it: those
 * that are not to blame are repeated once. Where it is not plain which one is to blame, they are
 * repeated one at a time, so that a second end names it.
 */
export class EngineStatements implements EngineRunner {
  readonly redactor: Redactor;
  readonly #supervisor: EngineSupervisor;
  readonly #settings: DuckDbSettings;
  readonly #slots: Slots;
  readonly #suspects = new Slots(1, Number.POSITIVE_INFINITY, () => new Error('unbounded'));
  /**
   * Statements that redact run one at a time: all of them are worked out by the one thread that also hears
   * what the process is told, and two together leave it no pause (measured: four, ten seconds without one).
   */
  readonly #redacting: Slots;
  readonly #runs = new Map<EngineConnection, Set<Run>>();
  readonly #guilty = new WeakMap<EngineConnection, ReadonlySet<Run>>();

  constructor(supervisor: EngineSupervisor, settings: DuckDbSettings) {
    this.#supervisor = supervisor;
    this.#settings = settings;
    this.redactor = redactorOf(settings.redaction);
    this.#slots = new Slots(settings.statementsMax, settings.statementQueueMax, overloaded);
    this.#redacting = new Slots(1, settings.statementQueueMax, overloaded);
  }

  boundTo(projects: readonly string[] | null, redactionTag: number | null = null): StatementRunner {
    const without = { projects, redactionTag, cutoff: null, rowsMax: 0, bytesMax: 0 };
    return {
      runRows: async (sql, bounds, signal) => {
        return rowsOf(await this.#run({ ...without, mode: 'rows', sql, ...bounds }, signal));
      },
      runNewest: async (cutoff, sql, bounds, signal) => {
        const reply = await this.#run({ ...without, mode: 'rows', sql, cutoff, ...bounds }, signal);
        const [micros, found] = reply.gives.values[0] ?? [];
        return {
          ...rowsOf(reply),
          cutoff: { micros: typeof micros === 'string' ? BigInt(micros) : null, found: Number(found) },
        };
      },
      runValues: async (sql, signal) => (await this.#run({ ...without, mode: 'values', sql }, signal)).gives.values,
      explain: async (sql, signal) => (await this.#run({ ...without, mode: 'explain', sql }, signal)).gives.text,
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

  async #run(call: StatementCall, signal: AbortSignal): Promise<EngineReply<'statement'>> {
    const chars = Math.max(call.sql.length, call.cutoff?.sql.length ?? 0);
    if (call.projects !== null && chars > heldStatementCharsMax) throw tooLong();
    const run: Run = { isSuspect: false, isStuck: false };
    try {
      if (call.redactionTag === null) return await this.#inSlot(call, run, signal);
      return await this.#redacting.use(signal, async () => await this.#inSlot(call, run, signal));
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw statementError(error);
    }
  }

  async #inSlot(call: StatementCall, run: Run, signal: AbortSignal): Promise<EngineReply<'statement'>> {
    return await this.#slots.use(signal, async () => {
      const first = await this.#attempt(call, run, signal);
      if (first !== 'repeat') return first;
      const second = run.isSuspect
        ? await this.#suspects.use(signal, async () => await this.#attempt(call, run, signal))
        : await this.#attempt(call, run, signal);
      if (second !== 'repeat') return second;
      throw new ServiceError('engine.failed', 'The query engine was restarted twice under this query. Try again.');
    });
  }

  async #attempt(call: StatementCall, run: Run, signal: AbortSignal): Promise<EngineReply<'statement'> | 'repeat'> {
    const engine = await this.#supervisor.readyWithin(this.#settings.restartWaitMs, signal);
    const runs = this.#runs.get(engine) ?? new Set();
    this.#runs.set(engine, runs);
    runs.add(run);
    const { id, reply } = engine.start('statement', call);
    let killTimer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      void engine.call('cancel', { target: id }).catch(() => {
        // The process has ended, and the statement with it.
      });
      killTimer = setTimeout(() => {
        run.isStuck = true;
        this.#supervisor.kill(engine, 'stuck');
      }, this.#settings.interruptGraceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await reply;
    } catch (error) {
      if (!(error instanceof EngineDied)) throw error;
      if (!this.#judge(engine).has(run)) return 'repeat';
      throw this.#supervisor.killReason(engine) === 'memory' ? memoryError(error) : error;
    } finally {
      clearTimeout(killTimer);
      signal.removeEventListener('abort', onAbort);
      runs.delete(run);
      if (runs.size === 0) this.#runs.delete(engine);
    }
  }

  /** The statements to blame for the end of a process; decided once, when the first of them hears of it. */
  #judge(engine: EngineConnection): ReadonlySet<Run> {
    const known = this.#guilty.get(engine);
    if (known !== undefined) return known;
    const runs = [...(this.#runs.get(engine) ?? [])];
    const reason = this.#supervisor.killReason(engine);
    let guilty = runs.filter((run) => (reason === 'stuck' ? run.isStuck : run.isSuspect));
    if (reason === 'memory' && guilty.length === 0 && runs.length === 1) guilty = runs;
    if (reason !== 'stuck' && guilty.length === 0) for (const run of runs) run.isSuspect = true;
    const judged = new Set(guilty);
    this.#guilty.set(engine, judged);
    return judged;
  }
}

function rowsOf({ gives, payload }: EngineReply<'statement'>): EncodedRows {
  return { rows: payload, rowCount: gives.rowCount, hasMore: gives.hasMore, cutByBytes: gives.cutByBytes };
}

function abortReason(signal: AbortSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  return new ServiceError('query.cancelled', 'The query was ended before it finished.', { cause: signal.reason });
}

const overloaded = (): ServiceError =>
  new ServiceError('query.overloaded', 'Too many queries are waiting for the engine. Try again in a second.', {
    retryAfterSeconds: 1,
  });
