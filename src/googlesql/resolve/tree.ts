import type { NoticeCode } from '../../core/noticeCatalogue.ts';
import type { Source } from '../../sources/source.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { Position } from '../syntax/nodes.ts';
import type { ScalarTypeName, SqlType } from '../types.ts';

/**
 * The resolved tree: the one interface between the language and an engine. Every name is bound:
 * a column reference points at the `Column` object that one relation produces, every expression
 * has a type, every function is one of the catalogue. Nothing of the caller's text is left but
 * literal values.
 */

/** A column that exactly one relation produces. Identity is the object. */
export interface Column {
  readonly id: number;
  /** For error messages and output names only. */
  readonly name: string;
  readonly type: SqlType;
}

export type LiteralValue = null | boolean | bigint | number | string | Uint8Array;

export type Expr =
  | LiteralExpr
  | ParameterExpr
  | NowExpr
  | ColumnExpr
  | PathReadExpr
  | CallExpr
  | CastExpr
  | CaseExpr
  | SubqueryExpr
  | InSubqueryExpr
  | ArrayExpr
  | StructExpr
  | StructFieldExpr;

/**
 * Values by type: INT64 bigint; FLOAT64 number; BOOL boolean; STRING string; BYTES Uint8Array;
 * TIMESTAMP and DATETIME bigint microseconds since 1970; DATE bigint days since 1970; TIME bigint
 * microseconds since midnight; JSON string (JSON text); null for any type.
 */
export interface LiteralExpr {
  readonly kind: 'literal';
  readonly type: SqlType;
  readonly value: LiteralValue;
}

/** A declared parameter of the endpoint; its value comes with the run. */
export interface ParameterExpr {
  readonly kind: 'parameter';
  readonly type: SqlType;
  readonly name: string;
}

/** The run's one reading of the clock; TIMESTAMP. */
export interface NowExpr {
  readonly kind: 'now';
  readonly type: SqlType;
}

export interface ColumnExpr {
  readonly kind: 'column';
  readonly type: SqlType;
  readonly column: Column;
}

/**
 * Reads the member at `path` (possibly empty) of a JSON value and gives it as `wanted`; NULL where
 * the member is missing, null, or cannot be read so (googlesql.md, section 2). `JSON` gives the
 * value itself, `FLOAT64` the number, `STRING` the text of a scalar.
 */
export interface PathReadExpr {
  readonly kind: 'pathRead';
  readonly type: SqlType;
  readonly base: Expr;
  readonly path: readonly string[];
  readonly wanted: ScalarTypeName;
}

export interface CallExpr {
  readonly kind: 'call';
  readonly type: SqlType;
  readonly fn: FunctionName;
  readonly args: readonly CallArgument[];
  /** SAFE. prefix. */
  readonly safe: boolean;
  readonly pos: Position;
}

/** An expression, or a date part as normalised lower-case text (`week(monday)`). */
export type CallArgument = Expr | { readonly kind: 'part'; readonly part: string };

export interface CastExpr {
  readonly kind: 'cast';
  readonly type: SqlType;
  readonly value: Expr;
  readonly safe: boolean;
  /** Where nobody wrote a cast: nested values in arrays and structs are read as their place asks for. */
  readonly isImplicit?: true;
  readonly pos: Position;
  /** What the value is called in the text, for the error (`metadata.response.status_code`). */
  readonly label: string;
}

/** A searched CASE; every condition BOOL, every result of the node's type. */
export interface CaseExpr {
  readonly kind: 'case';
  readonly type: SqlType;
  readonly branches: readonly { readonly when: Expr; readonly value: Expr }[];
  readonly otherwise: Expr | null;
}

export interface SubqueryExpr {
  readonly kind: 'subquery';
  readonly type: SqlType;
  readonly mode: 'scalar' | 'exists' | 'array';
  readonly query: Relation;
  /** The column whose values count; for EXISTS any. */
  readonly column: Column | null;
  readonly pos: Position;
}

export interface InSubqueryExpr {
  readonly kind: 'inSubquery';
  readonly type: SqlType;
  readonly value: Expr;
  readonly query: Relation;
  readonly column: Column;
  readonly pos: Position;
}

export interface ArrayExpr {
  readonly kind: 'array';
  readonly type: SqlType;
  readonly elements: readonly Expr[];
}

export interface StructExpr {
  readonly kind: 'struct';
  readonly type: SqlType;
  readonly values: readonly Expr[];
}

export interface StructFieldExpr {
  readonly kind: 'structField';
  readonly type: SqlType;
  readonly value: Expr;
  readonly index: number;
}

export interface Computed {
  readonly column: Column;
  readonly expr: Expr;
}

export interface SortKey {
  readonly expr: Expr;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last';
}

export interface CallModifiers {
  readonly distinct: boolean;
  readonly nulls: 'ignore' | 'respect' | null;
  readonly orderBy: readonly SortKey[];
  readonly limit: number | null;
}

export interface AggregateCall {
  readonly column: Column;
  readonly fn: FunctionName;
  /** Empty for COUNT(*). */
  readonly args: readonly CallArgument[];
  readonly modifiers: CallModifiers;
  /** Of GROUPING: which of the keys it asks about, since two keys may come to be the same expression. */
  readonly keyIndex?: number;
  readonly pos: Position;
}

export type FrameBound =
  | { readonly kind: 'unbounded' }
  | { readonly kind: 'current' }
  | { readonly kind: 'offset'; readonly value: Expr };

export interface WindowFrame {
  readonly unit: 'rows' | 'range';
  readonly start: FrameBound & { readonly direction: 'preceding' | 'following' };
  readonly end: FrameBound & { readonly direction: 'preceding' | 'following' };
}

export interface WindowCall extends AggregateCall {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly SortKey[];
  readonly frame: WindowFrame | null;
}

export type Relation =
  | ScanRelation
  | OneRowRelation
  | FilterRelation
  | ProjectRelation
  | JoinRelation
  | UnnestRecordRelation
  | UnnestArrayRelation
  | AggregateRelation
  | WindowRelation
  | DistinctRelation
  | SortRelation
  | LimitRelation
  | SetOperationRelation
  | WithRelation
  | WithReferenceRelation;

/** Every event of a source. Produces exactly these five columns. */
export interface ScanRelation {
  readonly kind: 'scan';
  readonly source: Source;
  readonly columns: {
    readonly id: Column;
    readonly timestamp: Column;
    readonly event_message: Column;
    readonly metadata: Column;
    readonly project: Column;
  };
}

/** One row without columns: SELECT without FROM. */
export interface OneRowRelation {
  readonly kind: 'oneRow';
}

export interface FilterRelation {
  readonly kind: 'filter';
  readonly input: Relation;
  readonly condition: Expr;
}

/** Produces exactly `items`; nothing of the input passes by itself. */
export interface ProjectRelation {
  readonly kind: 'project';
  readonly input: Relation;
  readonly items: readonly Computed[];
}

export interface JoinRelation {
  readonly kind: 'join';
  readonly type: 'inner' | 'left' | 'right' | 'full';
  readonly left: Relation;
  readonly right: Relation;
  /** Null for a cross join. May hold subqueries. The right side may refer to columns of the left only in UNNEST relations, never here. */
  readonly on: Expr | null;
  readonly pos: Position;
}

/**
 * UNNEST of a JSON value, correlated with `input`: an object counts as an array of one, a missing
 * or null one as empty, an array as itself, a scalar is an error. Passes the input's columns and
 * adds `alias` (JSON). With `left`, an input row without elements stays, alias NULL.
 */
export interface UnnestRecordRelation {
  readonly kind: 'unnestRecord';
  readonly input: Relation;
  readonly value: Expr;
  readonly alias: Column;
  readonly offset: Column | null;
  readonly left: boolean;
  /** What a LEFT JOIN's ON demands of the element; null for `true`. */
  readonly on: Expr | null;
  readonly pos: Position;
}

/** UNNEST of a typed array, correlated with `input`. `element` holds the element (a STRUCT's fields are read from it). */
export interface UnnestArrayRelation {
  readonly kind: 'unnestArray';
  readonly input: Relation;
  readonly value: Expr;
  readonly element: Column;
  readonly offset: Column | null;
  readonly left: boolean;
  readonly on: Expr | null;
}

/** Produces the key columns, then the aggregate columns. Without keys: exactly one row. */
export interface AggregateRelation {
  readonly kind: 'aggregate';
  readonly input: Relation;
  readonly keys: readonly Computed[];
  readonly rollup: boolean;
  /** How many keys each step of ROLLUP takes away, in their order; absent: one each. */
  readonly rollupSteps?: readonly number[];
  readonly aggregates: readonly AggregateCall[];
}

/** Passes the input's columns and adds one per call. */
export interface WindowRelation {
  readonly kind: 'window';
  readonly input: Relation;
  readonly calls: readonly WindowCall[];
}

export interface DistinctRelation {
  readonly kind: 'distinct';
  readonly input: Relation;
}

export interface SortRelation {
  readonly kind: 'sort';
  readonly input: Relation;
  readonly keys: readonly SortKey[];
}

/** `limit` and `offset` are literals or parameters. */
export interface LimitRelation {
  readonly kind: 'limit';
  readonly input: Relation;
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

/** The i-th column takes the i-th output column of every input; types are already the same. */
export interface SetOperationRelation {
  readonly kind: 'setOperation';
  readonly op: 'union' | 'intersect' | 'except';
  readonly all: boolean;
  readonly inputs: readonly { readonly relation: Relation; readonly columns: readonly Column[] }[];
  readonly columns: readonly Column[];
}

export interface WithTable {
  readonly id: number;
  readonly name: string;
  readonly relation: Relation;
  /** Output columns of the table, in order. */
  readonly columns: readonly Column[];
}

/** Tables that are computed once and read more than once below `body`. */
export interface WithRelation {
  readonly kind: 'with';
  readonly tables: readonly WithTable[];
  readonly body: Relation;
}

/** One reading of a WITH table; the i-th column takes the i-th of the table. */
export interface WithReferenceRelation {
  readonly kind: 'withReference';
  readonly table: WithTable;
  readonly columns: readonly Column[];
}

export interface OutputColumn {
  /** Unique within the row; duplicates are already numbered, unnamed ones named. */
  readonly name: string;
  readonly column: Column;
  /**
   * How a JSON object is written in the `records` profile at the top of this column: `record` as an
   * array holding it, `object` as itself (an UNNEST alias, a row, a STRUCT).
   */
  readonly recordForm: 'record' | 'object';
}

/** Something the caller should know about the answer (contract, section 1, `meta.notices`). */
export interface Notice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly parameter?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface ResolvedQuery {
  readonly relation: Relation;
  readonly columns: readonly OutputColumn[];
  /**
   * The LIMIT of the outermost query where it is a literal without OFFSET; it is NOT in `relation`,
   * so that one row more can tell whether it cut.
   */
  readonly outerLimit: number | null;
  readonly notices: readonly Notice[];
  /** Names of the parameters that the text mentions. */
  readonly parameters: ReadonlySet<string>;
  readonly usesNow: boolean;
  readonly isVolatile: boolean;
}
