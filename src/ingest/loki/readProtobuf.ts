import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { type JsonObject, newJsonObject } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import {
  lengthDelimited,
  messagesOf,
  readerOf,
  readInSteps,
  readMessage,
  skippedStep,
  varint,
} from '../protobufFields.ts';
import type { Step } from '../step.ts';
import { addPair, checkedNanos, type LogLine, type Pair } from './logLine.ts';
import { readLabels } from './readLabels.ts';

export type FoundInPush =
  | { readonly kind: 'stream'; readonly labels: JsonObject }
  /** An entry of the most recently found stream; `offset` is its place in the request. */
  | { readonly kind: 'line'; readonly bytes: Uint8Array; readonly offset: number }
  | Step;

/**
 * Walks over a PushRequest (grafana/loki, pkg/push/push.proto), whose fields may come in any order.
 *
 * @throws Error if it is not valid protobuf; BadRecord if the labels of a stream cannot be read.
 */
export function* findLines(request: Uint8Array): Generator<FoundInPush, void, undefined> {
  for (const stream of messagesOf(request, 1)) {
    if (stream === null) {
      yield skippedStep;
      continue;
    }
    yield { kind: 'stream', labels: yield* labelsOf(stream) };
    for (const bytes of messagesOf(stream, 2)) {
      if (bytes === null) yield skippedStep;
      else yield { kind: 'line', bytes, offset: bytes.byteOffset - request.byteOffset };
    }
  }
}

/** The last text of the field counts, as protobuf requires. */
function* labelsOf(stream: Uint8Array): Generator<Step, JsonObject, undefined> {
  let labels: Uint8Array | undefined;
  let fields = 0;
  for (const bytes of messagesOf(stream, 1)) {
    labels = bytes ?? labels;
    if (bytes === null || ++fields % 1024 === 0) yield skippedStep;
  }
  return labels === undefined ? newJsonObject() : readLabels(labels);
}

/** @throws Error if it is not valid protobuf; BadRecord if the entry cannot be stored. */
export function* readEntry(bytes: Uint8Array): Generator<Step, LogLine, undefined> {
  let nanos = 0n;
  let line = '';
  let pairs = 0;
  const structuredMetadata = newJsonObject();
  const reader = readerOf(bytes);
  yield* readInSteps(reader, (tag) => {
    if (tag === lengthDelimited(1)) nanos = readTimestamp(reader);
    else if (tag === lengthDelimited(2)) line = reader.string();
    else if (tag === lengthDelimited(3)) {
      addPair(structuredMetadata, ++pairs, readPair(reader), 'its structured metadata');
    }
  });
  return { nanos: checkedNanos(nanos), line, structuredMetadata };
}

/** A google.protobuf.Timestamp, in nanoseconds. */
function readTimestamp(reader: BinaryReader): bigint {
  let seconds = 0n;
  let nanos = 0;
  readMessage(reader, (tag) => {
    if (tag === varint(1)) seconds = BigInt(reader.int64());
    else if (tag === varint(2)) nanos = reader.int32();
  });
  if (nanos >= 0 && nanos < 1_000_000_000) return seconds * 1_000_000_000n + BigInt(nanos);
  throw new BadRecord(`its time has ${nanos} nanoseconds after the second`, 'event.timestamp_invalid');
}

function readPair(reader: BinaryReader): Pair {
  let name = '';
  let value = '';
  readMessage(reader, (tag) => {
    if (tag === lengthDelimited(1)) name = reader.string();
    else if (tag === lengthDelimited(2)) value = reader.string();
  });
  return [name, value];
}
