import type { Pause } from '../../../core/concurrency/turns.ts';
import { type NewestFirst, newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Explanation, RunCaller, RunRequest, RunTime } from '../../../ports/queryEngine.ts';
import { cutoffStatement, rowsStatement, type ScanChoice, type Statement } from '../emit/statement.ts';
import type { EventFile } from '../files/eventFiles.ts';
import { NewestWindows } from './newestWindows.ts';
import { choiceOf, eventsMost, filesWithin, holdsWithin, irregularOf, keptConditionOf } from './scanFiles.ts';
import type { EncodedRows, EngineRunner, StatementRunner } from './statementRunner.ts';
import { type TableRead, tableReadsOf } from './tableRead.ts';

/** Bounds of every scan of a query, by the scan's timestamp column. */
type AllBounds = ReadonlyMap<Column, ScanBounds>;

/**
 * Events in the files of a window up to which rows with metadata are read at once; measured: beyond it, finding a cutoff
 * first pays where the window holds more events than were expected.
 */
const readWholeMax = 3000;

/** A statement of rows, with what it reads. */
interface WrittenRows extends Statement {
  readonly reads: () => readonly TableRead[];
}

/** One attempt of a run on one set of files. */
export class QueryRun {
  readonly #plan: QueryPlan;
  readonly #pause: Pause;
  readonly #request: RunRequest;
  readonly #files: readonly EventFile[];
  readonly #statements: StatementRunner;
  readonly #signal: AbortSignal;
  readonly #trusted: {
    readonly bounds: ScanBounds;
    readonly files: readonly EventFile[];
    readonly paths: ReadonlySet<string>;
  }[] = [];
  /** Conditions with which files were read that receive events. */
  readonly #kept: { readonly file: EventFile; readonly bounds: ScanBounds; readonly condition: string | null }[] = [];
  /** What the rows were read from. */
  #read: AllBounds;
  /** The statement of rows that was written last, and for which bounds: to write that of a long query takes long. */
  #written: { readonly bounds: AllBounds; readonly statement: WrittenRows } | null = null;

  constructor(
    plan: QueryPlan,
    pause: Pause,
    request: RunRequest,
    files: readonly EventFile[],
    statements: EngineRunner,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ) {
    this.#plan = plan;
    this.#pause = pause;
    this.#request = request;
    this.#files = files;
    // Straight from the request, past the plan: what the engine process checks must not hang on the plan being right.
    this.#statements = statements.boundTo(request.projects, plan.redaction?.tag ?? null, time, caller);
    this.#signal = signal;
    this.#read = plan.bounds;
  }

  async rows(): Promise<EncodedRows> {
    const newest = newestFirst(this.#plan.relation, this.#request.rowsMax);
    return newest === null ? await this.#rowsWithin(this.#plan.bounds) : await this.#newestRows(newest);
  }

  async explain(): Promise<Explanation> {
    const { sql, reads } = this.#rowsStatement(this.#plan.bounds);
    return { statement: sql, plan: await this.#statements.explain(sql, this.#signal, reads) };
  }

  /** Whether no event arrived that the statements trusted not to exist: an irregular one, or one that is too old to be seen. */
  isTrustKept(): boolean {
    if (this.#kept.some(({ file, bounds, condition }) => keptConditionOf(file, bounds) !== condition)) return false;
    return this.#trusted.every(({ bounds, files, paths }) =>
      files.every((file) => {
        if (file.kind === 'sealed') return true;
        const irregular = irregularOf(file, bounds);
        return [...paths].every((path) => !irregular.has(path));
      }),
    );
  }

  /** The files that it can have read. */
  get filesRead(): readonly EventFile[] {
    const read = new Set([...this.#plan.bounds.values()].flatMap((bounds) => filesWithin(this.#files, bounds)));
    return [...read];
  }

  /** Whether one of the files held events that the rows would have been made of. */
  wouldRead(files: readonly EventFile[]): boolean {
    return [...this.#read.values()].some((bounds) => files.some((file) => holdsWithin(file, bounds)));
  }

  /** Whether it reads events at all. */
  get readsEvents(): boolean {
    return this.#plan.bounds.size > 0;
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
    for (let isFirst = true; ; isFirst = false) {
      const fromMicros = windows.next();
      const window = sinceMicros(all, fromMicros);
      // Where the first window gave too few, few of the events match: they are read while they are looked for.
      const isReadAtOnce = !isFirst || this.#isReadAtOnce(window);
      await this.#pause.takeIfOver();
      const { found, ...rows } = isReadAtOnce
        ? await this.#rowsWithin(window)
        : await this.#rowsSinceCutoff(newest, window, fromMicros === null);
      const isEnough = found >= newest.count || rows.hasMore || rows.cutByBytes || rows.rowCount === newest.limit;
      if (fromMicros === null || isEnough) return rows;
      windows.report(found);
    }
  }

  /**
   * Whether finding a cutoff first would cost more than it saves: a second statement to prepare, beside rows that are
   * few or cheap. Texts that are redacted are neither cheap nor, where there are many, allowed.
   */
  #isReadAtOnce(window: AllBounds): boolean {
    if (eventsMost(this.#files, [...window.values()]) <= readWholeMax) return true;
    return this.#plan.redaction === null && !this.#rowsStatement(window).readsMetadata;
  }

  async #rowsWithin(bounds: AllBounds): Promise<EncodedRows & { readonly found: number }> {
    const { rowsMax, bytesMax } = this.#request;
    this.#read = bounds;
    const { sql, reads } = this.#rowsStatement(bounds);
    const rows = await this.#statements.runRows(sql, { rowsMax, bytesMax }, this.#signal, reads);
    return { ...rows, found: rows.rowCount };
  }

  /**
   * Finds first, by the columns of the filters alone, how far back in the window the wanted rows reach,
   * and reads whole rows since then, none where it finds too few. Every row of the answer is an event
   * at or after that cutoff: the answer is the same.
   */
  async #rowsSinceCutoff(
    newest: NewestFirst,
    window: AllBounds,
    isLast: boolean,
  ): Promise<EncodedRows & { readonly found: number }> {
    const { rowsMax, bytesMax } = this.#request;
    const chosen = this.#chooseAll(window);
    const search = cutoffStatement(this.#plan, newest, chosen.choices, window);
    // It would cost what reading the rows costs, which have to be read then all the same.
    if (search.readsMetadata) return await this.#rowsWithin(window);
    this.#remember(search, chosen.files);
    await this.#pause.takeIfOver();
    const { sql, reads } = this.#rowsStatement(window, true);
    const foundMin = isLast ? 1 : newest.count;
    const { cutoff, ...rows } = await this.#statements.runNewest(
      { sql: search.sql, foundMin },
      sql,
      { rowsMax, bytesMax },
      this.#signal,
      // Meanwhile, events may have been deleted: each of the two reads the files that it was written for.
      () => [...readsOf(window, chosen.files), ...reads()],
    );
    this.#read = sinceMicros(window, cutoff.micros);
    return { ...rows, found: cutoff.found };
  }

  #rowsStatement(bounds: AllBounds, isSinceCutoff = false): WrittenRows {
    if (!isSinceCutoff && this.#written?.bounds === bounds) return this.#written.statement;
    const chosen = this.#chooseAll(bounds);
    const { profile, rowsMax } = this.#request;
    const written = rowsStatement(this.#plan, chosen.choices, bounds, profile, rowsMax, isSinceCutoff);
    const statement = { ...written, reads: () => readsOf(bounds, chosen.files) };
    this.#remember(statement, chosen.files);
    if (!isSinceCutoff) this.#written = { bounds, statement };
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
      const choice = choiceOf(files, bounds);
      choices.set(timestamp, choice);
      for (const file of files) {
        if (file.kind === 'sealed') continue;
        this.#kept.push({ file, bounds, condition: choice.kept.get(file.alias) ?? null });
      }
    }
    return { choices, files: filesByScan };
  }
}

/** What statements read that were written for these files, by scan: a file that was chosen stays one, whatever is deleted later. */
function readsOf(all: AllBounds, filesByScan: ReadonlyMap<Column, readonly EventFile[]>): readonly TableRead[] {
  return tableReadsOf([...all].map(([scan, bounds]) => ({ bounds, files: filesByScan.get(scan) ?? [] })));
}

/** The bounds, not before the time (inclusive; null for no limit). */
function sinceMicros(all: AllBounds, micros: bigint | null): AllBounds {
  if (micros === null) return all;
  return new Map(
    [...all].map(([timestamp, bounds]) => {
      const { fromMicros } = bounds;
      return [timestamp, fromMicros !== null && fromMicros > micros ? bounds : { ...bounds, fromMicros: micros }];
    }),
  );
}
