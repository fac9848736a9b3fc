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

/** A log record that cannot be taken; the others of its request can. The message says why, for its sender. */
export class BadRecord extends Error {}

/** The scope as it stands in metadata. */
export function scopeObject(name: string, version: string, attributes: JsonObject): JsonObject | null {
  const scope: Record<string, JsonValue> = {};
  if (name !== '') scope.name = name;
  if (version !== '') scope.version = version;
  if (Object.keys(attributes).length > 0) scope.attributes = attributes;
  return Object.keys(scope).length === 0 ? null : scope;
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
