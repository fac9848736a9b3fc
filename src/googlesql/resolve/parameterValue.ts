/** The declared type of a parameter; decides how a value is checked and converted (contract, section 3). */
export type ParameterType = 'string' | 'int64' | 'float64' | 'bool' | 'timestamp' | 'date' | 'enum' | 'regex';

/** A bound value. The types `enum` and `regex` bind strings; an optional parameter that is absent binds null. */
export type ParameterValue =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'int64'; readonly value: bigint }
  | { readonly kind: 'float64'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** Microseconds since 1970, UTC; an integer. */
  | { readonly kind: 'timestamp'; readonly micros: number }
  /** Days since 1970-01-01; an integer. */
  | { readonly kind: 'date'; readonly days: number }
  | { readonly kind: 'null' };

/** One entry per declared parameter, by its declared name. */
export type ParameterValues = ReadonlyMap<string, ParameterValue>;
