import { notAroundEvents } from './jsonContainer.ts';
import { JsonReader } from './jsonReader.ts';
import type { JsonReaderOptions } from './jsonReaderOptions.ts';
import { JsonFault, JsonSyntaxError, tokenUnits } from './jsonSyntaxError.ts';
import { isJsonArray, type JsonValue } from './jsonValue.ts';
import { placeInPieces, type TextPieces } from './textPieces.ts';
import { textPlaceInSteps } from './textPlace.ts';

declare global {
  // Part of ES2024 and of all supported Node versions, but not declared in the library of ES2023.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

export type JsonParseOptions = Partial<JsonReaderOptions>;

/** Default limit of nested containers. */
export const jsonDepthMax = 200;

/**
 * Text that `JSON.parse` would lose or change: surrogate escapes, integers beyond 2^53, exponents that may overflow, and
 * member names that look like array indices (it moves them to the front). A match inside a string only costs time. Only
 * the start of a text is searched, because events of a batch are alike; later losses are detected in the values.
 */
const lossyForNativeParse =
  /\\u[dD][89a-fA-F]|[[:,]\s*-?(?:9\d{15}|[1-9]\d{16}|\d[\d.]*[eE]\+?\d{3,}(?=[\s,}\]]))|"\d+"\s*:/;
const lossyStartChars = 16 * 1024;
/** Limits of a text that `JSON.parse` may parse at once if turns must be short: its characters, and commas or brackets. */
const nativeCharsMax = 2 * 1024 * 1024;
const nativeCommasMax = 16 * 1024;
/** The only loss that cannot be detected in the values. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
const numberAlone = /^\s*[-\d]/;

/**
 * Parses one JSON value (RFC 8259), with every digit of integers from -2^63 to 2^64-1. Lone surrogates become U+FFFD.
 * Numbers too large for a double are infinite; the caller must refuse them.
 *
 * @throws JsonSyntaxError with line and column; also for nesting beyond `depthMax`, and for a repeated member if
 *   `duplicateKeys` is `error`.
 */
export function parseJson(text: string, options: JsonParseOptions = {}): JsonValue {
  const full = withDefaults(options);
  const native = parseNatively(text, full);
  if (native !== undefined) return native;
  const reader = new JsonReader(text, full);
  const value = reader.next();
  if (!reader.atEnd()) throw reader.unexpected('the end of the text');
  return value;
}

/**
 * Like `parseJson`, for a text with any number of JSON values, which white space may separate.
 */
export function parseJsonSequence(text: string, options: JsonParseOptions = {}): readonly JsonValue[] {
  const full = withDefaults(options);
  const native = parseNatively(text, full);
  if (native !== undefined) return [native];
  const reader = new JsonReader(text, full);
  const values: JsonValue[] = [];
  while (!reader.atEnd()) values.push(reader.next());
  return values;
}

/**
 * Like `parseJson`, in turns: yields the current offset about every `stepChars`. After an attempt with `JSON.parse` it
 * yields the end of the text once, and may then start again. What the pieces of a text throw is thrown.
 */
export function* parseJsonInSteps(
  text: string | TextPieces,
  stepChars: number,
  options: JsonParseOptions = {},
): Generator<number, JsonValue> {
  const full = withDefaults(options);
  const native = yield* parseNativelyInSteps(text, full);
  if (native !== undefined) return native;
  const reader = new JsonReader(text, full, stepChars);
  try {
    const value = yield* reader.nextInSteps();
    yield* reader.skipSpaceInSteps();
    if (!reader.atEnd()) throw reader.unexpected('the end of the text');
    return value;
  } catch (error) {
    throw yield* placed(error, text, stepChars);
  }
}

/**
 * Like `parseJsonSequence`, in turns like `parseJsonInSteps`: also yields after every value. Reads at most one value
 * beyond `valuesMax`.
 */
export function* parseJsonSequenceInSteps(
  text: string | TextPieces,
  stepChars: number,
  valuesMax = Number.POSITIVE_INFINITY,
  options: JsonParseOptions = {},
): Generator<number, readonly JsonValue[]> {
  const full = withDefaults(options);
  const native = yield* parseNativelyInSteps(text, full);
  if (native !== undefined) return [native];
  const reader = new JsonReader(text, full, stepChars);
  const values: JsonValue[] = [];
  try {
    yield* reader.skipSpaceInSteps();
    while (values.length <= valuesMax && !reader.atEnd()) {
      values.push(yield* reader.nextInSteps());
      yield reader.offset;
      yield* reader.skipSpaceInSteps();
    }
    return values;
  } catch (error) {
    throw yield* placed(error, text, stepChars);
  }
}

/** The error with line and column, if it is a fault of the text. */
function* placed(error: unknown, text: string | TextPieces, stepChars: number): Generator<number, unknown> {
  if (!(error instanceof JsonFault)) return error;
  const { problem, message, offset } = error;
  if (typeof text === 'string') {
    const place = yield* textPlaceInSteps(text, offset, stepChars);
    return new JsonSyntaxError(problem, message, offset, place, text.slice(offset, offset + tokenUnits));
  }
  const { rest, ...place } = yield* placeInPieces(text, offset, stepChars, tokenUnits);
  return new JsonSyntaxError(problem, message, offset, place, rest);
}

function withDefaults(options: JsonParseOptions): JsonReaderOptions {
  return {
    duplicateKeys: options.duplicateKeys ?? 'last',
    depthMax: options.depthMax ?? jsonDepthMax,
    membersMax: options.membersMax ?? Number.POSITIVE_INFINITY,
    elementsMax: options.elementsMax ?? Number.POSITIVE_INFINITY,
    inEventBytesMax: options.inEventBytesMax ?? Number.POSITIVE_INFINITY,
    aroundEvents: options.aroundEvents ?? notAroundEvents,
    areNamesCounted: options.areNamesCounted ?? true,
  };
}

/** Parses several times faster; undefined if the text needs the reader, including to locate an error. */
function parseNatively(text: string, options: JsonReaderOptions): JsonValue | undefined {
  const value = parseUnchecked(text, options);
  return value !== undefined && isPlain(value, options.depthMax) ? value : undefined;
}

/** Like `parseNatively`, if the text is short enough; yields its end once before it checks the values. */
function* parseNativelyInSteps(
  text: string | TextPieces,
  options: JsonReaderOptions,
): Generator<number, JsonValue | undefined> {
  if (typeof text !== 'string') return undefined;
  const value = isQuicklyParsed(text) ? parseUnchecked(text, options) : undefined;
  if (value === undefined) return undefined;
  yield text.length;
  return isPlain(value, options.depthMax) ? value : undefined;
}

/** Whether `JSON.parse` takes at most some milliseconds for the text. */
export function isQuicklyParsed(text: string): boolean {
  if (text.length > nativeCharsMax) return false;
  return (
    countOf(',', text, nativeCommasMax) <= nativeCommasMax && countOf('[', text, nativeCommasMax) <= nativeCommasMax
  );
}

/** The value from `JSON.parse`, which may have losses; undefined if the text shows them. */
function parseUnchecked(text: string, options: JsonReaderOptions): JsonValue | undefined {
  if (options.duplicateKeys !== 'last' || numberAlone.test(text)) return undefined;
  if (lossyForNativeParse.test(text.slice(0, lossyStartChars)) || surrogateEscape.test(text)) return undefined;
  if (!text.isWellFormed() || couldExhaustNativeParse(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // The reader will find the same error, with its line and column.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Whether the text has so many opening brackets for its length that it may consist of nesting, for which `JSON.parse`
 * needs a hundred times its size in memory before the depth can be checked.
 */
function couldExhaustNativeParse(text: string): boolean {
  const opensMax = Math.max(10_000, text.length / 8);
  return text.length > 10_000 && countOf('{', text, opensMax) + countOf('[', text, opensMax) > opensMax;
}

function countOf(character: string, text: string, countMax: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count <= countMax; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/**
 * Whether a value from `JSON.parse` has no loss: no number that may have lost digits, no member that may have moved to
 * the front, no nesting beyond `depthMax`.
 */
function isPlain(value: JsonValue, depthMax: number): boolean {
  if (typeof value === 'number') return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depthMax === 0) return false;
  if (isJsonArray(value)) {
    for (const element of value) if (!isPlain(element, depthMax - 1)) return false;
    return true;
  }
  let isFirst = true;
  for (const name in value) {
    // JavaScript moves names that are array indices to the front.
    if (isFirst && startsWithDigit(name)) return false;
    isFirst = false;
    if (!isPlain(value[name] ?? null, depthMax - 1)) return false;
  }
  return true;
}

function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}
