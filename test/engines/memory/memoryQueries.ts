import type { DuckDBInstance } from '@duckdb/node-api';
import { atOnce } from '../../../src/core/concurrency/turns.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { rowsStatement } from '../../../src/engines/duckdb/emit/emitStatement.ts';
import { recordsInSteps } from '../../../src/engines/duckdb/emit/recordsProfile.ts';
import type { ScanChoice } from '../../../src/engines/duckdb/emit/scanChoice.ts';
import { EngineFailure, statementError } from '../../../src/engines/duckdb/host/engineFailure.ts';
import { callFailure } from '../../../src/engines/duckdb/process/callFailure.ts';
import { type Job, Statements } from '../../../src/engines/duckdb/process/read/statements.ts';
import type { RedactedValues } from '../../../src/engines/duckdb/process/scripted/redactingFunctions.ts';
import type { StatementSteps } from '../../../src/engines/duckdb/process/scripted/scriptedFunction.ts';
import { dataBegins, removedSoFar } from '../../../src/engines/duckdb/query/dataBegins.ts';
import { planRedaction } from '../../../src/engines/duckdb/query/planRedaction.ts';
import { defaultEngineLimits } from '../../../src/googlesql/engineLimits.ts';
import { UnknownTimeError } from '../../../src/googlesql/plan/lateBoundTimes.ts';
import { type QueryPlan, QueryPlanner } from '../../../src/googlesql/plan/queryPlan.ts';
import type { ScanBounds } from '../../../src/googlesql/plan/scanBounds.ts';
import type { Column } from '../../../src/googlesql/resolve/tree.ts';
import type { Explanation, QueryEngine, QueryResult, RunRequest, RunTime } from '../../../src/ports/queryEngine.ts';
import type { Redactor } from '../../../src/redact/createRedactor.ts';
import type { Removals } from '../../../src/retention/removals.ts';
import type { MemoryRow, MemoryRows } from './memoryRows.ts';
import { type LoadedTable, MemoryTables } from './memoryTables.ts';

export interface MemoryQueriesOptions {
  readonly instance: DuckDBInstance;
  readonly redacted: RedactedValues;
  readonly steps: StatementSteps;
  readonly redactor: Redactor;
  readonly rows: MemoryRows;
  readonly removals: Removals;
}

/** How often a statement is interrupted until it ends. */
const interruptEveryMs = 20;

/**
 * Loads the rows that a query may see into tables, and has DuckDB run the statement on these. No table holds a removed
 * row or a row of another project, whatever the statement says.
 */
export class MemoryQueries implements QueryEngine {
  readonly #options: MemoryQueriesOptions;
  readonly #statements: Statements;
  readonly #tables: MemoryTables;
  readonly #planner = new QueryPlanner(defaultEngineLimits);
  readonly #running = new Set<Promise<unknown>>();
  #redactionTag = 0;

  constructor(options: MemoryQueriesOptions) {
    this.#options = options;
    this.#statements = new Statements(options.instance, options.redacted, options.steps);
    this.#tables = new MemoryTables(options.instance);
  }

  async run(request: RunRequest, signal: AbortSignal, time?: RunTime): Promise<QueryResult> {
    return await this.runPlanned(request, request.projects, signal, time);
  }

  /** Like `run`, with a plan that is restricted to other projects than the request; tests the second check. */
  async runPlanned(
    request: RunRequest,
    planned: readonly string[] | null,
    signal: AbortSignal,
    time?: RunTime,
  ): Promise<QueryResult> {
    const startedMs = performance.now();
    time?.resume();
    return await this.#planned({ ...request, projects: planned }, request.projects, async (plan, loaded) => {
      const { profile, rowsMax, bytesMax } = request;
      const { sql } = rowsStatement(plan, loaded.choices, plan.bounds, profile, rowsMax);
      const outcome = await this.#statement('rows', sql, plan, { rowsMax, bytesMax }, signal);
      const { rowCount, hasMore, cutByBytes, pageKeys, shortKeyRows } = outcome.gives;
      const judgedAt = request.removedAtMicros ?? request.nowMicros;
      const scans = [...plan.bounds.values()];
      return {
        rows: profile === 'records' ? atOnce(recordsInSteps(outcome.payload, request.query.columns)) : outcome.payload,
        rowCount,
        hasMore,
        cutByBytes,
        ...(pageKeys === null ? {} : { pageKeys }),
        ...(shortKeyRows === undefined ? {} : { shortKeyRows }),
        rowsScanned: loaded.rowsScanned,
        dataBegins: dataBegins(scans, this.#options.removals, judgedAt),
        ...(request.query.pageKeys === undefined
          ? {}
          : { removed: removedSoFar(scans, this.#options.removals, judgedAt) }),
        elapsedMs: performance.now() - startedMs,
      };
    });
  }

  async explain(request: RunRequest, signal: AbortSignal): Promise<Explanation> {
    return await this.#planned(request, request.projects, async (plan, loaded) => {
      const { sql } = rowsStatement(plan, loaded.choices, plan.bounds, request.profile, request.rowsMax);
      const outcome = await this.#statement('explain', sql, plan, { rowsMax: 0, bytesMax: 0 }, signal);
      return { statement: sql, plan: outcome.gives.text };
    });
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#statements.released();
  }

  async #planned<T>(
    request: RunRequest,
    projects: readonly string[] | null,
    work: (plan: QueryPlan, loaded: Loaded) => Promise<T>,
  ): Promise<T> {
    const once = async () => {
      const plan = this.#planner.plan(request, this.#redactionOf(request));
      const loaded = await this.#load(plan, projects, request.removedAtMicros ?? request.nowMicros);
      try {
        return await work(plan, loaded);
      } finally {
        for (const table of loaded.tables) table.release();
      }
    };
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof UnknownTimeError)) throw error;
      this.#planner.planEachCall(request.query);
      return await once();
    }
  }

  async #load({ bounds }: QueryPlan, projects: readonly string[] | null, nowMicros: number): Promise<Loaded> {
    const choices = new Map<Column, ScanChoice>();
    const tables: LoadedTable[] = [];
    let rowsScanned: number | null = 0;
    for (const [timestamp, bound] of bounds) {
      const { source } = bound.scan;
      const rows = this.#options.rows.visible(source.name, projects, nowMicros);
      const scanned = rows.filter(({ event }) => bound.projects?.includes(event.project) ?? true);
      rowsScanned = rowsScanned === null || bound.projects === null ? null : rowsScanned + scanned.length;
      const table = await this.#tables.load(this.#keyOf(bound, rows), source, () => rows);
      tables.push(table);
      choices.set(timestamp, {
        // A scan restricted to an empty list of projects names no table.
        databases: bound.projects?.length === 0 ? [] : [table.schema],
        ordinals: new Map(),
        irregular: new Set(scanned.flatMap(({ event }) => event.irregular)),
        kept: new Map(),
        unnumbered: new Map(),
      });
    }
    return { choices, tables, rowsScanned };
  }

  /** Identifies visible rows, which never change, by the gaps in their arrival numbers. */
  #keyOf({ scan }: ScanBounds, rows: readonly MemoryRow[]): string {
    const gaps: number[] = [];
    let next = -1;
    for (const { arrival } of rows) {
      if (arrival !== next) gaps.push(next, arrival);
      next = arrival + 1;
    }
    return JSON.stringify([scan.source.name, scan.source.hotColumns.map(({ column }) => column), gaps, next]);
  }

  async #statement(
    mode: 'rows' | 'explain',
    sql: string,
    plan: QueryPlan,
    bounds: { readonly rowsMax: number; readonly bytesMax: number },
    signal: AbortSignal,
  ) {
    signal.throwIfAborted();
    const job: Job = { isCancelled: false, interrupt: () => {} };
    let interrupting: NodeJS.Timeout | undefined;
    const onAbort = () => {
      job.isCancelled = true;
      job.interrupt();
      // Between two statements there is nothing to interrupt.
      interrupting = setInterval(() => job.interrupt(), interruptEveryMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const redactionTag = plan.redaction?.tag ?? null;
    const call = { mode, sql, projects: null, redactionTag, cutoff: null, ...bounds };
    const running = this.#statements.run(call, job);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw statementError(new EngineFailure(callFailure(error)));
    } finally {
      clearInterval(interrupting);
      signal.removeEventListener('abort', onAbort);
      this.#running.delete(running);
    }
  }

  #redactionOf({ redaction }: RunRequest) {
    if (redaction === null) return null;
    const { redactor } = this.#options;
    if (redactor.description !== redaction) throw new Error('the engine redacts with another configuration');
    this.#redactionTag += 1;
    return planRedaction(redactor, this.#redactionTag);
  }
}

interface Loaded {
  readonly choices: ReadonlyMap<Column, ScanChoice>;
  readonly tables: readonly LoadedTable[];
  readonly rowsScanned: number | null;
}

function abortReason({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query.cancelled', 'The query was ended before it finished.', { cause: reason });
}
