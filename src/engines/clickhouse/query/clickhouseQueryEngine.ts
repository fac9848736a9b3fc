import { inThisTurn, Pause, type Turns } from '../../../core/concurrency/turns.ts';
import { defaultEngineLimits } from '../../../googlesql/engineLimits.ts';
import {
  type PlannedRedaction,
  type QueryPlan,
  QueryPlanner,
  withinArrivals,
} from '../../../googlesql/plan/queryPlan.ts';
import type {
  Explanation,
  QueryEngine,
  QueryResult,
  ResultBeginning,
  RowSink,
  RunCaller,
  RunRequest,
  RunTime,
  StreamEnd,
  StreamRequest,
} from '../../../ports/queryEngine.ts';
import type { Removals } from '../../../retention/removals.ts';
import { recordsInSteps } from '../../duckdb/emit/recordsProfile.ts';
import { notStreamed } from '../../duckdb/host/statementRun.ts';
import { dataBegins, removedSoFar } from '../../duckdb/query/dataBegins.ts';
import { planRedaction } from '../../duckdb/query/planRedaction.ts';
import type { EngineRunner } from '../../duckdb/query/statementRunner.ts';
import { abortReason } from './fetchError.ts';
import type { Fetcher } from './fetcher.ts';
import { NestedMembers } from './nestedMembers.ts';
import { QueryRun } from './queryRun.ts';
import { SplitRun } from './splitRun.ts';

export interface ClickHouseQueriesOptions {
  readonly fetcher: Fetcher;
  /** Runs the rest of each query over the fetched rows. */
  readonly statements: EngineRunner;
  readonly removals: Removals;
  /** Shares the main thread between long work; its own by default. */
  readonly turns?: Turns | undefined;
}

type PlannedWork<T> = (plan: QueryPlan, pause: Pause) => Promise<T>;

/** Retention does not apply to tables of others. */
const ownScans = ({ bounds }: QueryPlan) =>
  [...bounds.values()].filter(({ scan }) => scan.source.existing === undefined);

/**
 * Runs resolved queries on events in ClickHouse: fetches rows with SELECTs that mean the same in both engines, and has
 * DuckDB, with the emitter of the embedded engine, answer the query over them (decision 74).
 */
export class ClickHouseQueryEngine implements QueryEngine {
  readonly #options: ClickHouseQueriesOptions;
  readonly #planner = new QueryPlanner(defaultEngineLimits);
  readonly #nestedMembers = new NestedMembers();
  #redactionTag = 0;

  constructor(options: ClickHouseQueriesOptions) {
    this.#options = options;
  }

  async run(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<QueryResult> {
    return await this.runPlanned(request, request.projects, signal, time, caller);
  }

  /** Like `run`, with a plan that is restricted to other projects than the request; tests the other checks. */
  async runPlanned(
    request: RunRequest,
    planned: readonly string[] | null,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ): Promise<QueryResult> {
    const startedMs = performance.now();
    if (signal.aborted) throw abortReason(signal);
    return await this.#planned({ ...request, projects: planned }, caller, async (plan, pause) => {
      const { fetcher, statements, removals } = this.#options;
      const nestedMembers = this.#nestedMembers;
      const run = new QueryRun({ plan, request, fetcher, statements, signal, time, caller, pause, nestedMembers });
      const result = await run.rows();
      const { query, profile, nowMicros, removedAtMicros = nowMicros } = request;
      const isPage = query.pageKeys !== undefined;
      const isRecords = profile === 'records';
      const rows = isRecords ? await inThisTurn(recordsInSteps(result.rows, query.columns), pause) : result.rows;
      return {
        ...result,
        rows,
        ...this.#beginning(run, plan, request),
        ...(isPage ? { removed: removedSoFar(ownScans(plan), removals, removedAtMicros) } : {}),
        elapsedMs: performance.now() - startedMs,
      };
    });
  }

  async stream(
    request: StreamRequest,
    sink: RowSink,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ): Promise<StreamEnd> {
    const startedMs = performance.now();
    if (signal.aborted) throw abortReason(signal);
    return await this.#planned(request, caller, async (plan, pause) => {
      const { fetcher, statements } = this.#options;
      const nestedMembers = this.#nestedMembers;
      // Redaction before the query needs functions in JavaScript, which are not streamed.
      if (plan.redaction !== null) throw notStreamed();
      const run = new SplitRun({ plan, request, fetcher, statements, signal, time, caller, pause, nestedMembers });
      let hasBegun = false;
      const begin = () => {
        if (!hasBegun) sink.begins(this.#beginning(run, plan, request));
        hasBegun = true;
      };
      const end = await run.stream(async (frame) => {
        begin();
        if (frame.kind !== 'json' || request.profile === 'plain') return await sink.rows(frame);
        const rows = await inThisTurn(recordsInSteps(frame.rows, request.query.columns), pause);
        await sink.rows({ ...frame, rows, ends: null });
      }, request.form);
      begin();
      return { ...end, ...this.#beginning(run, plan, request), elapsedMs: performance.now() - startedMs };
    });
  }

  /** What an answer says about the events that its rows depend on. */
  #beginning({ rowsScanned }: Pick<QueryRun, 'rowsScanned'>, plan: QueryPlan, request: RunRequest): ResultBeginning {
    const { nowMicros, removedAtMicros = nowMicros } = request;
    const begins = dataBegins(ownScans(plan), this.#options.removals, removedAtMicros);
    return { rowsScanned, dataBegins: begins };
  }

  async explain(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<Explanation> {
    return await this.#planned(request, caller, async (plan, pause) => {
      const { fetcher, statements } = this.#options;
      const nestedMembers = this.#nestedMembers;
      return await new QueryRun({
        plan,
        request,
        fetcher,
        statements,
        signal,
        time,
        caller,
        pause,
        nestedMembers,
      }).explain();
    });
  }

  #planned<T>(request: RunRequest, caller: RunCaller | undefined, work: PlannedWork<T>): Promise<T> {
    const newPause = () => new Pause(this.#options.turns?.of(caller?.owner ?? '', caller?.waitedForTurn));
    const within: PlannedWork<T> = (plan, pause) => work(withinArrivals(plan, request.arrivals), pause);
    return this.#planner.withPlan(request, () => this.#redactionOf(request), newPause, within);
  }

  /** Throws if the caller requires another redactor than the engine's, because its patterns must not be missed. */
  #redactionOf({ redaction }: RunRequest): PlannedRedaction | null {
    if (redaction === null) return null;
    const { redactor } = this.#options.statements;
    if (redactor.description !== redaction) throw new Error('the engine redacts with another configuration');
    this.#redactionTag += 1;
    return planRedaction(redactor, this.#redactionTag);
  }
}
