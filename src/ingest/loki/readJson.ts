import { type AroundEvents, notAroundEvents } from '../../core/jsonContainer.ts';
import {
  isCut,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
  newJsonObject,
} from '../../core/jsonValue.ts';
import type { JsonParseOptions } from '../../core/losslessJson.ts';
import { BadRecord } from '../badRecord.ts';
import { readingLimits } from '../eventSize.ts';
import { quoteValue } from '../quoteValue.ts';
import { checkedNanos, type LogLine, pairsMax, pairsOf } from './logLine.ts';

export type FoundInJson =
  | { readonly kind: 'stream'; readonly labels: JsonObject }
  /** An entry of the most recently found stream. */
  | { readonly kind: 'line'; readonly entry: JsonValue };

const stream: AroundEvents = { members: new Map([['values', { elements: notAroundEvents }]]) };
const aroundLines: AroundEvents = { members: new Map([['streams', { elements: stream }]]) };

/** `readingLimits` for a push. */
export function pushReadingLimits(limits: Parameters<typeof readingLimits>[0]): JsonParseOptions {
  return {
    ...readingLimits(limits),
    // No object of a push has more members, except one that is refused.
    membersMax: pairsMax + 1,
    inEventBytesMax: limits.eventBytesMax,
    aroundEvents: aroundLines,
  };
}

/**
 * Walks over a push in JSON: `{"streams":[{"stream":{labels},"values":[["<nanoseconds>","line",{metadata}]]}]}`.
 *
 * @throws BadRecord that names the member which violates the protocol.
 */
export function* findJsonLines(request: JsonValue): Generator<FoundInJson, void, undefined> {
  if (!isJsonObject(request) || isCut(request)) throw mismatch('the body', request, 'an object');
  const streams = memberOf(request, 'streams');
  if (!isJsonArray(streams)) throw mismatch('streams', streams ?? null, 'an array');
  for (const [index, stream] of streams.entries()) {
    const place = `streams[${index}]`;
    if (!isJsonObject(stream) || isCut(stream)) throw mismatch(place, stream, 'an object');
    yield { kind: 'stream', labels: pairsOf(memberOf(stream, 'stream'), `${place}.stream`) };
    const values = memberOf(stream, 'values') ?? [];
    if (!isJsonArray(values)) throw mismatch(`${place}.values`, values, 'an array');
    for (const entry of values) yield { kind: 'line', entry };
  }
}

/** Whether an entry has more structured metadata than was read, so that its size is not known. */
export function hasTooManyPairs(entry: JsonValue): boolean {
  const metadata = isJsonArray(entry) ? entry[2] : undefined;
  return isJsonObject(metadata) && isCut(metadata) && memberNames(metadata).length > pairsMax;
}

/** @throws BadRecord if the entry cannot be stored. */
export function readJsonEntry(entry: JsonValue): LogLine {
  if (!isJsonArray(entry) || entry.length < 2 || entry.length > 3) {
    throw new BadRecord(`it is ${quoteValue(entry)}; it must be ["<nanoseconds since 1970>", "<line>", {metadata}]`);
  }
  const [time = null, line = null, metadata] = entry;
  if (typeof line !== 'string') throw new BadRecord(`its line is ${quoteValue(line)}; it must be text`);
  return {
    nanos: checkedNanos(integerOf(time)),
    line,
    structuredMetadata:
      metadata === undefined || metadata === null ? newJsonObject() : pairsOf(metadata, 'its structured metadata'),
  };
}

function integerOf(time: JsonValue): bigint {
  if (typeof time === 'bigint') return time;
  if (typeof time === 'number' && Number.isSafeInteger(time)) return BigInt(time);
  if (typeof time === 'string' && /^\d{1,19}$/.test(time)) return BigInt(time);
  throw new BadRecord(
    `its time is ${quoteValue(time)}; it must be nanoseconds since 1970, as text`,
    'event.timestamp_invalid',
  );
}

function mismatch(place: string, value: JsonValue, wanted: string): BadRecord {
  return new BadRecord(`${place} is ${quoteValue(value)}; it must be ${wanted}`);
}
