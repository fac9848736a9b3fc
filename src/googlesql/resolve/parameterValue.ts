/** The types that the elements of an array can have. */
export const elementTypes = ['string', 'int64', 'float64', 'bool', 'timestamp', 'date'] as const;

export type ElementType = (typeof elementTypes)[number];

export type ScalarType = ElementType | 'enum' | 'regex';

export type ArrayType = `array<${ElementType}>`;

/** The declared type of a parameter; decides how a value is checked and converted (contract, section 3). */
export type ParameterType = ScalarType | ArrayType;

export const parameterTypeNames: readonly ParameterType[] = [
  ...elementTypes,
  'enum',
  'regex',
  ...elementTypes.map((type): ArrayType => `array<${type}>`),
];

/** The type of the elements; null if the type is not an array. */
export function elementTypeOf(type: ParameterType): ElementType | null {
  return elementTypes.find((element) => type === `array<${element}>`) ?? null;
}

/** The types `enum` and `regex` bind strings. */
export type ScalarValue =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'int64'; readonly value: bigint }
  | { readonly kind: 'float64'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** Microseconds since 1970, UTC; an integer. */
  | { readonly kind: 'timestamp'; readonly micros: number }
  /** Days since 1970-01-01; an integer. */
  | { readonly kind: 'date'; readonly days: number };

/** A bound value. An optional parameter that is absent binds null. */
export type ParameterValue =
  | ScalarValue
  | { readonly kind: 'array'; readonly elements: readonly ScalarValue[] }
  | { readonly kind: 'null' };

/** One entry per declared parameter, by its declared name. */
export type ParameterValues = ReadonlyMap<string, ParameterValue>;
