import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { parseArrayInSlices } from '../core/jsonArraySlices.ts';
import { JsonSyntaxError } from '../core/jsonSyntaxError.ts';
import { isJsonArray, isJsonObject, type JsonValue, memberNames, memberOf, removeMember } from '../core/jsonValue.ts';
import {
  isQuicklyParsed,
  type JsonParseOptions,
  parseJson,
  parseJsonInSteps,
  parseJsonSequence,
  parseJsonSequenceInSteps,
} from '../core/losslessJson.ts';
import type { BodyFormat } from './bodyFormat.ts';
import { NotUtf8, textAt, withoutByteOrderMark } from './decodeUtf8.ts';
import { bytePlaceInTurns, decodeUtf8InTurns } from './decodeUtf8InTurns.ts';
import { linesIn } from './lines.ts';
import { type RejectedEvent, rejected } from './rejection.ts';
import type { SourceCandidate } from './resolveSource.ts';
import { eventTerms, type SenderTerms } from './senderTerms.ts';
import { Utf8Json } from './utf8Json.ts';
import { utf8Pieces } from './utf8Pieces.ts';

/** One element of a batch as it was sent. */
export type SentEvent = { readonly kind: 'value'; readonly value: JsonValue } | RejectedEvent;

export interface DecodedBody {
  readonly events: readonly SentEvent[];
  /** The `source` member of a single-object body; undefined if it is missing or not text. */
  readonly sourceName: string | undefined;
  /** A remark for the sender about a body that has no errors. */
  readonly warning?: string;
  /**
   * The source that each event names itself, by its index in `events`. Counts only if the call names none.
   */
  readonly eventSources?: readonly (SourceCandidate | undefined)[];
  /** Whether the protocol says that equal bytes are the same events, though events have no IDs. */
  readonly isIdentified?: boolean;
}

/** Characters that are parsed in one turn. That takes some milliseconds, or ten if all are brackets. */
const sliceChars = 128 * 1024;

/**
 * A longer body or line never becomes one string: new memory for 16 MB can take 80 ms. Decoding a shorter one at once costs
 * less.
 */
const slicedBytes = 4 * 1024 * 1024;

/**
 * Reads the events of a body (streams.md, row "bodies").
 *
 * @throws ServiceError `request.malformed` with line and column, `request.unsupported_media_type` if the text is not
 * UTF-8 at all, `ingest.too_many_events`.
 */
export async function decode(
  body: Uint8Array,
  format: BodyFormat,
  eventsMax: number,
  options: JsonParseOptions = {},
  turns?: Turns,
): Promise<DecodedBody> {
  const bytes = withoutByteOrderMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  const pause = new Pause(turns);
  if (format === 'ndjson')
    return { events: await decodeLines(bytes, eventsMax, options, pause), sourceName: undefined };
  return decodeValues(await parseValues(bytes, eventsMax, eventTerms, options, pause), eventsMax);
}

/**
 * Reads the JSON values of a body; at least one. Reads a long body in turns, and stops early if it holds more than
 * `valuesMax` values or a list with more elements.
 *
 * @throws ServiceError `request.malformed` with line and column.
 */
export async function parseValues(
  bytes: Buffer,
  valuesMax: number,
  { emptyBatch }: Pick<SenderTerms, 'emptyBatch'>,
  options: JsonParseOptions = {},
  pause: Pause = new Pause(),
): Promise<readonly JsonValue[]> {
  if (bytes.length > slicedBytes) {
    const array = await inTurns(parseArrayInSlices(new Utf8Json(bytes), sliceChars, valuesMax, options), pause);
    if (array !== undefined) return [array];
  }
  try {
    const values =
      bytes.length > slicedBytes
        ? await inTurns(parseJsonSequenceInSteps(utf8Pieces(bytes), sliceChars, valuesMax, options), pause)
        : await parseInTurns(await decodeUtf8InTurns(bytes, pause), valuesMax, options, pause);
    if (values.length > 0) return values;
  } catch (error) {
    if (error instanceof NotUtf8) {
      const { line, column } = await bytePlaceInTurns(bytes, error.offset, pause);
      throw new ServiceError(
        'request.malformed',
        `The body is not UTF-8 at line ${line}, column ${column} (byte ${error.offset + 1}).`,
        { errors: [{ line, column }] },
      );
    }
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ServiceError('request.malformed', `The body is not JSON: ${error.message}.`, {
      errors: [{ line: error.line, column: error.column, token: error.token, message: error.reason }],
    });
  }
  const hint = emptyBatch === null ? '' : ` To send an empty batch, write ${emptyBatch}.`;
  throw new ServiceError('request.malformed', `The body is empty.${hint}`);
}

async function parseInTurns(
  text: string,
  valuesMax: number,
  options: JsonParseOptions,
  pause: Pause,
): Promise<readonly JsonValue[]> {
  if (text.length <= sliceChars) return parseJsonSequence(text, options);
  // Finding the ends of slices takes as long as `JSON.parse`, so skip it if the whole text can be parsed at once.
  const array = isQuicklyParsed(text)
    ? undefined
    : await inTurns(parseArrayInSlices(text, sliceChars, valuesMax, options), pause);
  return array === undefined
    ? await inTurns(parseJsonSequenceInSteps(text, sliceChars, valuesMax, options), pause)
    : [array];
}

/** Runs steps that yield offsets, with pauses between them, and returns their result. */
async function inTurns<T>(steps: Generator<number, T>, pause: Pause): Promise<T> {
  for (let offset = 0; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    // The steps may restart from an earlier offset.
    if (pause.isDue(Math.max(1, step.value - offset))) await pause.take();
    offset = step.value;
  }
}

function decodeValues(values: readonly JsonValue[], eventsMax: number): DecodedBody {
  const only = values.length === 1 ? values[0] : undefined;
  const sourceName = isJsonObject(only) ? memberOf(only, 'source') : undefined;
  const isAddressed = typeof sourceName === 'string';
  const batches = values.map((value) => batchOf(value) ?? [value]);
  // `source` addressed the body and is not part of the event. Nobody else holds the value, so change it in place.
  if (isAddressed) removeMember(only as Record<string, JsonValue>, 'source');
  // Check before allocating anything for each event.
  if (batches.reduce((sum, { length }) => sum + length, 0) > eventsMax) throw tooManyEvents(eventsMax);
  const events = batches.flatMap((batch) => batch.map((value): SentEvent => ({ kind: 'value', value })));
  return { events, sourceName: isAddressed ? sourceName : undefined };
}

/**
 * The events of an array or of `{"batch":[…]}` (whose only other member can be `source`); undefined for a single event.
 */
function batchOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (isJsonArray(value)) return value;
  if (!isJsonObject(value) || !Object.hasOwn(value, 'batch')) return undefined;
  if (memberNames(value).some((name) => name !== 'batch' && name !== 'source')) return undefined;
  const batch = memberOf(value, 'batch');
  if (isJsonArray(batch)) return batch;
  throw new ServiceError('request.malformed', 'The member batch of the body must be an array of events.');
}

async function decodeLines(
  bytes: Buffer,
  eventsMax: number,
  options: JsonParseOptions,
  pause: Pause,
): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for (const found of linesIn(bytes)) {
    if (found.kind === 'step') {
      if (pause.isDue(found.work)) await pause.take();
      continue;
    }
    events.push(await decodeLine(found.bytes, found.number, options, pause));
    if (events.length > eventsMax) throw tooManyEvents(eventsMax);
    if (pause.isDue(perLineWork + found.bytes.length)) await pause.take();
  }
  return events;
}

/** The fixed work per line, expressed as bytes that take as long. A line that is not JSON takes longest. */
export const perLineWork = 1000;

/** Reads the JSON value of a line. */
export async function decodeLine(
  bytes: Buffer,
  lineNumber: number,
  options: JsonParseOptions,
  pause: Pause,
): Promise<SentEvent> {
  try {
    return { kind: 'value', value: await valueOfLine(bytes, options, pause) };
  } catch (error) {
    if (error instanceof NotUtf8)
      return rejected('event.malformed', `Line ${lineNumber} is not UTF-8 at byte ${error.offset + 1}.`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    return rejected('event.malformed', `Line ${lineNumber} is not JSON: ${error.reason} at column ${error.column}.`);
  }
}

async function valueOfLine(bytes: Buffer, options: JsonParseOptions, pause: Pause): Promise<JsonValue> {
  if (bytes.length <= sliceChars) return parseJson(textAt(bytes, 0, bytes.length), options);
  const text = bytes.length > slicedBytes ? utf8Pieces(bytes) : await decodeUtf8InTurns(bytes, pause);
  return await inTurns(parseJsonInSteps(text, sliceChars, options), pause);
}

export function tooManyEvents(eventsMax: number): ServiceError {
  return new ServiceError(
    'ingest.too_many_events',
    `The request has more than ${eventsMax} events, the most allowed; nothing was stored. Send several requests.`,
  );
}
