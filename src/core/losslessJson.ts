import { JsonReader, type JsonReaderOptions } from './jsonReader.ts';
import { isJsonArray, type JsonValue } from './jsonValue.ts';

declare global {
  // Part of ES2024 and of every Node that we run on; the library of ES2023 does not declare them.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

export type JsonParseOptions = Partial<JsonReaderOptions>;

/** Containers within containers that a text may have, unless said otherwise. */
export const jsonDepthMax = 200;

/**
 * What `JSON.parse` would lose or change, as it looks in a text: surrogate escapes, integers beyond 2^53, exponents
 * that may overflow, and member names that look like array indices (it moves them to the front). May match inside a
 * string; that only costs time. Looked for at the start of a text, where a batch shows what its events are like; the rest
 * is told by the values.
 */
const lossyForNativeParse =
  /\\u[dD][89a-fA-F]|[[:,]\s*-?(?:9\d{15}|[1-9]\d{16}|\d[\d.]*[eE]\+?\d{3,}(?=[\s,}\]]))|"\d+"\s*:/;
const lossyStartChars = 16 * 1024;
/** What is left to `JSON.parse` in one go where turns are to be short: so many characters, with so many commas among them. */
const nativeCharsMax = 2 * 1024 * 1024;
const nativeCommasMax = 16 * 1024;
/** The one thing that is lost without a trace in the values. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
const numberAlone = /^\s*[-\d]/;

/**
 * The one value of a JSON text (RFC 8259), with every digit of integers from -2^63 to 2^64-1 and
 * lone surrogates replaced by U+FFFD. Numbers beyond all doubles are infinite, for the caller to refuse.
 *
 * @throws JsonSyntaxError with line and column; also for nesting beyond `depthMax`, and for a member
 *   given twice where `duplicateKeys` is `error`.
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
 * The values of a text that holds any number of JSON values, with white space or nothing between
 * them. Otherwise as `parseJson`.
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
 * As `parseJson`, in turns: yields about every `stepChars` the offset that it has come to. Where `JSON.parse` has read the
 * text, yields the end of it once, and may have to begin again after that.
 */
export function* parseJsonInSteps(
  text: string,
  stepChars: number,
  options: JsonParseOptions = {},
): Generator<number, JsonValue> {
  const full = withDefaults(options);
  const native = yield* parseNativelyInSteps(text, full);
  if (native !== undefined) return native;
  const reader = new JsonReader(text, full);
  const value = yield* reader.nextInSteps(stepChars);
  if (!reader.atEnd()) throw reader.unexpected('the end of the text');
  return value;
}

/**
 * As `parseJsonSequence`, in turns as `parseJsonInSteps`: yields after every value as well. Reads no more than one value beyond `valuesMax`.
 */
export function* parseJsonSequenceInSteps(
  text: string,
  stepChars: number,
  valuesMax = Number.POSITIVE_INFINITY,
  options: JsonParseOptions = {},
): Generator<number, readonly JsonValue[]> {
  const full = withDefaults(options);
  const native = yield* parseNativelyInSteps(text, full);
  if (native !== undefined) return [native];
  const reader = new JsonReader(text, full);
  const values: JsonValue[] = [];
  while (values.length <= valuesMax && !reader.atEnd()) {
    values.push(yield* reader.nextInSteps(stepChars));
    yield reader.offset;
  }
  return values;
}

function withDefaults(options: JsonParseOptions): JsonReaderOptions {
  return {
    duplicateKeys: options.duplicateKeys ?? 'last',
    depthMax: options.depthMax ?? jsonDepthMax,
    membersMax: options.membersMax ?? Number.POSITIVE_INFINITY,
  };
}

/** The same value several times faster, or undefined where the reader has to look (also for the place of an error). */
function parseNatively(text: string, options: JsonReaderOptions): JsonValue | undefined {
  const value = parseUnchecked(text, options);
  return value !== undefined && isPlain(value, options.depthMax) ? value : undefined;
}

/** As `parseNatively`, where the text is short enough for that; yields its end once before the values are looked at. */
function* parseNativelyInSteps(text: string, options: JsonReaderOptions): Generator<number, JsonValue | undefined> {
  const value = isQuicklyParsed(text) ? parseUnchecked(text, options) : undefined;
  if (value === undefined) return undefined;
  yield text.length;
  return isPlain(value, options.depthMax) ? value : undefined;
}

/** Whether `JSON.parse` takes some milliseconds at most, whatever the text holds. */
export function isQuicklyParsed(text: string): boolean {
  if (text.length > nativeCharsMax) return false;
  return (
    countOf(',', text, nativeCommasMax) <= nativeCommasMax && countOf('[', text, nativeCommasMax) <= nativeCommasMax
  );
}

/** What `JSON.parse` makes of the text, in which things may be missing; undefined where the text tells that they are. */
function parseUnchecked(text: string, options: JsonReaderOptions): JsonValue | undefined {
  if (options.duplicateKeys !== 'last' || numberAlone.test(text)) return undefined;
  if (lossyForNativeParse.test(text.slice(0, lossyStartChars)) || surrogateEscape.test(text)) return undefined;
  if (!text.isWellFormed() || couldExhaustNativeParse(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // The reader finds the same error again and knows its line and column.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Whether the text has so many opening brackets for its length that it may be nesting alone, on which
 * `JSON.parse` spends a hundred times its size in memory before the depth can be checked.
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
 * Whether a value of `JSON.parse` is what the text says: no number so large that digits of an integer may be
 * missing, no member that may have been moved to the front, nothing deeper than `depthMax`.
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
    // Names that are array indices come first, wherever they were written.
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
