import { findFunction } from '../../../googlesql/functions/catalogue.ts';
import type { CallArgument, CallExpr, Column, Expr } from '../../../googlesql/resolve/tree.ts';
import type { Cells, Member } from './cells.ts';
import { notPushed } from './notPushed.ts';
import type { ScanContext } from './scanContext.ts';

/** What the writers of expressions need at one place of a query. */
export interface Place {
  readonly cells: Cells;
  /** The scans whose events are read here. */
  readonly scans: readonly ScanContext[];
  /**
   * Writes an expression as SQL of ClickHouse that is valid in any place without parentheses, and never fails. Throws
   * `NotPushed` unless its value is proved equal to that of GoogleSQL.
   */
  expr(expr: Expr): string;
  /** The member of metadata that a nested value is; null for other expressions. */
  member(expr: CallArgument): Member | null;
  /** The stored column of another type that ClickHouse compares with its index (`ValueCell`); null for others. */
  stored(expr: CallArgument): string | null;
  /** The same place with one more column, whose values are this SQL. */
  with(column: Column, sql: string): Place;
  /** Whether a FLOAT64 is neither NaN nor infinite. */
  isFinite(expr: CallArgument): boolean;
}

/** Writes a call of a scalar function. */
export type PushedFunction = (call: CallExpr, place: Place) => string;

/** The argument at `index` as SQL. */
export function argument({ args, fn }: Pick<CallExpr, 'args' | 'fn'>, index: number, place: Place): string {
  const arg = args[index];
  if (arg === undefined || arg.kind === 'part') return notPushed(`these arguments of ${nameOf(fn)}`);
  return place.expr(arg);
}

export const nameOf = (fn: CallExpr['fn']): string =>
  fn.startsWith('$') ? `the operator ${fn.slice(1)}` : (findFunction(fn)?.name ?? fn).toUpperCase();

/** The value of a literal argument; undefined for others. */
export function constant<T extends 'string' | 'bigint' | 'number' | 'boolean'>(
  arg: CallArgument | undefined,
  type: T,
): { string: string; bigint: bigint; number: number; boolean: boolean }[T] | undefined {
  if (arg?.kind !== 'literal') return undefined;
  const { value } = arg;
  return typeof value === type
    ? (value as { string: string; bigint: bigint; number: number; boolean: boolean }[T])
    : undefined;
}

export const part = (arg: CallArgument | undefined): string =>
  arg?.kind === 'part' ? arg.part : notPushed('a date part that is not constant');
