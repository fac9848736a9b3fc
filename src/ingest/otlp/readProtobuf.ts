import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { type JsonValue, ObjectBuilder } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import {
  bufferOf,
  fixed32,
  fixed64,
  hexadecimal,
  lengthDelimited,
  messagesOf,
  readerOf,
  readInSteps,
  readMessage,
  skippedStep,
  varint,
} from '../protobufFields.ts';
import type { Step } from '../step.ts';
import { doubleValue, integerValue, type LogRecord, type Origin, originOf, scopeObject } from './logRecord.ts';

/** Maximum depth of nested values; protobuf libraries stop at a hundred nested messages. */
const depthMax = 50;

/** The locations of records in an ExportLogsServiceRequest, found without decoding them. */
export type FoundInRequest =
  | { readonly kind: 'resource'; readonly resource: Origin }
  | { readonly kind: 'scope'; readonly scope: Origin }
  /** A record of the most recently found resource and scope; `offset` is its place in the request. */
  | { readonly kind: 'record'; readonly bytes: Uint8Array; readonly offset: number }
  | Step;

/**
 * Walks over a request (opentelemetry-proto, collector/logs/v1), whose fields may come in any order. Holds one scope at
 * a time, so that a request of millions of empty messages costs only time. A resource or scope of more than
 * `originBytesMax` bytes is not read; only its size is given.
 *
 * @throws Error if it is not valid protobuf; BadRecord if a resource or scope has text that is not UTF-8.
 */
export function* findRecords(request: Uint8Array, originBytesMax: number): Generator<FoundInRequest, void, undefined> {
  for (const resourceLogs of messagesOf(request, 1)) {
    if (resourceLogs === null) {
      yield skippedStep;
      continue;
    }
    yield { kind: 'resource', resource: yield* readResource(resourceLogs, originBytesMax) };
    for (const scopeLogs of messagesOf(resourceLogs, 2)) {
      if (scopeLogs === null) {
        yield skippedStep;
        continue;
      }
      yield { kind: 'scope', scope: yield* readScope(scopeLogs, originBytesMax) };
      for (const bytes of messagesOf(scopeLogs, 2)) {
        if (bytes === null) yield skippedStep;
        else yield { kind: 'record', bytes, offset: bytes.byteOffset - request.byteOffset };
      }
    }
  }
}

/** @throws Error if it is not valid protobuf; BadRecord if it has text that is not UTF-8, or is nested too deeply. */
export function* readLogRecord(bytes: Uint8Array): Generator<Step, LogRecord, undefined> {
  const nested: Nested[] = [];
  const attributes = new ObjectBuilder();
  const record = {
    timeUnixNano: 0n,
    observedTimeUnixNano: 0n,
    severityNumber: 0,
    severityText: '',
    body: null as JsonValue,
    attributes: attributes.object,
    traceId: '',
    spanId: '',
    flags: 0,
    eventName: '',
  };
  const reader = readerOf(bytes);
  yield* readInSteps(reader, (tag) => {
    switch (tag) {
      case fixed64(1):
        record.timeUnixNano = BigInt(reader.fixed64());
        break;
      case varint(2):
        record.severityNumber = reader.int32();
        break;
      case lengthDelimited(3):
        record.severityText = reader.string();
        break;
      case lengthDelimited(5):
        record.body = readValue(reader, nested, depthMax);
        break;
      case lengthDelimited(6):
        readKeyValue(reader, attributes, nested, depthMax);
        break;
      case fixed32(8):
        record.flags = reader.fixed32();
        break;
      case lengthDelimited(9):
        record.traceId = hexadecimal(reader.bytes());
        break;
      case lengthDelimited(10):
        record.spanId = hexadecimal(reader.bytes());
        break;
      case fixed64(11):
        record.observedTimeUnixNano = BigInt(reader.fixed64());
        break;
      case lengthDelimited(12):
        record.eventName = reader.string();
        break;
    }
  });
  yield* readNested(nested);
  return record;
}

function* readResource(resourceLogs: Uint8Array, bytesMax: number): Generator<Step, Origin, undefined> {
  const attributes = new ObjectBuilder();
  const nested: Nested[] = [];
  let bytes = 0;
  let isThere = false;
  for (const resource of messagesOf(resourceLogs, 1)) {
    if (resource === null) {
      yield skippedStep;
      continue;
    }
    isThere = true;
    bytes += resource.length;
    if (bytes > bytesMax) return { kind: 'too_large', bytes };
    const reader = readerOf(resource);
    yield* readInSteps(reader, (tag) => {
      if (tag === lengthDelimited(1)) readKeyValue(reader, attributes, nested, depthMax);
    });
  }
  yield* readNested(nested);
  return yield* originOf(isThere ? attributes.object : null);
}

function* readScope(scopeLogs: Uint8Array, bytesMax: number): Generator<Step, Origin, undefined> {
  const attributes = new ObjectBuilder();
  const nested: Nested[] = [];
  let bytes = 0;
  let name = '';
  let version = '';
  for (const scope of messagesOf(scopeLogs, 1)) {
    if (scope === null) {
      yield skippedStep;
      continue;
    }
    bytes += scope.length;
    if (bytes > bytesMax) return { kind: 'too_large', bytes };
    const reader = readerOf(scope);
    yield* readInSteps(reader, (tag) => {
      if (tag === lengthDelimited(1)) name = reader.string();
      else if (tag === lengthDelimited(2)) version = reader.string();
      else if (tag === lengthDelimited(3)) readKeyValue(reader, attributes, nested, depthMax);
    });
  }
  yield* readNested(nested);
  return yield* originOf(scopeObject(name, version, attributes.object));
}

/** A list of values that was found and is still to be read, with its container. */
type Nested =
  | { readonly kind: 'array'; readonly bytes: Uint8Array; readonly to: JsonValue[]; readonly depth: number }
  | { readonly kind: 'kvlist'; readonly bytes: Uint8Array; readonly to: ObjectBuilder; readonly depth: number };

/** Lists that are read between two steps. */
const stepLists = 128;

/** Reads the lists, and those in them. */
function* readNested(nested: Nested[]): Generator<Step, void, undefined> {
  let passed = 0;
  for (let list = nested.pop(); list !== undefined; list = nested.pop()) {
    const { kind, bytes, to, depth } = list;
    const reader = readerOf(bytes);
    yield* readInSteps(reader, (tag) => {
      if (tag !== lengthDelimited(1)) return;
      if (kind === 'array') to.push(readValue(reader, nested, depth));
      else readKeyValue(reader, to, nested, depth);
    });
    if (++passed % stepLists === 0) yield skippedStep;
  }
}

/** Sets the member that a KeyValue names. The last value of a repeated name counts. */
function readKeyValue(reader: BinaryReader, object: ObjectBuilder, nested: Nested[], depth: number): void {
  let key = '';
  let value: JsonValue = null;
  readMessage(reader, (tag) => {
    if (tag === lengthDelimited(1)) key = reader.string();
    else if (tag === lengthDelimited(2)) value = readValue(reader, nested, depth);
  });
  object.set(key, value);
}

/** Reads an AnyValue; null if it has no known value. Adds a list in it to `nested`, and returns its container. */
function readValue(reader: BinaryReader, nested: Nested[], depth: number): JsonValue {
  if (depth === 0) throw new BadRecord(`it has values that are nested more than ${depthMax} deep`);
  let value: JsonValue = null;
  readMessage(reader, (tag) => {
    switch (tag) {
      case lengthDelimited(1):
        value = reader.string();
        break;
      case varint(2):
        value = reader.bool();
        break;
      case varint(3):
        value = integerValue(BigInt(reader.int64()));
        break;
      case fixed64(4):
        value = doubleValue(reader.double());
        break;
      case lengthDelimited(5): {
        const to: JsonValue[] = [];
        nested.push({ kind: 'array', bytes: reader.bytes(), to, depth: depth - 1 });
        value = to;
        break;
      }
      case lengthDelimited(6): {
        const to = new ObjectBuilder();
        nested.push({ kind: 'kvlist', bytes: reader.bytes(), to, depth: depth - 1 });
        value = to.object;
        break;
      }
      case lengthDelimited(7):
        value = bufferOf(reader.bytes()).toString('base64');
        break;
    }
  });
  return value;
}
