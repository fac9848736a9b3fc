import type { ParameterType } from '../googlesql/resolve/parameterValue.ts';

/**
 * A declared parameter of an endpoint (contract, section 3). Values are kept as text, in the form of the wire (arrays as
 * `itemsIn` reads them). `convertValue` converts them to their type.
 */
export interface ParameterDeclaration {
  /** `[A-Za-z][A-Za-z0-9_]*`, at most 64 characters; matched exactly on the wire. */
  readonly name: string;
  /** An array has elements of one type, to which `allowed`, `min`, `max`, `pattern` and `maxLength` apply. */
  readonly type: ParameterType;
  readonly required: boolean;
  /** Bound if the parameter is absent. With `onUnknown: 'default'`, also if its value is not allowed. */
  readonly default: string | null;
  /** The only values of an enum, string or int64; null for any. Case-sensitive. */
  readonly allowed: readonly string[] | null;
  /** Lowest value of an int64, float64, timestamp or date; inclusive. */
  readonly min: string | null;
  readonly max: string | null;
  /** RE2 pattern that must match a part of a string. Anchor it with ^ and $ to match the whole. */
  readonly pattern: string | null;
  /** Most characters (code points) of a string or regex. */
  readonly maxLength: number | null;
  /** Most elements of an array; null for `itemsMax`. */
  readonly maxItems: number | null;
  readonly onUnknown: 'reject' | 'default';
  /** Whether an empty string is a value instead of absent; for string, and for the elements of array<string>. */
  readonly allowEmpty: boolean;
  readonly description: string;
  readonly example: string | null;
}

/** What names of parameters look like. */
export const parameterNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Names of parameters that the service itself uses. */
export const reservedParameterNames = ['sql', 'lql', 'format', 'version', 'dry_run'] as const;

export type ReservedParameterName = (typeof reservedParameterNames)[number];

export function isReservedParameterName(name: string): name is ReservedParameterName {
  return (reservedParameterNames as readonly string[]).includes(name);
}
