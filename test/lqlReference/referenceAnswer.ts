import type { Value } from './value.ts';

/** The columns of an answer and its rows, values in the order of the columns. */
export interface ReferenceAnswer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** Whether the rows come in the order that is written here. */
  readonly isOrdered: boolean;
  /** Which rows an answer keeps that may not have all: a chart has its newest periods at its end. */
  readonly keeps: 'first' | 'last';
}
