import type { NoticeCode } from '../../core/noticeCatalogue.ts';
import type { Source } from '../../sources/source.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { Position } from '../syntax/nodes.ts';
import type { ScalarTypeName, SqlType } from '../types.ts';

/**
 * The resolved tree: the only interface between the language and an engine. A column reference points to the `Column`
 * object that one relation produces, every expression has a type, and every function is in the catalogue. Only literal
 * values remain from the caller's text.
 */

/** A column that exactly one relation produces. Compared by object identity. */
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

/** A declared parameter of the endpoint. Each run supplies its value. */
export interface ParameterExpr {
  readonly kind: 'parameter';
  readonly type: SqlType;
  readonly name: string;
}

/** The time of the run, which is read once; TIMESTAMP. */
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
 * Reads the member at `path` (possibly empty) of a JSON value as the type `wanted`. NULL if the member is missing, null,
 * or not readable as that type (googlesql.md, section 2). `JSON` gives the value itself, `STRING` the text of a scalar.
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
  /** Whether the call has the SAFE. prefix. */
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
  /** Set if the text has no cast: nested values in arrays and structs are converted to the expected type. */
  readonly isImplicit?: true;
  readonly pos: Position;
  /** The value as the text writes it, for error messages (`metadata.response.status_code`). */
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
  /** The column with the values; null for EXISTS. */
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
  /** For GROUPING: the index of its key. Two keys may become the same expression, so the expression does not identify it. */
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

/** Every event of a source. Produces exactly these five columns, and `arrival` if it is set. */
export interface ScanRelation {
  readonly kind: 'scan';
  readonly source: Source;
  /** Arrival numbers (INT64), which pages are ordered and bounded by. NULL for events from before there were numbers. */
  readonly arrival?: Column;
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

/** Produces exactly `items`; no other column of the input passes through. */
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
  /** Null for a cross join. May contain subqueries. The right side must not read columns of the left; only UNNEST relations do that. */
  readonly on: Expr | null;
  readonly pos: Position;
}

/**
 * UNNEST of a JSON value, correlated with `input`: an object counts as an array of one element, a missing or null value as
 * an empty array, and a scalar is an error. Passes the input's columns through and adds `alias` (JSON). With `left`, an
 * input row without elements is kept with a NULL alias.
 */
export interface UnnestRecordRelation {
  readonly kind: 'unnestRecord';
  readonly input: Relation;
  readonly value: Expr;
  readonly alias: Column;
  readonly offset: Column | null;
  readonly left: boolean;
  /** The ON condition of a LEFT JOIN; null for `true`. */
  readonly on: Expr | null;
  readonly pos: Position;
}

/** UNNEST of a typed array, correlated with `input`. `element` holds the element; the fields of a STRUCT are read from it. */
export interface UnnestArrayRelation {
  readonly kind: 'unnestArray';
  readonly input: Relation;
  readonly value: Expr;
  readonly element: Column;
  readonly offset: Column | null;
  readonly left: boolean;
  readonly on: Expr | null;
}

/** Produces the key columns, then the aggregate columns. Without keys, produces exactly one row. */
export interface AggregateRelation {
  readonly kind: 'aggregate';
  readonly input: Relation;
  readonly keys: readonly Computed[];
  readonly rollup: boolean;
  /** The number of keys in each argument of ROLLUP, in order; absent if each has one. */
  readonly rollupSteps?: readonly number[];
  readonly aggregates: readonly AggregateCall[];
}

/** Passes the input's columns through and adds one per call. */
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

/** `limit` and `offset` are literals or parameters, or become literals when the parameters are bound. */
export interface LimitRelation {
  readonly kind: 'limit';
  readonly input: Relation;
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

/** The i-th column takes the i-th column of every input; the types are already equal. */
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

/** Defines the tables that `body` reads. */
export interface WithRelation {
  readonly kind: 'with';
  readonly tables: readonly WithTable[];
  readonly body: Relation;
}

/** One use of a WITH table; the i-th column takes the i-th of the table. */
export interface WithReferenceRelation {
  readonly kind: 'withReference';
  readonly table: WithTable;
  readonly columns: readonly Column[];
}

export interface OutputColumn {
  /** Unique within the row: duplicates are numbered and unnamed columns named. */
  readonly name: string;
  readonly column: Column;
  /**
   * How the `records` profile writes a JSON object at the top level of this column: `record` wraps it in an array, `object`
   * does not (for an UNNEST alias, a row or a STRUCT).
   */
  readonly recordForm: 'record' | 'object';
}

/** A remark about something that the caller probably did not intend (contract, section 1, `meta.notices`). */
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
   * The LIMIT of the outermost query if it is a literal. `relation` lets at least one more row pass, so that the run can
   * fetch it and detect truncation (outerLimit.ts).
   */
  readonly outerLimit: number | null;
  /** The same for a LIMIT that is a parameter: its name. Absent or null if it is none. */
  readonly outerLimitParameter?: string | null;
  readonly notices: readonly Notice[];
  /** Names of the parameters that the text uses. */
  readonly parameters: ReadonlySet<string>;
  /** Those that are a LIMIT or OFFSET, and must not be negative. Absent if there are none. */
  readonly countParameters?: ReadonlySet<string>;
  readonly usesNow: boolean;
  readonly isVolatile: boolean;
  /** The sort keys of a page (plan/pageQuery.ts), which the engine returns for its first and last row. Absent otherwise. */
  readonly pageKeys?: readonly Expr[];
}
