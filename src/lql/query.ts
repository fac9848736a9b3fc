import type { Position } from '../googlesql/syntax/nodes.ts';

/** The syntax tree of an LQL text (lql.md): its clauses in order, each with its position. */
export interface LqlQuery {
  readonly clauses: readonly Clause[];
}

export type Clause = FromClause | AggregateClause | PeriodClause | SelectClause | Filter;

/** A clause that rows must meet. Only filters can be negated, which then match NULL or not true. */
export type Filter = (TimeFilter | LevelFilter | FieldFilter | TextFilter) & { readonly isNegated: boolean };

/** `f:edge_logs` */
export interface FromClause {
  readonly kind: 'from';
  readonly table: string;
  readonly pos: Position;
}

/** `c:avg(m.response.origin_time)`; the path is null for `*`. */
export interface AggregateClause {
  readonly kind: 'aggregate';
  readonly aggregate: Aggregate;
  readonly path: Path | null;
  readonly pos: Position;
}

export type Aggregate = 'avg' | 'countd' | 'count' | 'sum' | 'max' | 'min' | 'p50' | 'p95' | 'p99';

/** `c:group_by(t::hour)` */
export interface PeriodClause {
  readonly kind: 'period';
  readonly period: Period;
  readonly pos: Position;
}

export type Period = 'second' | 'minute' | 'hour' | 'day';

/** `s:m.request.path@path`; the path is null for `*`, which cannot have an alias. */
export interface SelectClause {
  readonly kind: 'select';
  readonly path: Path | null;
  readonly alias: string | null;
  readonly pos: Position;
}

/** `t:last@15m` */
export interface TimeFilter {
  readonly kind: 'time';
  readonly op: TimeOperator;
  readonly value: TimeValue;
  readonly pos: Position;
}

export type TimeOperator = ':>=' | ':<=' | ':>' | ':<' | ':';
export type FieldOperator = TimeOperator | ':~' | ':@>~' | ':@>';

export type TimeValue =
  | { readonly kind: 'now' }
  /** A point in time in one of the forms of `T`, as written. */
  | { readonly kind: 'instant'; readonly text: string }
  /** Inclusive. A brace range becomes its two corners. */
  | { readonly kind: 'between'; readonly from: string; readonly to: string }
  | { readonly kind: 'day'; readonly day: 'today' | 'yesterday' }
  | { readonly kind: 'this'; readonly unit: TimeUnit }
  | { readonly kind: 'last'; readonly count: number; readonly unit: TimeUnit };

export type TimeUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

/** `m.level:warning..critical`: any level in the range, inclusive. */
export interface LevelFilter {
  readonly kind: 'level';
  readonly from: Level;
  readonly to: Level;
  readonly pos: Position;
}

/** From the least to the most severe. */
export const levels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const satisfies readonly string[];

export type Level = (typeof levels)[number];

/** `m.response.status_code:>=500` */
export interface FieldFilter {
  readonly kind: 'field';
  readonly path: Path;
  readonly op: FieldOperator;
  readonly value: FieldValue;
  readonly pos: Position;
}

export type FieldValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | RangeEnd
  | { readonly kind: 'range'; readonly from: RangeEnd; readonly to: RangeEnd };

/** A number as written, or text after its escapes. */
export type RangeEnd =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** A word or quoted text: a substring of event_message, or a regular expression on it. */
export interface TextFilter {
  readonly kind: 'text';
  readonly text: string;
  readonly isRegex: boolean;
  readonly pos: Position;
}

/** The names from the column inwards; a leading `m` is expanded to `metadata`. */
export interface Path {
  readonly steps: readonly string[];
  readonly pos: Position;
}
