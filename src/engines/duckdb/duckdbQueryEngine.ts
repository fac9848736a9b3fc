import { ServiceError } from '../../core/errors.ts';
import type { ScanBounds } from '../../googlesql/plan/scanBounds.ts';
import type { Column } from '../../googlesql/resolve/tree.ts';
import type { Explanation, QueryEngine, QueryResult, RunRequest } from '../ports/queryEngine.ts';
import { type PlannedRedaction, planQuery, planRedaction, type QueryPlan } from './emit/queryPlan.ts';
import { toRecordsProfile } from './emit/recordsProfile.ts';
import {
  cutoffStatement,
  type NewestFirst,
  newestFirst,
  rowsStatement,
  type ScanChoice,
  type Statement,
} from './emit/statement.ts';
import type { EventFile, EventFiles, FileStats } from './eventFiles.ts';
import { lookBack, lookBackEvents, lookBackEventsDefault } from './lookBack.ts';
import type { EngineRunner, StatementRunner } from './statementRunner.ts';

/** A run is planned anew when an irregular event arrived while it ran; more often than this is a defect. */
const attemptsMax = 5;

/** Runs resolved queries on event files: plans, chooses files, writes the statement, runs it. */
export class DuckDbQueryEngine implements QueryEngine {
  readonly #files: EventFiles;
  readonly #statements: EngineRunner;
  readonly #monotonicMs: () => number;
  readonly #lookBackEvents: number;

  /** `lookBackEvents`: how many of the newest events are looked at first (lookBack.ts). */
  constructor(
    files: EventFiles,
    statements: EngineRunner,
    monotonicMs: () => number = () => performance.now(),
    lookBackEvents: number = lookBackEventsDefault,
  ) {
    this.#files = files;
    this.#statements = statements;
    this.#monotonicMs = monotonicMs;
    this.#lookBackEvents = lookBackEvents;
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<QueryResult> {
    const startedMs = this.#monotonicMs();
    const plan = planQuery(request, this.#redactionOf(request));
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const lease = this.#files.lease();
      try {
        const run = new Run(plan, request, lease.files, this.#statements, signal, this.#lookBackEvents);
        const result = await run.rows();
        if (!run.isTrustKept()) continue;
        const rows = request.profile === 'records' ? toRecordsProfile(result.rows, request.query.columns) : result.rows;
        const elapsedMs = this.#monotonicMs() - startedMs;
        return { ...result, rows, rowsScanned: run.rowsScanned, elapsedMs };
      } finally {
        lease.release();
      }
    }
    throw new ServiceError(
      'engine.failed',
      'The query could not be run on data that kept changing its shape; try again.',
    );
  }

  async explain(request: RunRequest, signal: AbortSignal): Promise<Explanation> {
    const lease = this.#files.lease();
    try {
      const plan = planQuery(request, this.#redactionOf(request));
      const run = new Run(plan, request, lease.files, this.#statements, signal, this.#lookBackEvents);
      const { sql } = run.statement();
      return { statement: sql, plan: await run.explain(sql) };
    } finally {
      lease.release();
    }
  }

  /** Throws where the caller would have another redactor at work than the engine's: its patterns must not be missed. */
  #redactionOf({ redaction }: RunRequest): PlannedRedaction | null {
    if (redaction === null) return null;
    const { redactor } = this.#statements;
    if (redactor.description !== redaction) throw new Error('the engine redacts by another configuration');
    return planRedaction(redactor);
  }
}

/** One attempt of a run on one set of files. */
class Run {
  readonly #plan: QueryPlan;
  readonly #request: RunRequest;
  readonly #files: readonly EventFile[];
  readonly #statements: StatementRunner;
  readonly #signal: AbortSignal;
  readonly #lookBackFirst: number;
  readonly #trusted: {
    readonly bounds: ScanBounds;
    readonly files: readonly EventFile[];
    readonly paths: ReadonlySet<string>;
  }[] = [];
  #bounds: ReadonlyMap<Column, ScanBounds>;

  constructor(
    plan: QueryPlan,
    request: RunRequest,
    files: readonly EventFile[],
    statements: EngineRunner,
    signal: AbortSignal,
    lookBackEvents: number,
  ) {
    this.#lookBackFirst = lookBackEvents;
    this.#plan = plan;
    this.#request = request;
    this.#files = files;
    // Straight from the request, past the plan: what the engine process checks must not hang on the plan being right.
    this.#statements = statements.boundTo(request.projects, plan.redaction?.tag ?? null);
    this.#signal = signal;
    this.#bounds = plan.bounds;
  }

  async rows(): Promise<{ rows: Uint8Array; rowCount: number; hasMore: boolean; cutByBytes: boolean }> {
    const newest = newestFirst(this.#plan.relation, this.#request.rowsMax);
    if (newest !== null) await this.#findCutoff(newest);
    const { rowsMax, bytesMax } = this.#request;
    return await this.#statements.runRows(this.statement().sql, { rowsMax, bytesMax }, this.#signal);
  }

  async explain(sql: string): Promise<string> {
    return await this.#statements.explain(sql, this.#signal);
  }

  statement(): Statement {
    const chosen = this.#chooseAll();
    const { nowMicros, profile, rowsMax } = this.#request;
    const statement = rowsStatement(this.#plan, chosen.choices, this.#bounds, nowMicros, profile, rowsMax);
    this.#remember(statement, chosen.files);
    return statement;
  }

  /** Whether no event arrived that the statements trusted not to exist. */
  isTrustKept(): boolean {
    return this.#trusted.every(({ bounds, files, paths }) =>
      files.every((file) => {
        if (file.kind === 'sealed') return true;
        const irregular = irregularOf(file, bounds);
        return [...paths].every((path) => !irregular.has(path));
      }),
    );
  }

  get rowsScanned(): number | null {
    let count = 0;
    for (const bounds of this.#bounds.values()) {
      if (bounds.projects === null) return null;
      for (const file of this.#filesFor(bounds)) count += countOf(file, bounds);
    }
    return count;
  }

  /**
   * Finds how far back the wanted rows reach, newest files first, and raises the lower bound of the
   * scan to it. Every row of the answer is an event at or after the cutoff: the answer is the same.
   */
  async #findCutoff(newest: NewestFirst): Promise<void> {
    const key = newest.scan.columns.timestamp;
    const bounds = this.#bounds.get(key);
    if (bounds === undefined) return;
    const candidates = [...this.#filesFor(bounds)].sort((a, b) => lastMicros(b, bounds) - lastMicros(a, bounds));
    const total = candidates.reduce((sum, file) => sum + countOf(file, bounds), 0);
    if (total <= newest.count) return;
    let taken = firstFiles(candidates, bounds, newest.count);
    for (let attempts = 0; ; attempts++) {
      const files = candidates.slice(0, taken);
      const fromMicros = this.#lookBack(files, bounds, attempts);
      const cutoff = await this.#cutoffIn(newest, files, bounds, fromMicros);
      if (cutoff !== null) {
        // So many events are at or after it in these files alone; others can only move it up.
        const all = candidates.filter((file) => lastMicros(file, bounds) >= Number(cutoff));
        const last = all.length <= taken ? cutoff : await this.#cutoffIn(newest, all, bounds, cutoff);
        if (last !== null) this.#bounds = new Map(this.#bounds).set(key, { ...bounds, fromMicros: last });
        return;
      }
      if (fromMicros !== null) continue;
      if (taken === candidates.length) return;
      taken = Math.min(candidates.length, taken * 2);
    }
  }

  /** The time of the last of the newest rows in the files at or after a time; null where they hold too few. */
  async #cutoffIn(
    newest: NewestFirst,
    files: readonly EventFile[],
    bounds: ScanBounds,
    fromMicros: bigint | null,
  ): Promise<bigint | null> {
    const key = newest.scan.columns.timestamp;
    const looked = new Map(this.#bounds).set(key, { ...bounds, fromMicros: fromMicros ?? bounds.fromMicros });
    const choices = new Map([[key, choiceOf(files, bounds)]]);
    const statement = cutoffStatement(this.#plan, newest, choices, looked, this.#request.nowMicros);
    this.#remember(statement, new Map([[key, files]]));
    const [row] = await this.#statements.runValues(statement.sql, this.#signal);
    const cutoff = row?.[0];
    if (cutoff === null || cutoff === undefined || Number(row?.[1] ?? 0) < newest.count) return null;
    return BigInt(cutoff);
  }

  /** Where to look first for the newest rows; null where everything in the files is looked at. */
  #lookBack(files: readonly EventFile[], bounds: ScanBounds, attempts: number): bigint | null {
    const stats = files.flatMap((file) => statsOf(file, bounds) ?? []);
    const guess = lookBack(stats, bounds.toMicros, lookBackEvents(this.#lookBackFirst, attempts));
    return guess === null || (bounds.fromMicros !== null && guess <= bounds.fromMicros) ? null : guess;
  }

  #remember(statement: Statement, filesByScan: ReadonlyMap<Column, readonly EventFile[]>): void {
    for (const [timestamp, paths] of statement.trusted) {
      const bounds = this.#bounds.get(timestamp);
      const files = filesByScan.get(timestamp);
      if (bounds !== undefined && files !== undefined) this.#trusted.push({ bounds, files, paths });
    }
  }

  #chooseAll(): { choices: ReadonlyMap<Column, ScanChoice>; files: ReadonlyMap<Column, readonly EventFile[]> } {
    const choices = new Map<Column, ScanChoice>();
    const filesByScan = new Map<Column, readonly EventFile[]>();
    for (const [timestamp, bounds] of this.#bounds) {
      const files = this.#filesFor(bounds);
      filesByScan.set(timestamp, files);
      choices.set(timestamp, choiceOf(files, bounds));
    }
    return { choices, files: filesByScan };
  }

  /** Files that can hold an event within the bounds. An active file always can: it is being written to. */
  #filesFor(bounds: ScanBounds): readonly EventFile[] {
    return this.#files.filter((file) => {
      if (bounds.projects?.length === 0) return false;
      if (file.kind === 'active') return true;
      const stats = statsOf(file, bounds);
      if (stats === null) return false;
      if (bounds.fromMicros !== null && BigInt(stats.lastMicros) < bounds.fromMicros) return false;
      return bounds.toMicros === null || BigInt(stats.firstMicros) <= bounds.toMicros;
    });
  }
}

function choiceOf(files: readonly EventFile[], bounds: ScanBounds): ScanChoice {
  const irregular = new Set<string>();
  for (const file of files) for (const path of irregularOf(file, bounds)) irregular.add(path);
  const ordinals = new Map(
    files.flatMap((file): [string, readonly number[]][] => {
      const known = ordinalsOf(file, bounds);
      return known === null ? [] : [[file.alias, known]];
    }),
  );
  return { databases: files.map((file) => file.alias), ordinals, irregular };
}

/** Null where not those of all projects that the file holds are known. */
function ordinalsOf(file: EventFile, { scan, projects }: ScanBounds): readonly number[] | null {
  if (projects === null) return null;
  const ordinals: number[] = [];
  for (const project of projects) {
    if (file.stats(scan.source.name, project) === null) continue;
    const ordinal = file.ordinal(scan.source.name, project);
    if (ordinal === null) return null;
    ordinals.push(ordinal);
  }
  return ordinals.length === 0 ? null : ordinals;
}

/** An active file counts as newest: it may hold what was not counted yet. */
function lastMicros(file: EventFile, bounds: ScanBounds): number {
  if (file.kind === 'active') return Number.MAX_SAFE_INTEGER;
  return statsOf(file, bounds)?.lastMicros ?? Number.MIN_SAFE_INTEGER;
}

function countOf(file: EventFile, bounds: ScanBounds): number {
  return statsOf(file, bounds)?.count ?? 0;
}

/** What the file holds of the source and the projects of the bounds; null where nothing. */
function statsOf(file: EventFile, { scan, projects }: ScanBounds): FileStats | null {
  const found = (projects ?? [null]).flatMap((project) => file.stats(scan.source.name, project) ?? []);
  if (found.length === 0) return null;
  return {
    firstMicros: Math.min(...found.map(({ firstMicros }) => firstMicros)),
    lastMicros: Math.max(...found.map(({ lastMicros }) => lastMicros)),
    count: found.reduce((sum, { count }) => sum + count, 0),
  };
}

function irregularOf(file: EventFile, { scan, projects }: ScanBounds): ReadonlySet<string> {
  return new Set((projects ?? [null]).flatMap((project) => [...file.irregular(scan.source.name, project)]));
}

/** How many of the newest files hold enough events, were every event wanted. */
function firstFiles(candidates: readonly EventFile[], bounds: ScanBounds, wanted: number): number {
  let count = 0;
  for (const [i, file] of candidates.entries()) {
    count += countOf(file, bounds);
    if (count >= wanted) return i + 1;
  }
  return candidates.length;
}
