import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  isSpace,
  openBrace,
  openBracket,
  quote,
} from './jsonCharacters.ts';
import { JsonSyntaxError } from './jsonSyntaxError.ts';
import type { JsonValue } from './jsonValue.ts';
import { type JsonParseOptions, parseJson, parseJsonInSteps } from './losslessJson.ts';

/** A string, or a text that becomes strings slice by slice. */
export interface JsonText {
  readonly length: number;
  /** NaN behind the end. A character that is not ASCII may be several numbers above 127. */
  charCodeAt(at: number): number;
  slice(from: number, to: number): string;
}

/**
 * Parses a text that is one JSON array in slices of about `sliceChars`, as fast as `parseJson` and with the same
 * elements. Yields the current offset after each slice, and within much longer elements. If there are more than
 * `elementsMax` elements, some beyond that may be missing. Undefined if the text is not a valid array; another parser
 * must then find the error.
 */
export function* parseArrayInSlices(
  text: JsonText,
  sliceChars: number,
  elementsMax = Number.POSITIVE_INFINITY,
  options: JsonParseOptions = {},
): Generator<number, readonly JsonValue[] | undefined> {
  const first = yield* spaceEnd(text, 0, sliceChars);
  if (text.charCodeAt(first) !== openBracket) return undefined;
  const start = first + 1;
  const elements: JsonValue[] = [];
  let stoppedAt = start;
  for (let from = start; ; ) {
    const scan: Scan = { at: from, depth: 0, isInString: false };
    const enoughAt = from + sliceChars;
    // An element that extends far beyond the slice is also scanned in steps.
    let stopAt = enoughAt + sliceChars + 1;
    for (; !findEnd(text, scan, enoughAt, stopAt); stopAt = stoppedAt + sliceChars + 1) {
      stoppedAt = Math.min(scan.at, text.length);
      yield stoppedAt;
    }
    if (stoppedAt > from) {
      // The long element is now parsed, from its beginning.
      stoppedAt = from - 1;
      yield stoppedAt;
    }
    const end = scan.at;
    const isLast = text.charCodeAt(end) === closeBracket;
    if (!isLast && text.charCodeAt(end) !== comma) return undefined;
    const steps = elementsOf(text, from, end, sliceChars, options);
    let step = steps.next();
    while (step.done !== true) {
      stoppedAt = from + step.value;
      yield stoppedAt;
      step = steps.next();
    }
    const slice = step.value;
    // Every comma needs an element on both sides; only `[]` has no element.
    if (slice === undefined || (slice.length === 0 && !(isLast && from === start))) return undefined;
    for (const element of slice) elements.push(element);
    if (elements.length > elementsMax) return elements;
    if (isLast) return (yield* spaceEnd(text, end + 1, sliceChars)) < text.length ? undefined : elements;
    if (end - stoppedAt >= sliceChars) {
      stoppedAt = end;
      yield end;
    }
    from = end + 1;
  }
}

/** End of the white space from `from` on. */
function* spaceEnd(text: JsonText, from: number, sliceChars: number): Generator<number, number> {
  let stopAt = from + sliceChars;
  for (let at = from; ; at++) {
    if (!isSpace(text.charCodeAt(at))) return at;
    if (at <= stopAt) continue;
    yield at;
    stopAt = at + sliceChars;
  }
}

/** Parses the elements from `from` to `end`; in steps if that is long because of a long element. */
function* elementsOf(
  text: JsonText,
  from: number,
  end: number,
  sliceChars: number,
  options: JsonParseOptions,
): Generator<number, readonly JsonValue[] | undefined> {
  // A slice of the text is no copy, which takes long if the element is.
  const isWhole = text.charCodeAt(from - 1) === openBracket && text.charCodeAt(end) === closeBracket;
  const array = isWhole ? text.slice(from - 1, end + 1) : `[${text.slice(from, end)}]`;
  try {
    if (end - from <= 2 * sliceChars) return parseJson(array, options) as readonly JsonValue[];
    const steps = parseJsonInSteps(array, sliceChars, options);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value as readonly JsonValue[];
      // The array has one bracket before the slice and one after it.
      yield Math.min(step.value - 1, end - from);
    }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** State of the search for the end of a slice. */
interface Scan {
  at: number;
  depth: number;
  isInString: boolean;
}

/**
 * Searches the end of a slice: the first comma between elements from `enoughAt` on, the end of the array, or the end of
 * the text. It does not check the JSON, because the slice is parsed later. False if the end is not before `stopAt`.
 */
function findEnd(text: JsonText, scan: Scan, enoughAt: number, stopAt: number): boolean {
  const to = Math.min(text.length, stopAt);
  let { at, depth, isInString } = scan;
  let isFound = false;
  for (; at < to; at++) {
    if (isInString) {
      at = stringEnd(text, at, to);
      if (at >= to) break;
      isInString = false;
      continue;
    }
    const code = text.charCodeAt(at);
    if (code === quote) isInString = true;
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) {
      isFound = depth === 0;
      if (isFound) break;
      depth--;
    } else if (code === comma && depth === 0 && at >= enoughAt) {
      isFound = true;
      break;
    }
  }
  const isOver = isFound || at >= text.length;
  scan.at = Math.min(at, text.length);
  scan.depth = depth;
  scan.isInString = isInString;
  return isOver;
}

/** Offset of the quote that ends the string around `at`; `to` or one more if there is none before `to`. */
function stringEnd(text: JsonText, at: number, to: number): number {
  let end = at;
  for (let code = text.charCodeAt(end); end < to && code !== quote; code = text.charCodeAt(end)) {
    end += code === backslash ? 2 : 1;
  }
  return end;
}
