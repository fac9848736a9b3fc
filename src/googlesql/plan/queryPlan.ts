import type { Pause } from '../../core/concurrency/turns.ts';
import { defaultEngineLimits, type EngineLimits } from '../engineLimits.ts';
import type { ParameterValues } from '../resolve/parameterValue.ts';
import type { Column, Expr, Relation, ResolvedQuery, ScanRelation } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';
import { countRows } from './countedRows.ts';
import { foldConstants, foldLateBound } from './fold.ts';
import { inlineTables } from './inline.ts';
import { LateBoundTimes, type TimesOfCall, UnknownTimeError } from './lateBoundTimes.ts';
import { checkPlanHeight } from './planHeight.ts';
import { restrictToProjects } from './restrictToProjects.ts';
import { type ArrivalRange, type ScanBounds, scanBounds } from './scanBounds.ts';
import { withoutUnreadColumns } from './unreadColumns.ts';
import { withoutUnusedTables } from './usedTables.ts';

/** The inputs of planning. */
export interface PlanRequest {
  readonly query: ResolvedQuery;
  readonly parameters: ParameterValues;
  /** The only projects whose events the plan may read; null for every project. */
  readonly projects: readonly string[] | null;
  /** The description of the redactor, or null if events are read as they are. */
  readonly redaction: string | null;
  /** The value of `now`, in microseconds. */
  readonly nowMicros: number;
}

/** A query with bound parameters and inlined tables, before segments are chosen. */
export interface QueryPlan {
  readonly relation: Relation;
  /** In the order of `query.columns`, then of `query.pageKeys`, over the columns of `relation`. */
  readonly outputs: readonly Expr[];
  readonly query: ResolvedQuery;
  readonly bounds: ReadonlyMap<Column, ScanBounds>;
  /** Runs `work` with the times of the call, which cannot be read otherwise (`LateBoundTimes`). */
  at<T>(work: () => T): T;
  /** The same object for plans that differ only in their times. */
  readonly shape: object;
  /** The highest id of its columns; columns that a statement adds have higher ids. */
  readonly lastColumnId: number;
  /** Null if events are not redacted. */
  readonly redaction: PlannedRedaction | null;
}

/** Makes every scan return redacted values (contract, section 6). */
export interface PlannedRedaction {
  readonly tag: number;
  /** pathKeys whose typed columns must not be used: personal numbers, and values that another member names. */
  personalNumbers(scan: ScanRelation): ReadonlySet<string>;
}

/** The plan, with scans that read only events with these arrival numbers. */
export function withinArrivals(plan: QueryPlan, arrivals: ArrivalRange | undefined): QueryPlan {
  if (arrivals === undefined) return plan;
  return { ...plan, bounds: new Map([...plan.bounds].map(([scan, bounds]) => [scan, { ...bounds, arrivals }])) };
}

/** Bounds of a plan that redacts: a redacted text contains other runs than the stored one. */
function withoutRuns(all: QueryPlan['bounds']): QueryPlan['bounds'] {
  return new Map(
    [...all].map(([scan, bounds]) => {
      const { runs: _, ...rest } = bounds;
      return [scan, rest];
    }),
  );
}

/** The first id of columns that planning makes; the resolver counts from 1. */
const firstPlannedId = 1_000_000;

/** The most plans cached for a query: dashboards ask the same for several projects in turn. */
const shapesMax = 4;

/** The most characters of all their keys, which contain parameter values; a longer key is cached alone. */
const keyCharsMax = 20_000;

/** A plan for all calls that differ only in their times, if the times lead to the same decisions. */
interface Shape {
  readonly plan: Omit<QueryPlan, 'bounds' | 'at' | 'redaction'>;
  readonly times: LateBoundTimes | null;
  /** The plan for the last call, and the times of that call. */
  last: { readonly times: TimesOfCall; readonly plan: QueryPlan } | null;
}

/**
 * Plans the runs of one engine. A plan depends on query, parameters, projects, the engine's limits and, if the query reads
 * it, the clock. An earlier plan is reused for equal inputs, or for inputs that differ only in late-bound times
 * (`LateBoundTimes`). Redaction is per run.
 */
export class QueryPlanner {
  readonly #limits: EngineLimits;
  readonly #shapes = new WeakMap<ResolvedQuery, Map<string, Shape>>();
  /** Queries whose plans or statements depend on the values of times; they are planned for each call. */
  readonly #fixed = new WeakSet<ResolvedQuery>();

  constructor(limits: EngineLimits = defaultEngineLimits) {
    this.#limits = limits;
  }

  plan(request: PlanRequest, redaction: PlannedRedaction | null = null): QueryPlan {
    return this.#reuse(request, redaction) ?? this.#make(request, redaction);
  }

  /**
   * Works with the plan of a request. A statement may depend on times that the plan does not know: the query is then
   * planned for this call, and for later ones, and the work is done once more. `redactionOf` and `newPause` are asked each time.
   */
  async withPlan<T>(
    request: PlanRequest,
    redactionOf: () => PlannedRedaction | null,
    newPause: () => Pause,
    work: (plan: QueryPlan, pause: Pause) => Promise<T>,
  ): Promise<T> {
    const once = async () => {
      const pause = newPause();
      const plan = await this.#planInTurn(request, redactionOf(), pause);
      await pause.takeIfOver();
      return await work(plan, pause);
    };
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof UnknownTimeError)) throw error;
      this.planEachCall(request.query);
      return await once();
    }
  }

  /** A new plan takes some ten milliseconds in a process that has just started: it waits for a turn. */
  async #planInTurn(request: PlanRequest, redaction: PlannedRedaction | null, pause: Pause): Promise<QueryPlan> {
    const reused = this.#reuse(request, redaction);
    if (reused !== null) return reused;
    await pause.take();
    return this.plan(request, redaction);
  }

  /** The plan if an earlier one serves, which takes no time; null otherwise. */
  #reuse(request: PlanRequest, redaction: PlannedRedaction | null): QueryPlan | null {
    const { key, asked } = this.#look(request, redaction);
    const before = this.#shapes.get(request.query)?.get(key);
    if (before === undefined) return null;
    // Redaction tags are per run, so redacted plans are not reused.
    if (redaction === null && before.last !== null && isSame(before.last.times, asked.times)) return before.last.plan;
    const serves = before.times === null || before.times.holds(asked.times);
    return serves ? planOf(before, asked.times, redaction) : null;
  }

  #look(request: PlanRequest, redaction: PlannedRedaction | null) {
    const asked = this.#fixed.has(request.query) ? noTimes : movingTimesOf(request);
    return { asked, key: `${redaction === null ? '' : 'redacted '}${keyOf(request, asked)}` };
  }

  #make(request: PlanRequest, redaction: PlannedRedaction | null): QueryPlan {
    const { query } = request;
    const { key, asked } = this.#look(request, redaction);
    const known = this.#shapes.get(query) ?? new Map<string, Shape>();
    this.#shapes.set(query, known);
    try {
      const shape = makeShape(request, asked, this.#limits);
      known.delete(key);
      forgetOldest(known, key.length);
      known.set(key, shape);
      return planOf(shape, asked.times, redaction);
    } catch (error) {
      if (!(error instanceof UnknownTimeError)) throw error;
      this.planEachCall(query);
      return this.plan(request, redaction);
    }
  }

  /** Plans the query for each call from now on. */
  planEachCall(query: ResolvedQuery): void {
    this.#fixed.add(query);
    this.#shapes.delete(query);
  }
}

/** Removes the oldest plans until there is room for a key of `keyChars` characters. */
function forgetOldest(known: Map<string, Shape>, keyChars: number): void {
  let chars = [...known.keys()].reduce((sum, key) => sum + key.length, keyChars);
  for (const oldest of known.keys()) {
    if (known.size < shapesMax && chars <= keyCharsMax) return;
    known.delete(oldest);
    chars -= oldest.length;
  }
}

/** The times of a call that its plan need not know, and their index by parameter name (null for the clock). */
interface AskedTimes {
  readonly times: TimesOfCall;
  readonly indexes: ReadonlyMap<string | null, number>;
}

const noTimes: AskedTimes = { times: [], indexes: new Map() };

function movingTimesOf({ query, parameters, nowMicros }: PlanRequest): AskedTimes {
  const times: bigint[] = [];
  const indexes = new Map<string | null, number>();
  for (const [name, value] of parameters) {
    if (value.kind !== 'timestamp' && value.kind !== 'date') continue;
    indexes.set(name, times.length);
    times.push(BigInt(value.kind === 'date' ? value.days : value.micros));
  }
  if (query.usesNow) {
    indexes.set(null, times.length);
    times.push(BigInt(nowMicros));
  }
  return { times, indexes };
}

const isSame = (a: TimesOfCall, b: TimesOfCall): boolean => a.every((time, i) => time === b[i]);

/** The cache key: everything that determines a plan, except late-bound times. */
function keyOf({ query, parameters, projects, nowMicros, redaction }: PlanRequest, { indexes }: AskedTimes): string {
  const values = [...parameters].map(([name, value]) => [name, indexes.has(name) ? value.kind : value]);
  const now = !query.usesNow || indexes.has(null) ? null : nowMicros;
  return JSON.stringify([values, projects, now, redaction], numbersAsText);
}

/** Writes -0, NaN, the infinities and bigints, which JSON cannot represent. */
function numbersAsText(_: string, value: unknown): unknown {
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

/** Makes columns with ids after the given one. */
export function columnsAfter(lastId: number) {
  let id = lastId;
  return {
    newColumn: (name: string, type: SqlType): Column => {
      id += 1;
      return { id, name, type };
    },
    lastId: () => id,
  };
}

function makeShape(
  { query, parameters, projects, nowMicros }: PlanRequest,
  { times, indexes }: AskedTimes,
  limits: EngineLimits,
): Shape {
  const { newColumn, lastId } = columnsAfter(firstPlannedId);
  const used = withoutUnusedTables(query.relation);
  checkPlanHeight(used, limits);
  const moving = indexes.size === 0 ? null : new LateBoundTimes(times);
  const folded =
    moving === null ? foldConstants(used, parameters, nowMicros) : foldLateBound(used, parameters, moving, indexes);
  const columns = query.columns.map(({ column }): Expr => ({ kind: 'column', type: column.type, column }));
  const wanted = [...columns, ...(query.pageKeys ?? [])].map(folded.resolve);
  const permitted = projects === null ? folded.relation : restrictToProjects(folded.relation, projects);
  const read = withoutUnreadColumns(countRows(permitted), wanted);
  const { relation, resolve } = inlineTables(read, (like) => newColumn(like.name, like.type), limits);
  const outputs = wanted.map(resolve);
  const shape = {};
  return { plan: { shape, relation, outputs, query, lastColumnId: lastId() }, times: moving, last: null };
}

function planOf(shape: Shape, times: TimesOfCall, redaction: PlannedRedaction | null): QueryPlan {
  const at = <T>(work: () => T): T => (shape.times === null ? work() : shape.times.at(times, work));
  const found = at(() => scanBounds(shape.plan.relation));
  const bounds = redaction === null ? found : withoutRuns(found);
  const plan = { ...shape.plan, bounds, at, redaction };
  shape.last = { times, plan };
  return plan;
}
