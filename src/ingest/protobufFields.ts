import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { BadRecord } from './badRecord.ts';
import { decodeUtf8 } from './decodeUtf8.ts';
import type { Step } from './step.ts';

/** Fields that are skipped or read between two steps. */
const stepFields = 1024;

/** Reports the work on `stepFields` fields. */
export const skippedStep: Step = { kind: 'step', work: 32 * stepFields };

/** Field number and wire type as one number, as the functions below pass them to `take`. */
export const lengthDelimited = (field: number) => field * 8 + WireType.LengthDelimited;
export const varint = (field: number) => field * 8 + WireType.Varint;
export const fixed32 = (field: number) => field * 8 + WireType.Bit32;
export const fixed64 = (field: number) => field * 8 + WireType.Bit64;

/** Reads a nested message, with its length prefix. */
export function readMessage(reader: BinaryReader, take: (tag: number) => void): void {
  const length = reader.uint32();
  readFields(reader, reader.pos + length, take);
}

/**
 * Reads the fields up to `end`. `take` receives the field number and wire type as one number and reads the value. If it
 * reads nothing, the field is skipped, as protobuf requires for unknown fields and other wire types.
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

/** Yields the messages in a field, and null whenever that many other fields were skipped. */
export function* messagesOf(message: Uint8Array, field: number): Generator<Uint8Array | null, void, undefined> {
  const reader = readerOf(message);
  const wanted = lengthDelimited(field);
  let passed = 0;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number * 8 + wireType === wanted) yield reader.bytes();
    else {
      reader.skip(wireType, number);
      if (++passed % stepFields === 0) yield null;
    }
  }
  if (reader.pos > reader.len) throw cutOff();
}

/** Like `readFields`, for all remaining bytes of the reader. */
export function* readInSteps(reader: BinaryReader, take: (tag: number) => void): Generator<Step, void, undefined> {
  for (let fields = 1; reader.pos < reader.len; fields++) {
    const [field, wireType] = reader.tag();
    const start = reader.pos;
    take(field * 8 + wireType);
    if (reader.pos === start) reader.skip(wireType, field);
    if (fields % stepFields === 0) yield skippedStep;
  }
  if (reader.pos > reader.len) throw cutOff();
}

function cutOff(): Error {
  return new Error('a message is cut off');
}

export function readerOf(bytes: Uint8Array): BinaryReader {
  return new BinaryReader(bytes, textOf);
}

/** @throws BadRecord if the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  const decoded = decodeUtf8(bufferOf(bytes));
  if (decoded.kind === 'text') return decoded.text;
  throw new BadRecord(`has text that is not UTF-8 at its byte ${decoded.offset + 1}`);
}

export function hexadecimal(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('hex');
}

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
