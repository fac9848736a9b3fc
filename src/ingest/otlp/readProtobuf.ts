import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { type JsonObject, type JsonValue, newJsonObject, setMember } from '../../core/jsonValue.ts';
import { decodeUtf8 } from '../decodeUtf8.ts';
import { BadRecord, doubleValue, integerValue, type LogRecord, scopeObject } from './logRecord.ts';

/** Values within values; protobuf libraries stop at a hundred messages within messages. */
const depthMax = 50;

/** Where the records of an ExportLogsServiceRequest lie, found without decoding them. */
export type FoundInRequest =
  | { readonly kind: 'resource'; readonly resource: JsonObject | null }
  | { readonly kind: 'scope'; readonly scope: JsonObject | null }
  /** A record of the resource and scope that were found last; `offset` is the place in the request. */
  | { readonly kind: 'record'; readonly bytes: Uint8Array; readonly offset: number };

/**
 * Walks over a request (opentelemetry-proto, collector/logs/v1), whose fields may come in any order.
 * Holds one scope at a time, so that a request of millions of empty messages costs time alone.
 *
 * @throws Error where it is not valid protobuf; BadRecord where a resource or scope has text that is not UTF-8.
 */
export function* findRecords(request: Uint8Array): Generator<FoundInRequest, void, undefined> {
  const requestReader = readerOf(request);
  for (const tag of tagsOf(requestReader)) {
    if (tag !== lengthDelimited(1)) continue;
    const resourceLogs = requestReader.bytes();
    yield { kind: 'resource', resource: readResource(resourceLogs) };
    const resourceReader = readerOf(resourceLogs);
    for (const resourceTag of tagsOf(resourceReader)) {
      if (resourceTag !== lengthDelimited(2)) continue;
      const scopeLogs = resourceReader.bytes();
      yield { kind: 'scope', scope: readScope(scopeLogs) };
      const scopeReader = readerOf(scopeLogs);
      for (const scopeTag of tagsOf(scopeReader)) {
        if (scopeTag !== lengthDelimited(2)) continue;
        const bytes = scopeReader.bytes();
        yield { kind: 'record', bytes, offset: bytes.byteOffset - request.byteOffset };
      }
    }
  }
}

/** @throws Error where it is not valid protobuf; BadRecord where it has text that is not UTF-8. */
export function readLogRecord(bytes: Uint8Array): LogRecord {
  const record = {
    timeUnixNano: 0n,
    observedTimeUnixNano: 0n,
    severityNumber: 0,
    severityText: '',
    body: null as JsonValue,
    attributes: newJsonObject(),
    traceId: '',
    spanId: '',
    flags: 0,
    eventName: '',
  };
  const reader = readerOf(bytes);
  for (const tag of tagsOf(reader)) {
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
        record.body = readValue(reader.bytes(), depthMax);
        break;
      case lengthDelimited(6):
        readKeyValue(reader.bytes(), record.attributes, depthMax);
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
  }
  return record;
}

function readResource(resourceLogs: Uint8Array): JsonObject | null {
  const attributes = newJsonObject();
  let isThere = false;
  const reader = readerOf(resourceLogs);
  for (const tag of tagsOf(reader)) {
    if (tag !== lengthDelimited(1)) continue;
    isThere = true;
    const resourceReader = readerOf(reader.bytes());
    for (const resourceTag of tagsOf(resourceReader)) {
      if (resourceTag === lengthDelimited(1)) readKeyValue(resourceReader.bytes(), attributes, depthMax);
    }
  }
  return isThere ? attributes : null;
}

function readScope(scopeLogs: Uint8Array): JsonObject | null {
  const attributes = newJsonObject();
  let name = '';
  let version = '';
  const reader = readerOf(scopeLogs);
  for (const tag of tagsOf(reader)) {
    if (tag !== lengthDelimited(1)) continue;
    const scopeReader = readerOf(reader.bytes());
    for (const scopeTag of tagsOf(scopeReader)) {
      if (scopeTag === lengthDelimited(1)) name = scopeReader.string();
      else if (scopeTag === lengthDelimited(2)) version = scopeReader.string();
      else if (scopeTag === lengthDelimited(3)) readKeyValue(scopeReader.bytes(), attributes, depthMax);
    }
  }
  return scopeObject(name, version, attributes);
}

/** Sets the member that a KeyValue names; a name that comes again has its last value. */
function readKeyValue(bytes: Uint8Array, object: Record<string, JsonValue>, depth: number): void {
  let key = '';
  let value: JsonValue = null;
  const reader = readerOf(bytes);
  for (const tag of tagsOf(reader)) {
    if (tag === lengthDelimited(1)) key = reader.string();
    else if (tag === lengthDelimited(2)) value = readValue(reader.bytes(), depth);
  }
  setMember(object, key, value);
}

/** An AnyValue; null where it has none of the values known here. */
function readValue(bytes: Uint8Array, depth: number): JsonValue {
  if (depth === 0) throw new Error(`values are nested more than ${depthMax} deep`);
  let value: JsonValue = null;
  const reader = readerOf(bytes);
  for (const tag of tagsOf(reader)) {
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
      case lengthDelimited(5):
        value = readArray(reader.bytes(), depth);
        break;
      case lengthDelimited(6):
        value = readKeyValueList(reader.bytes(), depth);
        break;
      case lengthDelimited(7):
        value = bufferOf(reader.bytes()).toString('base64');
        break;
    }
  }
  return value;
}

function readArray(bytes: Uint8Array, depth: number): JsonValue {
  const values: JsonValue[] = [];
  const reader = readerOf(bytes);
  for (const tag of tagsOf(reader)) if (tag === lengthDelimited(1)) values.push(readValue(reader.bytes(), depth - 1));
  return values;
}

function readKeyValueList(bytes: Uint8Array, depth: number): JsonValue {
  const object = newJsonObject();
  const reader = readerOf(bytes);
  for (const tag of tagsOf(reader)) if (tag === lengthDelimited(1)) readKeyValue(reader.bytes(), object, depth - 1);
  return object;
}

const lengthDelimited = (field: number) => field * 8 + WireType.LengthDelimited;
const varint = (field: number) => field * 8 + WireType.Varint;
const fixed32 = (field: number) => field * 8 + WireType.Bit32;
const fixed64 = (field: number) => field * 8 + WireType.Bit64;

/**
 * The fields of a message, each as its number and wire type in one number. Whoever takes one reads its value;
 * a field that nothing was read of is skipped, which is what protobuf asks for unknown ones and other wire types.
 */
function* tagsOf(reader: BinaryReader): Generator<number, void, undefined> {
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const start = reader.pos;
    yield field * 8 + wireType;
    if (reader.pos === start) reader.skip(wireType, field);
    if (reader.pos > reader.len) throw new Error('a field is cut off');
  }
}

function readerOf(bytes: Uint8Array): BinaryReader {
  return new BinaryReader(bytes, textOf);
}

function textOf(bytes: Uint8Array): string {
  const decoded = decodeUtf8(bufferOf(bytes));
  if (decoded.kind === 'text') return decoded.text;
  throw new BadRecord(`has text that is not UTF-8 at its byte ${decoded.offset + 1}`);
}

function hexadecimal(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('hex');
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
