import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  newJsonObject,
  setMember,
} from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { quoteValue } from '../quoteValue.ts';
import type { Step } from '../step.ts';
import { doubleValue, integerValue, type LogRecord, type Origin, scopeObject } from './logRecord.ts';

export type FoundInJson =
  | { readonly kind: 'resource'; readonly resource: Origin }
  | { readonly kind: 'scope'; readonly scope: Origin }
  /**
   * A record of the most recently found resource and scope, and its place, such as
   * `resourceLogs[0].scopeLogs[0].logRecords[3]`.
   */
  | { readonly kind: 'record'; readonly value: JsonValue; readonly place: string }
  | Step;

/**
 * Walks over a request in the JSON encoding of OTLP: names in lowerCamelCase, IDs in hexadecimal, 64-bit integers as
 * number or text. Null counts as absent, and unknown members are ignored.
 *
 * A resource or scope of more than `originBytesMax` bytes is not read; only its size is given.
 *
 * @throws BadRecord if a resource or scope, or its container, violates the protocol.
 */
export function* findJsonRecords(request: JsonValue, originBytesMax: number): Generator<FoundInJson, void, undefined> {
  const whole = objectOf(request, 'the body');
  for (const [resourceLogs, place] of elementsOf(whole, 'resourceLogs', '')) {
    yield { kind: 'resource', resource: yield* resourceOf(resourceLogs, place, originBytesMax) };
    for (const [scopeLogs, scopePlace] of elementsOf(resourceLogs, 'scopeLogs', `${place}.`)) {
      yield { kind: 'scope', scope: yield* scopeOf(scopeLogs, scopePlace, originBytesMax) };
      const recordsPlace = `${scopePlace}.logRecords`;
      for (const [index, value] of arrayOf(scopeLogs, 'logRecords', recordsPlace).entries()) {
        yield { kind: 'record', value, place: `${recordsPlace}[${index}]` };
      }
    }
  }
}

/** @throws BadRecord that names the member which violates the protocol. */
export function* readJsonRecord(value: JsonValue, place: string): Generator<Step, LogRecord, undefined> {
  const record = objectOf(value, place);
  const body = optional(record, 'body');
  return {
    timeUnixNano: unsigned64Of(record, 'timeUnixNano', place),
    observedTimeUnixNano: unsigned64Of(record, 'observedTimeUnixNano', place),
    severityNumber: smallIntegerOf(record, 'severityNumber', place),
    severityText: textOf(record, 'severityText', place),
    body: body === undefined ? null : readValue(body, `${place}.body`),
    attributes: yield* attributesInSteps(record, place),
    traceId: hexadecimalOf(record, 'traceId', place),
    spanId: hexadecimalOf(record, 'spanId', place),
    flags: smallIntegerOf(record, 'flags', place),
    eventName: textOf(record, 'eventName', place),
  };
}

function* resourceOf(resourceLogs: JsonObject, place: string, bytesMax: number): Generator<Step, Origin, undefined> {
  const given = optional(resourceLogs, 'resource');
  if (given === undefined) return { kind: 'read', object: null };
  const bytes = sentBytes(given, bytesMax);
  if (bytes > bytesMax) return { kind: 'too_large', bytes };
  const resource = objectOf(given, `${place}.resource`);
  return { kind: 'read', object: yield* attributesInSteps(resource, `${place}.resource`) };
}

function* scopeOf(scopeLogs: JsonObject, place: string, bytesMax: number): Generator<Step, Origin, undefined> {
  const given = optional(scopeLogs, 'scope');
  if (given === undefined) return { kind: 'read', object: null };
  const bytes = sentBytes(given, bytesMax);
  if (bytes > bytesMax) return { kind: 'too_large', bytes };
  const scope = objectOf(given, `${place}.scope`);
  const object = scopeObject(
    textOf(scope, 'name', `${place}.scope`),
    textOf(scope, 'version', `${place}.scope`),
    yield* attributesInSteps(scope, `${place}.scope`),
  );
  return { kind: 'read', object };
}

/**
 * The size of a part of a request, without names of the protocol, because they are not stored. Attributes count with
 * names and values. Stops as soon as it exceeds `bytesMax`.
 */
export function sentBytes(value: JsonValue, bytesMax: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let bytes = 1;
  if (isJsonArray(value)) {
    for (const element of value) {
      bytes += sentBytes(element, bytesMax - bytes);
      if (bytes > bytesMax) return bytes;
    }
    return bytes;
  }
  for (const name in value) {
    bytes += sentBytes(value[name] ?? null, bytesMax - bytes);
    if (bytes > bytesMax) return bytes;
  }
  return bytes;
}

/** List elements that are read between two steps. */
const stepElements = 256;
const step: Step = { kind: 'step', work: 128 * stepElements };

/** The member `attributes`, a list of KeyValue, as an object. */
function* attributesInSteps(object: JsonObject, place: string): Generator<Step, JsonObject, undefined> {
  const attributes = newJsonObject();
  const listPlace = `${place}.attributes`;
  for (const [index, element] of arrayOf(object, 'attributes', listPlace).entries()) {
    setAttribute(attributes, element, `${listPlace}[${index}]`);
    if (index % stepElements === stepElements - 1) yield step;
  }
  return attributes;
}

/** A list of KeyValue as an object. */
function attributesOf(object: JsonObject, member: string, place: string): JsonObject {
  const attributes = newJsonObject();
  const listPlace = `${place}.${member}`;
  for (const [index, element] of arrayOf(object, member, listPlace).entries()) {
    setAttribute(attributes, element, `${listPlace}[${index}]`);
  }
  return attributes;
}

/** The last value of a repeated name counts. */
function setAttribute(attributes: Record<string, JsonValue>, element: JsonValue, place: string): void {
  const pair = objectOf(element, place);
  const value = optional(pair, 'value');
  setMember(attributes, textOf(pair, 'key', place), value === undefined ? null : readValue(value, `${place}.value`));
}

/** Reads an AnyValue; null if it has no known value. */
function readValue(value: JsonValue, place: string): JsonValue {
  const any = objectOf(value, place);
  let found: JsonValue = null;
  let foundName: string | undefined;
  for (const [name, read] of valueReaders) {
    const given = optional(any, name);
    if (given === undefined) continue;
    if (foundName !== undefined) throw new BadRecord(`${place} has both ${foundName} and ${name}; it can have one`);
    foundName = name;
    found = read(given, `${place}.${name}`);
  }
  return found;
}

const valueReaders: readonly (readonly [name: string, (value: JsonValue, place: string) => JsonValue])[] = [
  [
    'stringValue',
    (value, place) => {
      if (typeof value !== 'string') throw mismatch(place, value, 'text');
      return value;
    },
  ],
  [
    'boolValue',
    (value, place) => {
      if (typeof value !== 'boolean') throw mismatch(place, value, 'true or false');
      return value;
    },
  ],
  [
    'intValue',
    (value, place) => {
      const integer = integerOf(value);
      if (integer === undefined || BigInt.asIntN(64, integer) !== integer) {
        throw mismatch(place, value, 'an integer of 64 bits, as a number or as text');
      }
      return integerValue(integer);
    },
  ],
  [
    'doubleValue',
    (value, place) => {
      const isNumber = typeof value === 'number' || typeof value === 'bigint';
      const isNumeric = typeof value === 'string' && /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/.test(value);
      if (!isNumber && !isNumeric) throw mismatch(place, value, 'a number');
      return doubleValue(Number(value));
    },
  ],
  [
    'arrayValue',
    (value, place) =>
      arrayOf(objectOf(value, place), 'values', `${place}.values`).map((element, index) =>
        readValue(element, `${place}.values[${index}]`),
      ),
  ],
  ['kvlistValue', (value, place) => attributesOf(objectOf(value, place), 'values', place)],
  [
    'bytesValue',
    (value, place) => {
      if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) throw mismatch(place, value, 'base64 text');
      return Buffer.from(value, 'base64').toString('base64');
    },
  ],
];

function* elementsOf(
  object: JsonObject,
  member: string,
  before: string,
): Generator<readonly [JsonObject, string], void, undefined> {
  for (const [index, element] of arrayOf(object, member, `${before}${member}`).entries()) {
    const place = `${before}${member}[${index}]`;
    yield [objectOf(element, place), place];
  }
}

/** The member; undefined if it is absent or null. */
function optional(object: JsonObject, member: string): JsonValue | undefined {
  return memberOf(object, member) ?? undefined;
}

function objectOf(value: JsonValue, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw mismatch(place, value, 'an object');
}

function arrayOf(object: JsonObject, member: string, place: string): readonly JsonValue[] {
  const value = memberOf(object, member) ?? [];
  if (isJsonArray(value)) return value;
  throw mismatch(place, value, 'an array');
}

function textOf(object: JsonObject, member: string, place: string): string {
  const value = memberOf(object, member) ?? '';
  if (typeof value === 'string') return value;
  throw mismatch(`${place}.${member}`, value, 'text');
}

function hexadecimalOf(object: JsonObject, member: string, place: string): string {
  const text = textOf(object, member, place);
  if (/^[0-9a-fA-F]*$/.test(text)) return text.toLowerCase();
  throw mismatch(`${place}.${member}`, text, 'hexadecimal text');
}

function smallIntegerOf(object: JsonObject, member: string, place: string): number {
  const value = memberOf(object, member) ?? 0;
  const integer = integerOf(value);
  if (integer !== undefined && integer >= 0n && integer < 2n ** 32n) return Number(integer);
  throw mismatch(`${place}.${member}`, value, 'an integer of 32 bits');
}

function unsigned64Of(object: JsonObject, member: string, place: string): bigint {
  const value = memberOf(object, member) ?? 0;
  const integer = integerOf(value);
  if (integer !== undefined && BigInt.asUintN(64, integer) === integer) return integer;
  throw mismatch(`${place}.${member}`, value, 'nanoseconds since 1970, as a number or as text');
}

function integerOf(value: JsonValue): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

function mismatch(place: string, value: JsonValue, wanted: string): BadRecord {
  return new BadRecord(`${place} is ${quoteValue(value)}; it must be ${wanted}`);
}
