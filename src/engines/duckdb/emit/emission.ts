import { ServiceError } from '../../../core/errors.ts';
import type { ScanRead } from '../../../googlesql/plan/attachScans.ts';
import type { Column, Expr, Relation, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { Placeholders } from './placeholders.ts';

/** Where one scan reads: the attached databases that can hold its events, and what it takes from them. */
export interface ScanSource {
  readonly databases: readonly string[];
  readonly reads: readonly ScanRead[];
  /** What the arrival numbers of its events are called; null where nothing asks for them. */
  readonly arrival: Column | null;
  /** Databases whose tables lack them: their events have none. */
  readonly unnumbered: ReadonlySet<string>;
  /** Whether it reads events of named projects only. */
  readonly isHeld: boolean;
  /** Conditions in SQL over the stored columns that every wanted event meets. */
  readonly conditions: readonly string[];
  /** By database, further such conditions that only it needs, or that are over columns that not all of them have. */
  readonly conditionsOf: ReadonlyMap<string, readonly string[]>;
  /** pathKeys of objects on the way that may be arrays in these files. */
  readonly mayHoldArrays: (path: readonly string[]) => boolean;
  /** What the redacting functions are given (process/redactingFunctions.ts); null where events are read as they are. */
  readonly redactionTag: string | null;
}

/** The FROM and WHERE of a SELECT that is being built; its select list comes from whoever closes it. */
export interface Block {
  /** A FROM item; empty for one row without columns. */
  readonly from: string;
  /** Whether `from` is a tree of joins: it must stand in parentheses on the right of another join. */
  readonly isJoined?: boolean;
  readonly where: readonly string[];
}

/** The two writers that every construct needs for what is inside it. */
export interface Writers {
  /** An expression as SQL that stands in any place without parentheses around it. */
  expr(expr: Expr, emission: Emission): string;
  /** A relation; afterwards `emission.name` knows its columns in the scope of the returned block. */
  relation(relation: Relation, emission: Emission): Block;
}

/**
 * Some constructs stand in the engine's text more than once. What grows beyond this is refused
 * before it is written out whole: no query of a reasonable form comes near.
 */
export const statementCharsMax = 2_000_000;

export const tooLong = (): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    'The query becomes too long when it is written out for the engine; use fewer or simpler expressions inside one another, or split it with WITH.',
  );

/** Columns with greater ids are of one statement's text alone. */
const firstWrittenId = 1_000_000_000;

/** The state of writing one statement: what each column is called where the text now stands. */
export class Emission {
  /** For what differs from call to call. */
  readonly slots: Placeholders;
  readonly scans: ReadonlyMap<Column, ScanSource>;
  /** Columns that something reads; the others are not carried through subselects. */
  readonly used: ReadonlySet<Column>;
  /** FLOAT64 columns that hold neither NaN nor infinities, as far as is known (numberFacts.ts). */
  readonly finite: Set<Column>;
  /** Columns of numbers that are greater than zero or NULL, as far as is known (numberFacts.ts). */
  readonly positive = new Set<Column>();
  /** Text of the common table expressions, in order. */
  readonly commonTables: string[] = [];
  readonly #writers: Writers;
  readonly #names = new Map<Column, string>();
  readonly #texts = new Map<Column, string>();
  #aliases = 0;
  #columns = 0;
  #isCorrelated = false;

  constructor(
    writers: Writers,
    slots: Placeholders,
    scans: ReadonlyMap<Column, ScanSource>,
    used: ReadonlySet<Column>,
  ) {
    this.#writers = writers;
    this.slots = slots;
    this.scans = scans;
    this.used = used;
    const reads = [...scans.values()].flatMap((source) => source.reads);
    this.finite = new Set(reads.flatMap(({ column }) => (column.type.kind === 'FLOAT64' ? [column] : [])));
  }

  /** What a scan gives: its columns, what is read from its metadata, and what its events are ordered by. */
  scanColumns(scan: ScanRelation): readonly Column[] {
    const { reads = [], arrival = null } = this.scans.get(scan.columns.timestamp) ?? {};
    const columns = [...Object.values(scan.columns), ...reads.map((read) => read.column)];
    return arrival === null ? columns : [...columns, arrival];
  }

  expr(expr: Expr): string {
    const text = this.#writers.expr(expr, this);
    if (text.length > statementCharsMax) throw tooLong();
    return text;
  }

  relation(relation: Relation): Block {
    return this.#writers.relation(relation, this);
  }

  /** Whether a relation that is written now stands in a subquery that reads columns of the query around it. */
  get isCorrelated(): boolean {
    return this.#isCorrelated;
  }

  /** Writes what stands in a subquery; what is inside a correlated one stays so. */
  inSubquery<T>(isCorrelated: boolean, write: () => T): T {
    const before = this.#isCorrelated;
    this.#isCorrelated ||= isCorrelated;
    const written = write();
    this.#isCorrelated = before;
    return written;
  }

  newAlias(): string {
    this.#aliases += 1;
    return `t${this.#aliases}`;
  }

  /** A column that stands in the text and in no tree. */
  newColumn(name: string, type: SqlType): Column {
    this.#columns += 1;
    return { id: firstWrittenId + this.#columns, name, type };
  }

  name(column: Column): string {
    const name = this.#names.get(column);
    if (name === undefined) throw new Error(`column ${column.name} (${column.id}) is read where it does not exist`);
    return name;
  }

  setName(column: Column, sql: string): void {
    this.#names.set(column, sql);
    this.#texts.delete(column);
  }

  /** Names a JSON column that is there as text: whoever needs JSON has the engine read all of it, to see that it is. */
  setText(column: Column, sql: string): void {
    this.setName(column, `CAST(${sql} AS JSON)`);
    this.#texts.set(column, sql);
  }

  /** What gives the text of a column that is named by `setText`; null for others. */
  textOf(column: Column): string | null {
    return this.#texts.get(column) ?? null;
  }

  /** The text of a JSON value that is to be shown as it is stored. */
  jsonText(expr: Expr): string {
    return (expr.kind === 'column' ? this.textOf(expr.column) : null) ?? this.expr(expr);
  }

  /** The name of a column as an output of a subselect. */
  static columnAlias(column: Column): string {
    return `c${column.id}`;
  }
}
