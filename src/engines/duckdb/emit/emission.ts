import { atOnce } from '../../../core/concurrency/turns.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { ScanRead } from '../../../googlesql/plan/attachScans.ts';
import type { Column, Expr, Relation, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { groupsOf } from './exprGroups.ts';
import type { Placeholders } from './placeholders.ts';
import { byRow } from './rowByRow.ts';

/** The attached databases that one scan reads, and the conditions on their rows. */
export interface ScanSource {
  readonly databases: readonly string[];
  readonly reads: readonly ScanRead[];
  /** Column for the arrival numbers of its events; null if they are not needed. */
  readonly arrival: Column | null;
  /** Databases whose tables have no column for them: their events have no arrival number. */
  readonly unnumbered: ReadonlySet<string>;
  /** Whether it reads only events of named projects. */
  readonly isHeld: boolean;
  /** Conditions in SQL on the stored columns that every matching event meets. */
  readonly conditions: readonly string[];
  /** Further conditions by database, for a single database or on columns that not all databases have. */
  readonly conditionsOf: ReadonlyMap<string, readonly string[]>;
  /** Whether a path leads through objects that may be arrays in these files. */
  readonly mayHoldArrays: (path: readonly string[]) => boolean;
  /**
   * Argument of the redacting functions (process/scripted/redactingFunctions.ts); null if events are read unredacted.
   */
  readonly redactionTag: string | null;
}

/** FROM and WHERE of a SELECT under construction; its select list is added by the code that closes it. */
export interface Block {
  /** A FROM item; empty for one row without columns. */
  readonly from: string;
  /** Whether `from` is a tree of joins, which needs parentheses on the right side of another join. */
  readonly isJoined?: boolean;
  readonly where: readonly string[];
}

/** The two writers that every construct needs for its parts. */
export interface Writers {
  /** Writes an expression as SQL that is valid in any place without parentheses. */
  expr(expr: Expr, emission: Emission): string;
  /** Writes a relation in steps; afterwards, `emission.name` knows its columns in the scope of the returned block. */
  relation(relation: Relation, emission: Emission): Generator<undefined, Block>;
}

/**
 * Limit of a statement's text. Some constructs repeat parts of the text; a longer text is rejected before it is
 * complete. Reasonable queries do not come near the limit.
 */
export const statementCharsMax = 2_000_000;

export const tooLong = (): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    'The query becomes too long when it is translated for the engine. Nest fewer or simpler expressions, or split the query with WITH.',
  );

/** Columns with higher ids exist only in the text of one statement. */
const firstWrittenId = 1_000_000_000;

/** State of writing one statement: the name of each column at the current position of the text. */
export class Emission {
  /** Placeholders for values that differ between calls. */
  readonly slots: Placeholders;
  readonly scans: ReadonlyMap<Column, ScanSource>;
  /** Columns that are read anywhere; others are not passed through subselects. */
  readonly used: ReadonlySet<Column>;
  /** JSON columns of WITH tables that are stored as text. */
  readonly storedTexts: ReadonlySet<Column>;
  /** Whether scans return their texts for row by row use (rowByRow.ts). */
  readonly isByRow: boolean;
  /** FLOAT64 columns that are known to hold neither NaN nor infinities (numberFacts.ts). */
  readonly finite: Set<Column>;
  /** Columns of numbers that are known to be positive or NULL (numberFacts.ts). */
  readonly positive = new Set<Column>();
  /** The stored columns that were written, by the scan's timestamp column. */
  readonly stored = new Map<Column, ReadonlySet<string>>();
  /** Texts of the common table expressions, in order. */
  readonly commonTables: string[] = [];
  readonly #writers: Writers;
  readonly #names = new Map<Column, string>();
  readonly #texts = new Map<Column, string>();
  /** Columns of the joins of the current position, if they are read row by row. */
  readonly #joined = new Set<Column>();
  /** Whether joined columns are read as they are. */
  #isPlain = false;
  #aliases = 0;
  #columns = 0;
  #isCorrelated = false;
  /** Texts of parts of the expression that is being written in steps. */
  #parts: Map<Expr, string> | null = null;

  constructor(
    writers: Writers,
    slots: Placeholders,
    scans: ReadonlyMap<Column, ScanSource>,
    used: ReadonlySet<Column>,
    isByRow: boolean,
    storedTexts: ReadonlySet<Column> = new Set(),
  ) {
    this.#writers = writers;
    this.slots = slots;
    this.scans = scans;
    this.used = used;
    this.storedTexts = storedTexts;
    this.isByRow = isByRow;
    const reads = [...scans.values()].flatMap((source) => source.reads);
    this.finite = new Set(reads.flatMap(({ column }) => (column.type.kind === 'FLOAT64' ? [column] : [])));
  }

  /** The columns of a scan: its own, those read from its metadata, and those that order its events. */
  scanColumns(scan: ScanRelation): readonly Column[] {
    const { reads = [], arrival = null } = this.scans.get(scan.columns.timestamp) ?? {};
    const columns = [...Object.values(scan.columns), ...reads.map((read) => read.column)];
    return arrival === null ? columns : [...columns, arrival];
  }

  expr(expr: Expr): string {
    const part = this.#parts?.get(expr);
    if (part !== undefined) return part;
    const text = this.#writers.expr(expr, this);
    if (text.length > statementCharsMax) throw tooLong();
    return text;
  }

  /** Like `expr`, in steps: writes the parts of a large expression first, and then what is around them. */
  *exprInSteps(expr: Expr): Generator<undefined, string> {
    const groups = groupsOf(expr);
    if (groups.length === 0) return this.expr(expr);
    const parts = new Map<Expr, string>();
    this.#parts = parts;
    for (const group of groups) {
      for (const part of group) parts.set(part, this.expr(part));
      yield;
    }
    const text = this.expr(expr);
    this.#parts = null;
    return text;
  }

  /**
   * Like `exprInSteps`, for an expression that never fails: it reads joined columns as they are. Of other expressions, the engine
   * makes no hash join.
   */
  *plainExprInSteps(expr: Expr): Generator<undefined, string> {
    const before = this.#isPlain;
    this.#isPlain = true;
    const text = yield* this.exprInSteps(expr);
    this.#isPlain = before;
    return text;
  }

  relation(relation: Relation): Block {
    return atOnce(this.relationInSteps(relation));
  }

  relationInSteps(relation: Relation): Generator<undefined, Block> {
    return this.#writers.relation(relation, this);
  }

  /** Whether the current relation is in a subquery that reads columns of an outer query. */
  get isCorrelated(): boolean {
    return this.#isCorrelated;
  }

  /** Writes the contents of a subquery; everything inside a correlated subquery is correlated too. */
  inSubquery<T>(isCorrelated: boolean, write: () => T): T {
    const before = this.#isCorrelated;
    const parts = this.#parts;
    this.#isCorrelated ||= isCorrelated;
    // A subquery can have other names for the same columns.
    this.#parts = null;
    const written = write();
    this.#parts = parts;
    this.#isCorrelated = before;
    return written;
  }

  newAlias(): string {
    this.#aliases += 1;
    return `t${this.#aliases}`;
  }

  /** A column that exists only in the text, not in a tree. */
  newColumn(name: string, type: SqlType): Column {
    this.#columns += 1;
    return { id: firstWrittenId + this.#columns, name, type };
  }

  name(column: Column): string {
    return this.#readSql(column, this.#plainName(column));
  }

  #plainName(column: Column): string {
    const name = this.#names.get(column);
    if (name === undefined) throw new Error(`column ${column.name} (${column.id}) is read where it does not exist`);
    return name;
  }

  setName(column: Column, sql: string): void {
    this.#names.set(column, sql);
    this.#texts.delete(column);
    this.#joined.delete(column);
  }

  /** Gives columns the names of others, all at once. */
  rename(pairs: readonly (readonly [column: Column, from: Column])[]): void {
    const found = pairs.map(([column, from]) => ({
      column,
      isJoined: this.#joined.has(from),
      sql: this.#plainName(from),
    }));
    for (const { column, isJoined, sql } of found) {
      this.setName(column, sql);
      if (isJoined) this.#joined.add(column);
    }
  }

  /**
   * Marks columns of a join. The engine makes dictionaries of the rows of one side, in which there are also values of rows that
   * find no partner, or that a CASE leaves out.
   */
  setJoined(columns: readonly Column[]): void {
    if (this.isByRow) for (const column of columns) this.#joined.add(column);
  }

  #readSql(column: Column, sql: string): string {
    return this.#joined.has(column) && !this.#isPlain ? byRow(sql) : sql;
  }

  /**
   * Names a JSON column that is available as text. Using it as JSON makes the engine parse the whole text to validate
   * it.
   */
  setText(column: Column, sql: string): void {
    this.setName(column, `CAST(${sql} AS JSON)`);
    this.#texts.set(column, sql);
  }

  /** SQL of the text of a column that `setText` named; null for others. */
  textOf(column: Column): string | null {
    const text = this.#texts.get(column);
    return text === undefined ? null : this.#readSql(column, text);
  }

  /** SQL of a JSON value's text exactly as stored. */
  jsonText(expr: Expr): string {
    return (expr.kind === 'column' ? this.textOf(expr.column) : null) ?? this.expr(expr);
  }

  /** Name of a column as an output of a subselect. */
  static columnAlias(column: Column): string {
    return `c${column.id}`;
  }
}
