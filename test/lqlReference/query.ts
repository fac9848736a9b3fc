/** A query in LQL as the reference evaluator has it. Nothing here or beside it is shared with the product's LQL. */

export type Scalar =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'text'; readonly text: string };

export type Comparison = ':' | ':>=' | ':<=' | ':>' | ':<';

/** Both ends belong to a range, unless it says that its end does not. */
export type Time =
  | { readonly kind: 'point'; readonly micros: bigint }
  | { readonly kind: 'now' }
  | { readonly kind: 'between'; readonly from: bigint; readonly to: bigint }
  | { readonly kind: 'day'; readonly ago: number }
  /** From `count` units before the start of the present one to now. */
  | { readonly kind: 'since'; readonly count: number; readonly unit: Unit };

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

export type Condition =
  | { readonly kind: 'text'; readonly text: string; readonly isPattern: boolean }
  | { readonly kind: 'time'; readonly op: Comparison; readonly time: Time }
  | { readonly kind: 'levels'; readonly from: string; readonly to: string }
  | { readonly kind: 'null'; readonly path: readonly string[] }
  | { readonly kind: 'compared'; readonly path: readonly string[]; readonly op: Comparison; readonly value: Scalar }
  | { readonly kind: 'between'; readonly path: readonly string[]; readonly from: Scalar; readonly to: Scalar }
  | { readonly kind: 'matches'; readonly path: readonly string[]; readonly pattern: string }
  | { readonly kind: 'holds'; readonly path: readonly string[]; readonly value: Scalar }
  | { readonly kind: 'holdsMatch'; readonly path: readonly string[]; readonly pattern: string };

export type Clause =
  | { readonly kind: 'from'; readonly table: string }
  | { readonly kind: 'aggregate'; readonly name: string; readonly path: readonly string[] | null }
  | { readonly kind: 'period'; readonly unit: Unit }
  | { readonly kind: 'select'; readonly path: readonly string[] | null; readonly alias: string | null }
  | { readonly kind: 'filter'; readonly condition: Condition; readonly isNegated: boolean };

/** The query is refused: it is no LQL, or means nothing over its table. */
export class Refused extends Error {}

export const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
