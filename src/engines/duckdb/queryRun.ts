import type { ScanBounds } from '../../googlesql/plan/scanBounds.ts';
import type { Column } from '../../googlesql/resolve/tree.ts';
import type { Explanation, RunRequest } from '../ports/queryEngine.ts';
import { type NewestFirst, newestFirst } from './emit/newestFirst.ts';
import type { QueryPlan } from './emit/queryPlan.ts';
import { cutoffStatement, type FoundBefore, rowsStatement, type ScanChoice, type Statement } from './emit/statement.ts';
import type { EventFile } from './eventFiles.ts';
import { NewestWindows } from './newestWindows.ts';
import { choiceOf, eventsMost, filesWithin, irregularOf } from './scanFiles.ts';
import type { EncodedRows, EngineRunner, NewestRows, StatementRunner } from './statementRunner.ts';

/** Bounds of every scan of a query, by the scan's timestamp column. */
type AllBounds = ReadonlyMap<Column, ScanBounds>;

/** Events in the files of a window up to which whole rows are read at once; measured: beyond it, finding a cutoff first pays. */
const readWholeMax = 3000;

/** One attempt of a run on one set of files. */
export class QueryRun {
  readonly #plan: QueryPlan;
  readonly #request: RunRequest;
  readonly #files: readonly EventFile[];
  readonly #statements: StatementRunner;
  readonly #signal: AbortSignal;
  readonly #trusted: {
    readonly bounds: ScanBounds;
    readonly files: readonly EventFile[];
    readonly paths: ReadonlySet<string>;
  }[] = [];
  /** What the rows were read from. */
  #read: AllBounds;

  constructor(
    plan: QueryPlan,
    request: RunRequest,
    files: readonly EventFile[],
    statements: EngineRunner,
    signal: AbortSignal,
  ) {
    this.#plan = plan;
    this.#request = request;
    this.#files = files;
    // Straight from the request, past the plan: what the engine process checks must not hang on the plan being right.
    this.#statements = statements.boundTo(request.projects, plan.redaction?.tag ?? null);
    this.#signal = signal;
    this.#read = plan.bounds;
  }

  async rows(): Promise<EncodedRows> {
    const newest = newestFirst(this.#plan.relation, this.#request.rowsMax);
    return newest === null ? await this.#rowsWithin(this.#plan.bounds) : await this.#newestRows(newest);
  }

  async explain(): Promise<Explanation> {
    const { sql } = this.#rowsStatement(this.#plan.bounds);
    return { statement: sql, plan: await this.#statements.explain(sql, this.#signal) };
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
    const all = [...this.#read.values()];
    return all.some(({ projects }) => projects === null) ? null : eventsMost(this.#files, all);
  }

  /**
   * Reads the newest events first: a window of time that should hold enough rows, and a wider one
   * where it does not. Every event since the start of a window is looked at, so that enough rows of it
   * are the newest of all.
   */
  async #newestRows(newest: NewestFirst): Promise<EncodedRows> {
    const all = this.#plan.bounds;
    const windows = new NewestWindows(this.#files, [...all.values()], newest.count);
    let before: FoundBefore = { rows: 0, cutoffMicros: null };
    let toMicros: bigint | null = null;
    for (;;) {
      const fromMicros = windows.next();
      const window = withinTimes(all, fromMicros, null);
      if (eventsMost(this.#files, [...window.values()]) <= readWholeMax) {
        const rows = await this.#rowsWithin(window);
        const isEnough = rows.hasMore || rows.cutByBytes || rows.rowCount === newest.limit;
        if (fromMicros === null || isEnough) return rows;
        windows.report(rows.rowCount);
        continue;
      }
      const foundMin = fromMicros === null ? 1 : newest.count;
      const counted = withinTimes(window, null, toMicros);
      const { cutoff, ...rows } = await this.#rowsSinceCutoff(newest, before, counted, window, foundMin);
      if (fromMicros === null || cutoff.found >= newest.count) {
        this.#read = withinTimes(window, cutoff.micros, null);
        return rows;
      }
      before = { rows: cutoff.found, cutoffMicros: cutoff.micros };
      toMicros = fromMicros - 1n;
      windows.report(cutoff.found);
    }
  }

  async #rowsWithin(bounds: AllBounds): Promise<EncodedRows> {
    const { rowsMax, bytesMax } = this.#request;
    this.#read = bounds;
    return await this.#statements.runRows(this.#rowsStatement(bounds).sql, { rowsMax, bytesMax }, this.#signal);
  }

  /**
   * Finds first, by the columns of the filters alone, how far back in `window` the wanted rows reach,
   * and reads whole rows since then. Every row of the answer is an event at or after that cutoff: the
   * answer is the same. `counted` is what of the window `before` does not tell of.
   */
  async #rowsSinceCutoff(
    newest: NewestFirst,
    before: FoundBefore,
    counted: AllBounds,
    window: AllBounds,
    foundMin: number,
  ): Promise<NewestRows> {
    const { rowsMax, bytesMax, nowMicros } = this.#request;
    const chosen = this.#chooseAll(counted);
    const search = cutoffStatement(this.#plan, newest, before, chosen.choices, counted, nowMicros);
    this.#remember(search, chosen.files);
    const { sql } = this.#rowsStatement(window, true);
    return await this.#statements.runNewest({ sql: search.sql, foundMin }, sql, { rowsMax, bytesMax }, this.#signal);
  }

  #rowsStatement(bounds: AllBounds, isSinceCutoff = false): Statement {
    const chosen = this.#chooseAll(bounds);
    const { nowMicros, profile, rowsMax } = this.#request;
    const statement = rowsStatement(this.#plan, chosen.choices, bounds, nowMicros, profile, rowsMax, isSinceCutoff);
    this.#remember(statement, chosen.files);
    return statement;
  }

  #remember(statement: Statement, filesByScan: ReadonlyMap<Column, readonly EventFile[]>): void {
    for (const [timestamp, paths] of statement.trusted) {
      const bounds = this.#plan.bounds.get(timestamp);
      const files = filesByScan.get(timestamp);
      if (bounds !== undefined && files !== undefined) this.#trusted.push({ bounds, files, paths });
    }
  }

  #chooseAll(all: AllBounds): {
    choices: ReadonlyMap<Column, ScanChoice>;
    files: ReadonlyMap<Column, readonly EventFile[]>;
  } {
    const choices = new Map<Column, ScanChoice>();
    const filesByScan = new Map<Column, readonly EventFile[]>();
    for (const [timestamp, bounds] of all) {
      const files = filesWithin(this.#files, bounds);
      filesByScan.set(timestamp, files);
      choices.set(timestamp, choiceOf(files, bounds));
    }
    return { choices, files: filesByScan };
  }
}

/** The bounds, no wider than the times (inclusive; null for no limit). */
function withinTimes(all: AllBounds, fromMicros: bigint | null, toMicros: bigint | null): AllBounds {
  const later = (a: bigint | null, b: bigint | null) => (a === null || (b !== null && b > a) ? b : a);
  const earlier = (a: bigint | null, b: bigint | null) => (a === null || (b !== null && b < a) ? b : a);
  return new Map(
    [...all].map(([timestamp, bounds]) => [
      timestamp,
      {
        ...bounds,
        fromMicros: later(bounds.fromMicros, fromMicros),
        toMicros: earlier(bounds.toMicros, toMicros),
      },
    ]),
  );
}
