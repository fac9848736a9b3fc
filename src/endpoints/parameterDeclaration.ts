import type { ParameterType } from '../googlesql/resolve/parameterValue.ts';

/**
 * A declared parameter of an endpoint (contract, section 3). Values are kept as they would stand on
 * the wire, as text; `convertValue` gives them their type.
 */
export interface ParameterDeclaration {
  /** `[A-Za-z][A-Za-z0-9_]*`, at most 64 characters; matched exactly on the wire. */
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** Bound where the parameter is absent, and, with `onUnknown: 'default'`, where its value is not allowed. */
  readonly default: string | null;
  /** The values of an enum, or the only ones of a string or int64; null for any. Case-sensitive. */
  readonly allowed: readonly string[] | null;
  /** Lowest value of an int64, float64, timestamp or date; inclusive. */
  readonly min: string | null;
  readonly max: string | null;
  /** RE2 pattern that a string must contain a match of; anchor it with ^ and $ to mean the whole. */
  readonly pattern: string | null;
  /** In characters (code points), for string and regex. */
  readonly maxLength: number | null;
  readonly onUnknown: 'reject' | 'default';
  /** Whether an empty string is a value rather than absence; for string only. */
  readonly allowEmpty: boolean;
  readonly description: string;
  readonly example: string | null;
}

/** Names of the query string that mean something to the service itself. */
export const reservedParameterNames = ['sql', 'lql', 'format', 'version', 'dry_run'] as const;

export type ReservedParameterName = (typeof reservedParameterNames)[number];

export function isReservedParameterName(name: string): name is ReservedParameterName {
  return (reservedParameterNames as readonly string[]).includes(name);
}
