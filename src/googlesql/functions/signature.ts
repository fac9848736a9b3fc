import type { ScalarTypeName } from '../types.ts';

/**
 * The type of an argument or result in a signature.
 * - a scalar type name: that type (see `coercion` in the resolver: INT64 fits FLOAT64, a string literal fits
 *   TIMESTAMP/DATETIME/DATE/TIME, JSON values are read as whatever scalar the signature asks for);
 * - `T`, `U`: whichever type, the same throughout a signature, also in `ARRAY<T>` and so on;
 * - `NUMBER`: INT64 or FLOAT64 (like `T` restricted to numbers, common supertype of all arguments);
 * - `ANY`: whichever type, independent of other arguments (the values of FORMAT);
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
  /** May be omitted, with everything after it. */
  readonly optional?: true;
  /**
   * The last argument may be repeated; it is required at least once, unless it is `optional`. Several last arguments are
   * repeated together: `key, value, key, value`.
   */
  readonly repeated?: true;
  /** Can be given only by its name: `mode => 'lax'`. */
  readonly named?: true;
  /** Must be a literal, a parameter or an array of literals (for example the count of approx_quantiles). */
  readonly constant?: true;
  /** For a PART: the normalised parts that this signature accepts. */
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

/** A function of the dialect. The dialect page is generated from these. */
export interface FunctionDeclaration {
  /** Lower case, dotted for `net.host`. Identifies the function; emitters are keyed by it. */
  readonly name: string;
  readonly kind: FunctionKind;
  /** The accepted signatures; the one that needs the least conversion is used, and the first of equals. */
  readonly signatures: readonly Signature[];
  /** What the function does, for the dialect page. */
  readonly meaning: string;
  /** A complete SELECT, without FROM or over UNNEST, as an example. */
  readonly example: string;
  /** Returns another value for each call (rand, generate_uuid), so results are not cached. */
  readonly isVolatile?: true;
  /**
   * For aggregates, whether DISTINCT, IGNORE or RESPECT NULLS, ORDER BY and LIMIT are allowed inside the parentheses. For
   * window functions, whether IGNORE or RESPECT NULLS is.
   */
  readonly modifiers?: readonly ('distinct' | 'nulls' | 'order_by' | 'limit')[];
  readonly windowable?: false;
  /** The result can be larger than the arguments, so the emitter limits its size. */
  readonly grows?: true;
}
