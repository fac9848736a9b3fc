import { inThisTurn, type Pause } from '../../../core/concurrency/turns.ts';
import { type NewestFirst, newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Explanation, RowForm, RunCaller, RunRequest, RunTime } from '../../../ports/queryEngine.ts';
import { cutoffInSteps, rowsInSteps, streamInSteps } from '../emit/emitStatement.ts';
import type { Statement } from '../emit/emittedStatement.ts';
import type { ScanChoice } from '../emit/scanChoice.ts';
import type { EventFile } from '../files/eventFiles.ts';
import { NewestWindows } from './newestWindows.ts';
import { choiceOf, irregularOf, keptConditionOf } from './scanChoices.ts';
import { eventsMost, holdsWithin, segmentsToRead } from './segmentsToRead.ts';
import type {
  EncodedRows,
  EndOfRows,
  EngineRunner,
  RowsBounds,
  StatementRunner,
  TakeFrame,
} from './statementRunner.ts';
import { type TableRead, tableReadsOf } from './tableRead.ts';

/** Bounds of every scan of a query, by the scan's timestamp column. */
type AllBounds = ReadonlyMap<Column, ScanBounds>;

/**
 * Number of events in the segments of a window up to which rows with metadata are read at once. Measured: above it,
 * finding a cutoff first pays off if the window holds more events than expected.
 */
const readWholeMax = 3000;

/** A statement that returns rows, with the tables that it reads. */
interface WrittenRows extends Statement {
  readonly reads: () => readonly TableRead[];
}

/** The segments of each scan, with what is known of them at one moment. */
interface Chosen {
  readonly choices: ReadonlyMap<Column, ScanChoice>;
  readonly files: ReadonlyMap<Column, readonly EventFile[]>;
}

/** One attempt of a run on one set of segments. */
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
  /** Row conditions that were used for active segments. */
  readonly #kept: { readonly file: EventFile; readonly bounds: ScanBounds; readonly condition: string | null }[] = [];
  /** Bounds within which the rows were read. */
  #read: AllBounds;
  /** The last written statement of rows and its bounds, because writing that of a long query takes long. */
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
    // Directly from the request, not from the plan, because the isolation check must not depend on a correct plan.
    this.#statements = statements.boundTo(request.projects, plan.redaction?.tag ?? null, time, caller);
    this.#signal = signal;
    this.#read = plan.bounds;
  }

  async rows(): Promise<EncodedRows> {
    const newest = newestFirst(this.#plan.relation, this.#request.rowsMax);
    return newest === null ? await this.#rowsWithin(this.#plan.bounds) : await this.#newestRows(newest);
  }

  get #rowsBounds(): RowsBounds {
    const { rowsMax, bytesMax, hasRowKeys = false } = this.#request;
    return { rowsMax, bytesMax, hasRowKeys };
  }

  /** Reads all rows at once: windows of time would read the first rows again. */
  async stream(take: TakeFrame, form?: RowForm): Promise<EndOfRows> {
    const { rowsMax, bytesMax, profile } = this.#request;
    const { bounds } = this.#plan;
    const { choices, files } = this.#chooseAll(bounds);
    const written = await inThisTurn(streamInSteps(this.#plan, choices, bounds, profile, form), this.#pause);
    this.#remember(written, files);
    const reads = () => readsOf(bounds, files);
    const takeLines: TakeFrame = ({ rows, rowCount }) => take({ kind: 'lines', rows, rowCount });
    const hasColumns = form?.kind === 'columns';
    const taken = form === undefined || hasColumns ? take : takeLines;
    const streamed = { rowsMax, bytesMax, hasColumns, doublesQuotes: form?.kind === 'csv' };
    return await this.#statements.streamRows(written.sql, streamed, taken, this.#signal, reads);
  }

  async explain(): Promise<Explanation> {
    const { sql, reads } = await this.#rowsStatement(this.#plan.bounds);
    return { statement: sql, plan: await this.#statements.explain(sql, this.#signal, reads) };
  }

  /**
   * Whether the assumptions of the statements still hold: no irregular event, and no event too old to be seen, has
   * arrived.
   */
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

  /** The segments that it can have read. */
  get filesRead(): readonly EventFile[] {
    const read = new Set([...this.#plan.bounds.values()].flatMap((bounds) => segmentsToRead(this.#files, bounds)));
    return [...read];
  }

  /** Whether one of the segments held events that the rows depend on. */
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
   * Reads the newest events first: a window of time that should hold enough rows, then wider ones if it does not. Every
   * event since the start of a window is read, so if it has enough rows, they are the newest of all.
   */
  async #newestRows(newest: NewestFirst): Promise<EncodedRows> {
    const all = this.#plan.bounds;
    const windows = new NewestWindows(this.#files, [...all.values()], newest.count);
    for (let isFirst = true; ; isFirst = false) {
      const fromMicros = windows.next();
      const window = sinceMicros(all, fromMicros);
      // If the first window had too few rows, few events match, so the rows are read while they are searched.
      const isReadAtOnce = !isFirst || (await this.#isReadAtOnce(window));
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
   * Whether finding a cutoff first would cost more than it saves: a second statement to prepare, for rows that are few
   * or cheap. Redacted texts are not cheap, and too many are not allowed.
   */
  async #isReadAtOnce(window: AllBounds): Promise<boolean> {
    if (eventsMost(this.#files, [...window.values()]) <= readWholeMax) return true;
    return this.#plan.redaction === null && !(await this.#rowsStatement(window)).readsMetadata;
  }

  async #rowsWithin(bounds: AllBounds): Promise<EncodedRows & { readonly found: number }> {
    this.#read = bounds;
    const { sql, reads } = await this.#rowsStatement(bounds);
    const rows = await this.#statements.runRows(sql, this.#rowsBounds, this.#signal, reads);
    return { ...rows, found: rows.rowCount };
  }

  /**
   * First finds, with only the columns of the filters, how far back in the window the requested rows reach. Then reads
   * whole rows since that cutoff; none if it finds too few. Every row of the answer is an event at or after the cutoff,
   * so the answer is the same.
   */
  async #rowsSinceCutoff(
    newest: NewestFirst,
    window: AllBounds,
    isLast: boolean,
  ): Promise<EncodedRows & { readonly found: number }> {
    // One choice for both statements: with two, a deletion in between hides rows that the cutoff counted.
    const chosen = this.#chooseAll(window);
    const search = await inThisTurn(cutoffInSteps(this.#plan, newest, chosen.choices, window), this.#pause);
    // The search would cost as much as reading the rows, which must be read anyway.
    if (search.readsMetadata) return await this.#rowsWithin(window);
    this.#remember(search, chosen.files);
    await this.#pause.takeIfOver();
    const { sql, reads } = await this.#writeRows(window, chosen, true);
    const foundMin = isLast ? 1 : newest.count;
    const { cutoff, ...rows } = await this.#statements.runNewest(
      { sql: search.sql, foundMin },
      sql,
      this.#rowsBounds,
      this.#signal,
      reads,
    );
    this.#read = sinceMicros(window, cutoff.micros);
    return { ...rows, found: cutoff.found };
  }

  async #rowsStatement(bounds: AllBounds): Promise<WrittenRows> {
    if (this.#written?.bounds === bounds) return this.#written.statement;
    const statement = await this.#writeRows(bounds, this.#chooseAll(bounds), false);
    this.#written = { bounds, statement };
    return statement;
  }

  async #writeRows(bounds: AllBounds, { choices, files }: Chosen, isSinceCutoff: boolean): Promise<WrittenRows> {
    const { profile, rowsMax } = this.#request;
    const steps = rowsInSteps(this.#plan, choices, bounds, profile, rowsMax, isSinceCutoff);
    const written = await inThisTurn(steps, this.#pause);
    this.#remember(written, files);
    return { ...written, reads: () => readsOf(bounds, files) };
  }

  #remember(statement: Statement, filesByScan: ReadonlyMap<Column, readonly EventFile[]>): void {
    for (const [timestamp, paths] of statement.trusted) {
      const bounds = this.#plan.bounds.get(timestamp);
      const files = filesByScan.get(timestamp);
      if (bounds !== undefined && files !== undefined) this.#trusted.push({ bounds, files, paths });
    }
  }

  #chooseAll(all: AllBounds): Chosen {
    const choices = new Map<Column, ScanChoice>();
    const filesByScan = new Map<Column, readonly EventFile[]>();
    for (const [timestamp, bounds] of all) {
      const files = segmentsToRead(this.#files, bounds);
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

/**
 * The tables that statements written for these segments read, by scan. A chosen segment stays chosen, whatever is
 * deleted later.
 */
function readsOf(all: AllBounds, filesByScan: ReadonlyMap<Column, readonly EventFile[]>): readonly TableRead[] {
  return tableReadsOf([...all].map(([scan, bounds]) => ({ bounds, files: filesByScan.get(scan) ?? [] })));
}

/** The bounds, but not before the time (inclusive; null for no limit). */
function sinceMicros(all: AllBounds, micros: bigint | null): AllBounds {
  if (micros === null) return all;
  return new Map(
    [...all].map(([timestamp, bounds]) => {
      const { fromMicros } = bounds;
      return [timestamp, fromMicros !== null && fromMicros > micros ? bounds : { ...bounds, fromMicros: micros }];
    }),
  );
}
