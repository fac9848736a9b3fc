import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import type { LiteralValue } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';

/** The value of a literal or bound parameter, in the form of a literal of its type. */
export type ConstantValue = LiteralValue;

export interface EmitModifiers {
  readonly distinct: boolean;
  readonly nulls: 'ignore' | 'respect' | null;
  readonly orderBy: readonly { readonly sql: string; readonly descending: boolean; readonly nulls: 'first' | 'last' }[];
  readonly limit: number | null;
}

/** Facts about a call, apart from its arguments. */
export interface EmitContext {
  readonly argTypes: readonly SqlType[];
  readonly returns: SqlType;
  /** Values of constant arguments by index; undefined for other arguments. */
  readonly constants: readonly (ConstantValue | undefined)[];
  /** By index, the texts of an argument that is an array of literals. Absent: there is none. */
  readonly constantTexts?: readonly (readonly (string | null)[] | null)[];
  /** By index, whether a FLOAT64 argument was converted from an INT64, and so is finite. Absent: unknown. */
  readonly wholeNumbers?: readonly boolean[];
  /** By index, whether a FLOAT64 argument is neither NaN nor infinite. Absent: unknown. */
  readonly finite?: readonly boolean[];
  /** By index, whether an argument is a positive number or NULL. Absent: unknown. */
  readonly positive?: readonly boolean[];
  /** Whether the call generates an array of constants and is known not to fail. Absent: it may fail. */
  readonly isConstantSeries?: boolean;
  /** SQL that raises a data error at this call's position. */
  fail(sentence: string): string;
  /** Like `fail`, with a computed sentence: SQL of a text, which must not show stored values. */
  failWith(sentence: string): string;
  /** SAFE. prefix: an error of this call becomes NULL. */
  readonly safe: boolean;
  readonly modifiers?: EmitModifiers;
}

/**
 * An aggregate or window call. If a plain text is not enough, `call` is the single aggregate that takes OVER, and
 * `wrap` computes the result from its value.
 */
export type EmittedCall = string | { readonly call: string; wrap(callWithOver: string): string };

/**
 * Writes a call of a scalar function as DuckDB SQL. Arguments are expressions of the signature's
 * types that can stand inside any other expression; the result is one, too.
 *
 * Types are represented as: INT64 BIGINT, FLOAT64 DOUBLE, BOOL BOOLEAN, STRING VARCHAR, BYTES BLOB,
 * TIMESTAMP and DATETIME TIMESTAMP (a TIMESTAMP in UTC), DATE DATE, TIME TIME, INTERVAL INTERVAL, JSON JSON text with
 * SQL NULL for JSON null, ARRAY lists, STRUCT structs with the fields f0, f1 … A PART is its name.
 */
export type EmitFunction = (args: readonly string[], context: EmitContext) => string;

/** Writes a call of an aggregate or window function, without OVER. */
export type EmitAggregate = (args: readonly string[], context: EmitContext) => EmittedCall;

/** One emitter per function of a family. */
export type ScalarEmitters<Family extends readonly { readonly name: FunctionName }[]> = Record<
  Family[number]['name'],
  EmitFunction
>;

export type AggregateEmitters<Family extends readonly { readonly name: FunctionName }[]> = Record<
  Family[number]['name'],
  EmitAggregate
>;
