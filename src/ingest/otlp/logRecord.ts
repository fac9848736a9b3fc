import { hasMembers, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { writeJsonInSteps } from '../../core/writeJson.ts';
import type { Step } from '../step.ts';

/** One log record of OTLP in either encoding. Missing values are 0, empty or null, as in protobuf. */
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

/** The parts that log records share; null if the request omits them. */
export interface LogOrigin {
  /** Attributes of the resource. */
  readonly resource: JsonObject | null;
  /** Name, version and attributes of the scope. */
  readonly scope: JsonObject | null;
}

/** The resource or scope of the following log records, or only its size if it is larger than an event may be. */
export type Origin =
  /** `bytes`: the size as it is stored. */
  | { readonly kind: 'read'; readonly object: JsonObject | null; readonly bytes: number }
  | { readonly kind: 'too_large'; readonly bytes: number };

const writingStep: Step = { kind: 'step', work: 64 * 1024 };

/** A resource or scope that was read, with its size. */
export function* originOf(object: JsonObject | null): Generator<Step, Origin, undefined> {
  if (object === null) return { kind: 'read', object, bytes: 0 };
  const steps = writeJsonInSteps(object);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { kind: 'read', object, bytes: Buffer.byteLength(step.value) };
    yield writingStep;
  }
}

/** The scope as metadata stores it. */
export function scopeObject(name: string, version: string, attributes: JsonObject): JsonObject | null {
  const scope: Record<string, JsonValue> = {};
  if (name !== '') scope.name = name;
  if (version !== '') scope.version = version;
  if (hasMembers(attributes)) scope.attributes = attributes;
  return hasMembers(scope) ? scope : null;
}

/** A double as JSON. Values that JSON cannot express become text, as in the JSON form of protobuf. */
export function doubleValue(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

/** A 64-bit integer with every digit. */
export function integerValue(value: bigint): JsonValue {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
