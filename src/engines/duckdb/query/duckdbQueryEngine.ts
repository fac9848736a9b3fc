import { inThisTurn, Pause, type Turns } from '../../../core/concurrency/turns.ts';
import { untilAborted } from '../../../core/concurrency/untilAborted.ts';
import { ServiceError } from '../../../core/errors.ts';
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
import type { Cutoffs } from '../../../retention/cutoffs.ts';
import { isReadDamage } from '../damage/fileDamage.ts';
import { recordsInSteps } from '../emit/recordsProfile.ts';
import type { EventFile, EventFiles } from '../files/eventFiles.ts';
import { dataBegins, removedSoFar } from './dataBegins.ts';
import { planRedaction } from './planRedaction.ts';
import { QueryRun } from './queryRun.ts';
import type { EngineRunner } from './statementRunner.ts';
import { visibleFiles } from './visibleFile.ts';

/** A run is repeated if an irregular event arrived while it ran; more repetitions than this are a defect. */
const attemptsMax = 5;

/** Runs resolved queries on segments: plans, chooses segments, writes the statement, runs it. */
export class DuckDbQueryEngine implements QueryEngine {
  readonly #files: EventFiles;
  readonly #statements: EngineRunner;
  readonly #turns: Turns | undefined;
  readonly #planner = new QueryPlanner(defaultEngineLimits);
  readonly #monotonicMs: () => number;
  #redactionTag = 0;

  /**
   * `turns` shares the main thread between planning and writing long queries and other long work; its own by default.
   */
  constructor(
    files: EventFiles,
    statements: EngineRunner,
    turns?: Turns,
    monotonicMs: () => number = () => performance.now(),
  ) {
    this.#files = files;
    this.#statements = statements;
    this.#turns = turns;
    this.#monotonicMs = monotonicMs;
  }

  async run(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<QueryResult> {
    const startedMs = this.#monotonicMs();
    return await this.#planned(request, caller, (plan, pause) =>
      this.#runPlan(plan, pause, request, startedMs, signal, time, caller),
    );
  }

  async #runPlan(
    plan: QueryPlan,
    pause: Pause,
    request: RunRequest,
    startedMs: number,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ): Promise<QueryResult> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const lease = this.#files.lease();
      try {
        const files = this.#visible(lease.files, plan, request);
        const run = new QueryRun(plan, pause, request, files, this.#statements, signal, time, caller);
        const result = await run.rows().catch(async (error: unknown) => {
          if (!isReadDamage(error) || !(await this.#damageFound(run, signal, time))) throw error;
          return null;
        });
        // Repeats the run without the quarantined segment, or with the new facts about events.
        if (result === null || !run.isTrustKept()) continue;
        const { profile, query } = request;
        const isRecords = profile === 'records';
        const rows = isRecords ? await inThisTurn(recordsInSteps(result.rows, query.columns), pause) : result.rows;
        const elapsedMs = this.#monotonicMs() - startedMs;
        const judgedAt = request.removedAtMicros ?? request.nowMicros;
        const isPage = query.pageKeys !== undefined;
        const removed = isPage
          ? { removed: removedSoFar([...plan.bounds.values()], this.#files.removals, judgedAt) }
          : {};
        return { ...result, rows, ...this.#beginning(run, plan, request), ...removed, elapsedMs };
      } finally {
        lease.release();
      }
    }
    throw keptChanging();
  }

  async stream(
    request: StreamRequest,
    sink: RowSink,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ): Promise<StreamEnd> {
    const startedMs = this.#monotonicMs();
    return await this.#planned(request, caller, async (plan, pause) => {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const lease = this.#files.lease();
        try {
          const files = this.#visible(lease.files, plan, request);
          const run = new QueryRun(plan, pause, request, files, this.#statements, signal, time, caller);
          const end = await this.#streamOnce(run, plan, pause, request, sink, signal, time);
          if (end !== null) return { ...end, elapsedMs: this.#monotonicMs() - startedMs };
        } finally {
          lease.release();
        }
      }
      throw keptChanging();
    });
  }

  /**
   * One attempt; null if it must be repeated, which is possible until the sink has rows. The first frame comes after the
   * engine has taken its snapshot of every segment, so facts that still hold then hold for all rows.
   */
  async #streamOnce(
    run: QueryRun,
    plan: QueryPlan,
    pause: Pause,
    request: StreamRequest,
    sink: RowSink,
    signal: AbortSignal,
    time?: RunTime,
  ): Promise<Omit<StreamEnd, 'elapsedMs'> | null> {
    let hasBegun = false;
    const begin = () => {
      if (!run.isTrustKept()) throw new ChangedFacts();
      hasBegun = true;
      sink.begins(this.#beginning(run, plan, request));
    };
    try {
      const end = await run.stream(async (frame) => {
        if (!hasBegun) begin();
        if (frame.kind !== 'json' || request.profile === 'plain') return await sink.rows(frame);
        const rows = await inThisTurn(recordsInSteps(frame.rows, request.query.columns), pause);
        await sink.rows({ ...frame, rows, ends: null });
      }, request.form);
      if (!hasBegun) begin();
      return { ...end, ...this.#beginning(run, plan, request) };
    } catch (error) {
      if (error instanceof ChangedFacts) return null;
      if (isReadDamage(error) && (await this.#damageFound(run, signal, time)) && !hasBegun) return null;
      throw error;
    }
  }

  /** What an answer says about the events that its rows depend on. */
  #beginning(run: QueryRun, plan: QueryPlan, request: RunRequest): ResultBeginning {
    const judgedAt = request.removedAtMicros ?? request.nowMicros;
    return {
      rowsScanned: run.rowsScanned,
      dataBegins: dataBegins([...plan.bounds.values()], this.#files.removals, judgedAt),
      isDamaged: this.#isDamaged(run, plan, request),
    };
  }

  async explain(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<Explanation> {
    const lease = this.#files.lease();
    try {
      return await this.#planned(request, caller, async (plan, pause) => {
        const files = this.#visible(lease.files, plan, request);
        return await new QueryRun(plan, pause, request, files, this.#statements, signal, time, caller).explain();
      });
    } finally {
      lease.release();
    }
  }

  #planned<T>(
    request: RunRequest,
    caller: RunCaller | undefined,
    work: (plan: QueryPlan, pause: Pause) => Promise<T>,
  ): Promise<T> {
    return this.#planner.withPlan(
      request,
      () => this.#redactionOf(request),
      () => new Pause(this.#turns?.of(caller?.owner ?? '', caller?.waitedForTurn)),
      (plan, pause) => work(withinArrivals(plan, request.arrivals), pause),
    );
  }

  /** Whether segments that the run can have read were just quarantined. Finding out costs the run no time. */
  async #damageFound(run: QueryRun, signal: AbortSignal, time?: RunTime): Promise<boolean> {
    time?.pause();
    try {
      return await untilAborted(this.#files.damaged.examine(run.filesRead), signal);
    } finally {
      time?.resume();
    }
  }

  /** Removed events, by age or on request, do not count as missing. */
  #isDamaged(run: QueryRun, plan: QueryPlan, request: RunRequest): boolean {
    const { damaged } = this.#files;
    if (damaged.isUnknown) return run.readsEvents;
    const { ofQuarantined } = this.#files.removals;
    return damaged.files.length > 0 && run.wouldRead(this.#visible(damaged.files, plan, request, ofQuarantined));
  }

  #visible(
    files: readonly EventFile[],
    { bounds }: QueryPlan,
    { nowMicros, removedAtMicros }: RunRequest,
    cutoffs: Cutoffs = this.#files.removals,
  ): readonly EventFile[] {
    const sources = [...bounds.values()].map(({ scan }) => scan.source.name);
    return visibleFiles(files, sources, cutoffs, removedAtMicros ?? nowMicros);
  }

  /** Throws if the caller requires another redactor than the engine's, because its patterns must not be missed. */
  #redactionOf({ redaction }: RunRequest): PlannedRedaction | null {
    if (redaction === null) return null;
    const { redactor } = this.#statements;
    if (redactor.description !== redaction) throw new Error('the engine redacts with another configuration');
    this.#redactionTag += 1;
    return planRedaction(redactor, this.#redactionTag);
  }
}

/** An event or a removal has arrived that the statement did not expect. */
class ChangedFacts extends Error {}

const keptChanging = (): ServiceError =>
  new ServiceError(
    'engine.failed',
    'The query could not be completed because the shape of the data kept changing. Try again.',
  );
