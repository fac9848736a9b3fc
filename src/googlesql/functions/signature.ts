import type { ScalarTypeName } from '../types.ts';

/**
 * The type of an argument or result in a signature.
 * - a scalar type name: that type (see `coercion` in the resolver: INT64 fits FLOAT64, a string literal fits
 *   TIMESTAMP/DATETIME/DATE/TIME, JSON values are read as whatever scalar the signature asks for);
 * - `T`, `U`: any type, the same wherever the letter stands in one signature; `ARRAY<T>` and so on alike;
 * - `NUMBER`: INT64 or FLOAT64 (like `T` restricted to numbers, common supertype of all arguments);
 * - `ANY`: any type, whatever stands elsewhere (the values of FORMAT);
 * - `PART`: a bare date part keyword (`hour`, `week(monday)`, `isoweek`), not an expression.
 */
export type SignatureType =
  | ScalarTypeName
  | 'T'
  | 'U'
  | 'NUMBER'
  | 'ANY'
  | 'PART'
  | { readonly arrayOf: SignatureType }
  | { readonly structOf: readonly { readonly name: string; readonly type: SignatureType }[] };

export interface Argument {
  readonly name: string;
  readonly type: SignatureType;
  /** May be left out, with everything after it. */
  readonly optional?: true;
  /**
   * The last argument may stand any number of times, at least once (with `optional`: or not at all). So may several
   * last ones, together: `key, value, key, value`.
   */
  readonly repeated?: true;
  /** Must be a literal, a parameter or made of them alone (e.g. the count of approx_quantiles). */
  readonly constant?: true;
  /** For a PART: the normalised parts that this signature takes; another part does not fit it. */
  readonly parts?: readonly string[];
}

export interface Signature {
  readonly args: readonly Argument[];
  readonly returns: SignatureType;
}

export type FunctionKind =
  /** One value per row. */
  | 'scalar'
  /** One value per group; also usable as a window function unless `windowable` is false. */
  | 'aggregate'
  /** Needs OVER: row_number, lag … */
  | 'window';

/** One function of the dialect. The docs page of the dialect is generated from these. */
export interface FunctionDeclaration {
  /** Lower case, dotted for `net.host`. The identity: emitters are keyed by it. */
  readonly name: string;
  readonly kind: FunctionKind;
  /** Tried in order; the first that fits wins. */
  readonly signatures: readonly Signature[];
  /** One sentence. */
  readonly meaning: string;
  /** A whole SELECT without FROM (or over UNNEST) that shows it. */
  readonly example: string;
  /** Differs from call to call (rand, generate_uuid): never cached. */
  readonly isVolatile?: true;
  /**
   * aggregate: accepts DISTINCT / IGNORE|RESPECT NULLS / ORDER BY / LIMIT inside the parentheses. window: accepts
   * IGNORE|RESPECT NULLS.
   */
  readonly modifiers?: readonly ('distinct' | 'nulls' | 'order_by' | 'limit')[];
  readonly windowable?: false;
  /** Result type is NULL-safe etc. need nothing here; a function whose result can grow past its inputs is bounded by the emitter. */
  readonly grows?: true;
}
