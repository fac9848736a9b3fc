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
  readFields(reader, bytes.length, (tag) => {
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
        record.body = readValue(reader, depthMax);
        break;
      case lengthDelimited(6):
        readKeyValue(reader, record.attributes, depthMax);
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
  return record;
}

function readResource(resourceLogs: Uint8Array): JsonObject | null {
  const attributes = newJsonObject();
  let isThere = false;
  const reader = readerOf(resourceLogs);
  readFields(reader, resourceLogs.length, (tag) => {
    if (tag !== lengthDelimited(1)) return;
    isThere = true;
    readMessage(reader, (resourceTag) => {
      if (resourceTag === lengthDelimited(1)) readKeyValue(reader, attributes, depthMax);
    });
  });
  return isThere ? attributes : null;
}

function readScope(scopeLogs: Uint8Array): JsonObject | null {
  const attributes = newJsonObject();
  let name = '';
  let version = '';
  const reader = readerOf(scopeLogs);
  readFields(reader, scopeLogs.length, (tag) => {
    if (tag !== lengthDelimited(1)) return;
    readMessage(reader, (scopeTag) => {
      if (scopeTag === lengthDelimited(1)) name = reader.string();
      else if (scopeTag === lengthDelimited(2)) version = reader.string();
      else if (scopeTag === lengthDelimited(3)) readKeyValue(reader, attributes, depthMax);
    });
  });
  return scopeObject(name, version, attributes);
}

/** Sets the member that a KeyValue names; a name that comes again has its last value. */
function readKeyValue(reader: BinaryReader, object: Record<string, JsonValue>, depth: number): void {
  let key = '';
  let value: JsonValue = null;
  readMessage(reader, (tag) => {
    if (tag === lengthDelimited(1)) key = reader.string();
    else if (tag === lengthDelimited(2)) value = readValue(reader, depth);
  });
  setMember(object, key, value);
}

/** An AnyValue; null where it has none of the values known here. */
function readValue(reader: BinaryReader, depth: number): JsonValue {
  if (depth === 0) throw new Error(`values are nested more than ${depthMax} deep`);
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
      case lengthDelimited(5):
        value = readArray(reader, depth);
        break;
      case lengthDelimited(6):
        value = readKeyValueList(reader, depth);
        break;
      case lengthDelimited(7):
        value = bufferOf(reader.bytes()).toString('base64');
        break;
    }
  });
  return value;
}

function readArray(reader: BinaryReader, depth: number): JsonValue {
  const values: JsonValue[] = [];
  readMessage(reader, (tag) => {
    if (tag === lengthDelimited(1)) values.push(readValue(reader, depth - 1));
  });
  return values;
}

function readKeyValueList(reader: BinaryReader, depth: number): JsonValue {
  const object = newJsonObject();
  readMessage(reader, (tag) => {
    if (tag === lengthDelimited(1)) readKeyValue(reader, object, depth - 1);
  });
  return object;
}

const lengthDelimited = (field: number) => field * 8 + WireType.LengthDelimited;
const varint = (field: number) => field * 8 + WireType.Varint;
const fixed32 = (field: number) => field * 8 + WireType.Bit32;
const fixed64 = (field: number) => field * 8 + WireType.Bit64;

/** Reads the message inside a field, its length first. */
function readMessage(reader: BinaryReader, take: (tag: number) => void): void {
  const length = reader.uint32();
  readFields(reader, reader.pos + length, take);
}

/**
 * Reads the fields up to `end`, each told as its number and wire type in one number. `take` reads the
 * value; where it reads nothing, the field is skipped, which is what protobuf asks for unknown ones and for
 * other wire types.
 */
function readFields(reader: BinaryReader, end: number, take: (tag: number) => void): void {
  if (end > reader.len) throw cutOff();
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    const start = reader.pos;
    take(field * 8 + wireType);
    if (reader.pos === start) reader.skip(wireType, field);
  }
  if (reader.pos > end) throw cutOff();
}

/** The tags of a message that is read from outside; as `readFields`. */
function* tagsOf(reader: BinaryReader): Generator<number, void, undefined> {
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const start = reader.pos;
    yield field * 8 + wireType;
    if (reader.pos === start) reader.skip(wireType, field);
  }
  if (reader.pos > reader.len) throw cutOff();
}

function cutOff(): Error {
  return new Error('a message is cut off');
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
