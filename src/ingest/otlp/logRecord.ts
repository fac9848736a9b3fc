import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';

/** One log record of OTLP, whatever it was encoded in. What it does not say is 0, empty or null, as in protobuf. */
export interface LogRecord {
  readonly timeUnixNano: bigint;
  readonly observedTimeUnixNano: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: JsonValue;
  readonly attributes: JsonObject;
  /** Hexadecimal, in lower case. */
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  readonly eventName: string;
}

/** What log records have in common; null where the request does not say it. */
export interface LogOrigin {
  /** Attributes of the resource. */
  readonly resource: JsonObject | null;
  /** Name, version and attributes of the scope. */
  readonly scope: JsonObject | null;
}

/** Nothing yet, but work on so many bytes: others may have a turn. */
export interface Step {
  readonly kind: 'step';
  readonly work: number;
}

/** What stands for a resource or scope in the log records below it, unless it is larger than an event may be. */
export type Origin =
  | { readonly kind: 'read'; readonly object: JsonObject | null }
  | { readonly kind: 'too_large'; readonly bytes: number };

/** A log record that cannot be taken; the others of its request can. The message says why, for its sender. */
export class BadRecord extends Error {}

/** Lists no names, of which there may be very many. */
export function hasMembers(object: JsonObject): boolean {
  for (const name in object) if (Object.hasOwn(object, name)) return true;
  return false;
}

/** The scope as it stands in metadata. */
export function scopeObject(name: string, version: string, attributes: JsonObject): JsonObject | null {
  const scope: Record<string, JsonValue> = {};
  if (name !== '') scope.name = name;
  if (version !== '') scope.version = version;
  if (hasMembers(attributes)) scope.attributes = attributes;
  return hasMembers(scope) ? scope : null;
}

/** A double as JSON can express it; what it cannot is text, as in the JSON form of protobuf. */
export function doubleValue(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

/** An integer within 64 bits, with every digit. */
export function integerValue(value: bigint): JsonValue {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
