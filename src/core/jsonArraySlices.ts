import { JsonSyntaxError } from './jsonSyntaxError.ts';
import type { JsonValue } from './jsonValue.ts';
import { type JsonParseOptions, parseJson, parseJsonInSteps } from './losslessJson.ts';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The elements of a text that is one JSON array, read by slices of about `sliceChars`: yields the offset that it has
 * come to after each, and within an element that is much longer. The elements are those that `parseJson` gives, at its speed; where there are more than
 * `elementsMax`, some of those beyond may be missing. Undefined where the text is anything else, or has a fault, for
 * another reader to say which and where.
 */
export function* parseArrayInSlices(
  text: string,
  sliceChars: number,
  elementsMax = Number.POSITIVE_INFINITY,
  options: JsonParseOptions = {},
): Generator<number, readonly JsonValue[] | undefined> {
  const start = /^[ \t\r\n]*\[/.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const elements: JsonValue[] = [];
  let stoppedAt = start;
  for (let from = start; ; ) {
    const scan: Scan = { at: from, depth: 0, isInString: false };
    const enoughAt = from + sliceChars;
    // An element that goes on far beyond the slice is looked through in steps as well.
    let stopAt = enoughAt + sliceChars + 1;
    for (; !findEnd(text, scan, enoughAt, stopAt); stopAt = stoppedAt + sliceChars + 1) {
      stoppedAt = Math.min(scan.at, text.length);
      yield stoppedAt;
    }
    if (stoppedAt > from) {
      // It is read now, from its beginning.
      stoppedAt = from - 1;
      yield stoppedAt;
    }
    const end = scan.at;
    const isLast = text.charCodeAt(end) === closeBracket;
    if (!isLast && text.charCodeAt(end) !== comma) return undefined;
    const steps = elementsOf(text.slice(from, end), sliceChars, options);
    let step = steps.next();
    while (step.done !== true) {
      stoppedAt = from + step.value;
      yield stoppedAt;
      step = steps.next();
    }
    const slice = step.value;
    // No element is missing before, between or after commas: `[]` alone has none.
    if (slice === undefined || (slice.length === 0 && !(isLast && from === start))) return undefined;
    for (const element of slice) elements.push(element);
    if (elements.length > elementsMax) return elements;
    if (isLast) return /^[ \t\r\n]*$/.test(text.slice(end + 1)) ? elements : undefined;
    if (end - stoppedAt >= sliceChars) {
      stoppedAt = end;
      yield end;
    }
    from = end + 1;
  }
}

/** The elements in a slice; of one that is long because an element is, in steps. */
function* elementsOf(
  slice: string,
  sliceChars: number,
  options: JsonParseOptions,
): Generator<number, readonly JsonValue[] | undefined> {
  const array = `[${slice}]`;
  try {
    if (slice.length <= 2 * sliceChars) return parseJson(array, options) as readonly JsonValue[];
    const steps = parseJsonInSteps(array, sliceChars, options);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value as readonly JsonValue[];
      // The array begins one bracket earlier than the slice, and ends one later.
      yield Math.min(step.value - 1, slice.length);
    }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** How far a text was looked through for the end of a slice. */
interface Scan {
  at: number;
  depth: number;
  isInString: boolean;
}

/**
 * Looks for where the elements can be cut: at the first comma between elements from `enoughAt` on, else at what
 * closes the array, else at the end of the text. Whether it is JSON is for the parser of the slice to say. False where it
 * is not found before `stopAt`.
 */
function findEnd(text: string, scan: Scan, enoughAt: number, stopAt: number): boolean {
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

/** The quote that ends the string which `at` stands in; `to` or one more where there is none before. */
function stringEnd(text: string, at: number, to: number): number {
  let end = at;
  for (let code = text.charCodeAt(end); end < to && code !== quote; code = text.charCodeAt(end)) {
    end += code === backslash ? 2 : 1;
  }
  return end;
}
