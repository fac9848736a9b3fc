import { ServiceError } from '../core/errors.ts';
import { parseArrayInSlices } from '../core/jsonArraySlices.ts';
import { JsonSyntaxError } from '../core/jsonSyntaxError.ts';
import { isJsonArray, isJsonObject, type JsonValue, memberNames, memberOf, removeMember } from '../core/jsonValue.ts';
import {
  type JsonParseOptions,
  nativeCharsMax,
  parseJson,
  parseJsonInSteps,
  parseJsonSequence,
  parseJsonSequenceInSteps,
} from '../core/losslessJson.ts';
import { textPlace } from '../core/textPlace.ts';
import type { BodyFormat } from './bodyFormat.ts';
import { decodeUtf8, withoutByteOrderMark } from './decodeUtf8.ts';
import { Pause } from './pause.ts';
import { type RejectedEvent, rejected } from './rejection.ts';

/** What was sent at one index of a batch. */
export type SentEvent = { readonly kind: 'value'; readonly value: JsonValue } | RejectedEvent;

export interface DecodedBody {
  readonly events: readonly SentEvent[];
  /** The `source` member of a single-object body; undefined where there is none that is text. */
  readonly sourceName: string | undefined;
  /** What the sender is told though nothing of the body is wrong. */
  readonly warning?: string;
}

/**
 * Characters that are parsed before others have a turn: a few milliseconds, or some 25 where nothing is left to
 * `JSON.parse`. What is left to it as a whole may be longer (`nativeCharsMax`).
 */
const sliceChars = 512 * 1024;

/**
 * Reads the events of a body (streams.md, row "bodies").
 *
 * @throws ServiceError `request.malformed` with line and column, `request.unsupported_media_type`
 *   where the text is not UTF-8 at all, `ingest.too_many_events`.
 */
export async function decode(
  body: Uint8Array,
  format: BodyFormat,
  eventsMax: number,
  options: JsonParseOptions = {},
): Promise<DecodedBody> {
  const bytes = withoutByteOrderMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  if (format === 'ndjson') return { events: await decodeLines(bytes, eventsMax, options), sourceName: undefined };
  return decodeValues(await parseValues(bytes, eventsMax, options), eventsMax);
}

/**
 * The JSON values of a body; at least one. A long body is read in turns, and not to its end where it holds
 * more than `valuesMax` values, or is a list of more elements and longer than `nativeCharsMax`.
 *
 * @throws ServiceError `request.malformed` with line and column.
 */
export async function parseValues(
  bytes: Buffer,
  valuesMax: number,
  options: JsonParseOptions = {},
): Promise<readonly JsonValue[]> {
  const decoded = decodeUtf8(bytes);
  if (decoded.kind === 'invalid') {
    const before = bytes.toString('utf8', 0, decoded.offset);
    const { line, column } = textPlace(before, before.length);
    throw new ServiceError(
      'request.malformed',
      `The body is not UTF-8 at line ${line}, column ${column} (byte ${decoded.offset + 1}).`,
      {
        errors: [{ line, column }],
      },
    );
  }
  try {
    const values = await parseInTurns(decoded.text, valuesMax, options);
    if (values.length > 0) return values;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ServiceError('request.malformed', `The body is not JSON: ${error.message}.`, {
      errors: [{ line: error.line, column: error.column, token: error.token, message: error.reason }],
      cause: error,
    });
  }
  throw new ServiceError('request.malformed', 'The body is empty; an empty batch is written [].');
}

async function parseInTurns(text: string, valuesMax: number, options: JsonParseOptions): Promise<readonly JsonValue[]> {
  if (text.length <= sliceChars) return parseJsonSequence(text, options);
  // Making text of so many bytes was a turn of its own.
  await new Pause().take();
  // Looking for the ends of slices takes as long as `JSON.parse` itself, so it is not done where the whole can be left to that.
  const array =
    text.length <= nativeCharsMax ? undefined : await inTurns(parseArrayInSlices(text, sliceChars, valuesMax, options));
  return array === undefined ? await inTurns(parseJsonSequenceInSteps(text, sliceChars, valuesMax, options)) : [array];
}

/** What steps that yield offsets come to, with pauses between them. */
async function inTurns<T>(steps: Generator<number, T>): Promise<T> {
  const pause = new Pause();
  for (let offset = 0; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    // Steps may begin again.
    if (pause.isDue(Math.max(0, step.value - offset))) await pause.take();
    offset = step.value;
  }
}

function decodeValues(values: readonly JsonValue[], eventsMax: number): DecodedBody {
  const only = values.length === 1 ? values[0] : undefined;
  const sourceName = isJsonObject(only) ? memberOf(only, 'source') : undefined;
  const isAddressed = typeof sourceName === 'string';
  const batches = values.map((value) => batchOf(value) ?? [value]);
  // It addressed the body and is not a part of the event. Nobody else has what was read; a copy of many members takes long.
  if (isAddressed) removeMember(only as Record<string, JsonValue>, 'source');
  // Before anything is made for each event.
  if (batches.reduce((sum, { length }) => sum + length, 0) > eventsMax) throw tooManyEvents(eventsMax);
  const events = batches.flatMap((batch) => batch.map((value): SentEvent => ({ kind: 'value', value })));
  return { events, sourceName: isAddressed ? sourceName : undefined };
}

/** The events of an array or of `{"batch":[…]}` (beside which only `source` may stand); undefined for one event. */
function batchOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (isJsonArray(value)) return value;
  if (!isJsonObject(value) || !Object.hasOwn(value, 'batch')) return undefined;
  if (memberNames(value).some((name) => name !== 'batch' && name !== 'source')) return undefined;
  const batch = memberOf(value, 'batch');
  if (isJsonArray(batch)) return batch;
  throw new ServiceError('request.malformed', 'The member batch of the body must be an array of events.');
}

async function decodeLines(bytes: Buffer, eventsMax: number, options: JsonParseOptions): Promise<readonly SentEvent[]> {
  const pause = new Pause();
  const events: SentEvent[] = [];
  let lineNumber = 0;
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(0x0a, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    lineNumber++;
    const event = await decodeLine(bytes.subarray(start, end), lineNumber, options);
    if (event !== undefined) events.push(event);
    if (events.length > eventsMax) throw tooManyEvents(eventsMax);
    if (pause.isDue(end - start + 1)) await pause.take();
    start = end + 1;
  }
  return events;
}

async function decodeLine(
  bytes: Buffer,
  lineNumber: number,
  options: JsonParseOptions,
): Promise<SentEvent | undefined> {
  const decoded = decodeUtf8(bytes);
  if (decoded.kind === 'invalid')
    return rejected('event.malformed', `Line ${lineNumber} is not UTF-8 at byte ${decoded.offset + 1}.`);
  if (/^[ \t\r]*$/.test(decoded.text)) return undefined;
  try {
    const { text } = decoded;
    const value =
      text.length <= sliceChars ? parseJson(text, options) : await inTurns(parseJsonInSteps(text, sliceChars, options));
    return { kind: 'value', value };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return rejected('event.malformed', `Line ${lineNumber} is not JSON: ${error.reason} at column ${error.column}.`);
  }
}

export function tooManyEvents(eventsMax: number): ServiceError {
  return new ServiceError(
    'ingest.too_many_events',
    `The request holds more than the ${eventsMax} events that may be sent at once; nothing was stored. Send several requests.`,
  );
}
