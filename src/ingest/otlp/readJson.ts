import { type AroundEvents, notAroundEvents } from '../../core/jsonContainer.ts';
import {
  isCut,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
  ObjectBuilder,
} from '../../core/jsonValue.ts';
import type { JsonParseOptions } from '../../core/losslessJson.ts';
import { BadRecord } from '../badRecord.ts';
import { readingLimits } from '../eventSize.ts';
import { quoteValue } from '../quoteValue.ts';
import type { Step } from '../step.ts';
import { doubleValue, integerValue, type LogRecord, type Origin, originOf, scopeObject } from './logRecord.ts';

export type FoundInJson =
  | { readonly kind: 'resource'; readonly resource: Origin }
  | { readonly kind: 'scope'; readonly scope: Origin }
  /**
   * A record of the most recently found resource and scope, and its place, such as
   * `resourceLogs[0].scopeLogs[0].logRecords[3]`. `sentBytes`: see `sentBytesOf`.
   */
  | { readonly kind: 'record'; readonly value: JsonValue; readonly place: string; readonly sentBytes: number }
  | Step;

const scopeLogs: AroundEvents = { members: new Map([['logRecords', { elements: notAroundEvents }]]) };
const resourceLogs: AroundEvents = { members: new Map([['scopeLogs', { elements: scopeLogs }]]) };

const aroundRecords: AroundEvents = { members: new Map([['resourceLogs', { elements: resourceLogs }]]) };

/** `sentBytes` counts less than twice what an event stores of it. */
export const jsonFactor = 2;
/** The reader counts at most three times what an event stores of attributes and body, and this for the rest. */
const readFactor = 3;
const headBytes = 1024;

/** `readingLimits` for a request. */
export function exportReadingLimits(limits: Parameters<typeof readingLimits>[0]): JsonParseOptions {
  const { eventBytesMax, eventsMax } = limits;
  return {
    ...readingLimits(limits),
    // `sentBytes` counts a list that is cut as too large, so it must be longer than any that is not.
    elementsMax: Math.max(jsonFactor * eventBytesMax, 2 * eventsMax) + 1,
    inEventBytesMax: readFactor * eventBytesMax + headBytes,
    aroundEvents: aroundRecords,
    // The names of the protocol are not stored.
    areNamesCounted: false,
  };
}

/**
 * Walks over a request in the JSON encoding of OTLP: names in lowerCamelCase, IDs in hexadecimal, 64-bit integers as
 * number or text. Null counts as absent, and unknown members are ignored.
 *
 * Of a resource or scope of more than `bytesMax` bytes, only the size is given; records are measured up to `bytesMax`.
 *
 * @throws BadRecord if a resource or scope, or its container, violates the protocol.
 */
export function* findJsonRecords(request: JsonValue, bytesMax: number): Generator<FoundInJson, void, undefined> {
  const whole = objectOf(request, 'the body');
  for (const [resourceLogs, place] of elementsOf(whole, 'resourceLogs', '')) {
    yield { kind: 'resource', resource: yield* resourceOf(resourceLogs, place, bytesMax) };
    for (const [scopeLogs, scopePlace] of elementsOf(resourceLogs, 'scopeLogs', `${place}.`)) {
      yield { kind: 'scope', scope: yield* scopeOf(scopeLogs, scopePlace, bytesMax) };
      const recordsPlace = `${scopePlace}.logRecords`;
      for (const [index, value] of arrayOf(scopeLogs, 'logRecords', recordsPlace).entries()) {
        const sentBytes = yield* sentBytesOf(value, bytesMax);
        yield { kind: 'record', value, place: `${recordsPlace}[${index}]`, sentBytes };
      }
    }
  }
}

/** @throws BadRecord that names the member which violates the protocol. */
export function* readJsonRecord(value: JsonValue, place: string): Generator<Step, LogRecord, undefined> {
  const record = objectOf(value, place);
  const body = optional(record, 'body');
  const nested: Nested[] = [];
  const read: LogRecord = {
    timeUnixNano: unsigned64Of(record, 'timeUnixNano', place),
    observedTimeUnixNano: unsigned64Of(record, 'observedTimeUnixNano', place),
    severityNumber: smallIntegerOf(record, 'severityNumber', place),
    severityText: textOf(record, 'severityText', place),
    body: body === undefined ? null : readValue(body, `${place}.body`, nested),
    attributes: yield* attributesInSteps(record, place, nested),
    traceId: hexadecimalOf(record, 'traceId', place),
    spanId: hexadecimalOf(record, 'spanId', place),
    flags: smallIntegerOf(record, 'flags', place),
    eventName: textOf(record, 'eventName', place),
  };
  yield* readNested(nested);
  return read;
}

function* resourceOf(resourceLogs: JsonObject, place: string, bytesMax: number): Generator<Step, Origin, undefined> {
  const given = optional(resourceLogs, 'resource');
  if (given === undefined) return yield* originOf(null);
  const bytes = yield* sentBytesOf(given, bytesMax);
  if (bytes > bytesMax) return { kind: 'too_large', bytes };
  const resource = objectOf(given, `${place}.resource`);
  const nested: Nested[] = [];
  const attributes = yield* attributesInSteps(resource, `${place}.resource`, nested);
  yield* readNested(nested);
  return yield* originOf(attributes);
}

function* scopeOf(scopeLogs: JsonObject, place: string, bytesMax: number): Generator<Step, Origin, undefined> {
  const given = optional(scopeLogs, 'scope');
  if (given === undefined) return yield* originOf(null);
  const bytes = yield* sentBytesOf(given, bytesMax);
  if (bytes > bytesMax) return { kind: 'too_large', bytes };
  const scope = objectOf(given, `${place}.scope`);
  const nested: Nested[] = [];
  const object = scopeObject(
    textOf(scope, 'name', `${place}.scope`),
    textOf(scope, 'version', `${place}.scope`),
    yield* attributesInSteps(scope, `${place}.scope`, nested),
  );
  yield* readNested(nested);
  return yield* originOf(object);
}

/** Values that are measured between two steps. */
const stepValues = 2048;
const measuringStep: Step = { kind: 'step', work: 16 * stepValues };

/**
 * The size of a part of a request, without names of the protocol, because they are not stored. Attributes count with
 * names and values. Stops as soon as it exceeds `bytesMax`, as does what was not read to its end.
 */
function* sentBytesOf(root: JsonValue, bytesMax: number): Generator<Step, number, undefined> {
  const open: (JsonObject | readonly JsonValue[])[] = [];
  let bytes = 0;
  const count = (value: JsonValue): void => {
    bytes += typeof value === 'string' ? value.length : 1;
    if (typeof value === 'object' && value !== null) open.push(value);
  };
  count(root);
  let values = 0;
  for (let within = open.pop(); within !== undefined && bytes <= bytesMax; within = open.pop()) {
    if (isCut(within)) return bytesMax + 1;
    const names = isJsonObject(within) ? memberNames(within) : null;
    const { length } = names ?? (within as readonly JsonValue[]);
    for (let at = 0; at < length && bytes <= bytesMax; at++) {
      count((isJsonArray(within) ? within[at] : within[names?.[at] ?? '']) ?? null);
      if (++values % stepValues === 0) yield measuringStep;
    }
  }
  return bytes;
}

/** List elements that are read between two steps. */
const stepElements = 256;
const step: Step = { kind: 'step', work: 128 * stepElements };

/** A list of values that was found and is still to be read, its place, and its container. */
type Nested =
  | { readonly kind: 'array'; readonly from: readonly JsonValue[]; readonly place: string; readonly to: JsonValue[] }
  | {
      readonly kind: 'kvlist';
      readonly from: readonly JsonValue[];
      readonly place: string;
      readonly to: ObjectBuilder;
    };

/** Reads the lists, and those in them. */
function* readNested(nested: Nested[]): Generator<Step, void, undefined> {
  let passed = 0;
  for (let list = nested.pop(); list !== undefined; list = nested.pop()) {
    const { kind, from, place, to } = list;
    for (const [index, element] of from.entries()) {
      if (kind === 'array') to.push(readValue(element, `${place}[${index}]`, nested));
      else setAttribute(to, element, `${place}[${index}]`, nested);
      if (++passed % stepElements === 0) yield step;
    }
    // An empty list takes time too.
    if (++passed % stepElements === 0) yield step;
  }
}

/** The member `attributes`, a list of KeyValue, as an object. */
function* attributesInSteps(
  object: JsonObject,
  place: string,
  nested: Nested[],
): Generator<Step, JsonObject, undefined> {
  const attributes = new ObjectBuilder();
  const listPlace = `${place}.attributes`;
  for (const [index, element] of arrayOf(object, 'attributes', listPlace).entries()) {
    setAttribute(attributes, element, `${listPlace}[${index}]`, nested);
    if (index % stepElements === stepElements - 1) yield step;
  }
  return attributes.object;
}

/** The last value of a repeated name counts. */
function setAttribute(attributes: ObjectBuilder, element: JsonValue, place: string, nested: Nested[]): void {
  const pair = objectOf(element, place);
  const value = optional(pair, 'value');
  attributes.set(textOf(pair, 'key', place), value === undefined ? null : readValue(value, `${place}.value`, nested));
}

/** Reads an AnyValue; null if it has no known value. Adds a list in it to `nested`, and returns its container. */
function readValue(value: JsonValue, place: string, nested: Nested[]): JsonValue {
  const any = objectOf(value, place);
  let found: JsonValue = null;
  let foundName: string | undefined;
  for (const [name, read] of valueReaders) {
    const given = optional(any, name);
    if (given === undefined) continue;
    if (foundName !== undefined) throw new BadRecord(`${place} has both ${foundName} and ${name}; it can have one`);
    foundName = name;
    found = read(given, `${place}.${name}`, nested);
  }
  return found;
}

type ValueReader = (value: JsonValue, place: string, nested: Nested[]) => JsonValue;

const valueReaders: readonly (readonly [name: string, ValueReader])[] = [
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
    (value, place, nested) => {
      const listPlace = `${place}.values`;
      const to: JsonValue[] = [];
      nested.push({ kind: 'array', from: arrayOf(objectOf(value, place), 'values', listPlace), place: listPlace, to });
      return to;
    },
  ],
  [
    'kvlistValue',
    (value, place, nested) => {
      const listPlace = `${place}.values`;
      const to = new ObjectBuilder();
      nested.push({ kind: 'kvlist', from: arrayOf(objectOf(value, place), 'values', listPlace), place: listPlace, to });
      return to.object;
    },
  ],
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
    const around = objectOf(element, place);
    // The member that holds records may be among those that were left out.
    if (isCut(around)) throw new BadRecord(`${place} has too many members`);
    yield [around, place];
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
