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
    const end = sliceEnd(text, from, sliceChars);
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

/**
 * Where the elements from `from` on can be cut: at the first comma between elements at least `chars` on, else at what
 * closes the array, else at the end of the text. Whether it is JSON is for the parser of the slice to say.
 */
function sliceEnd(text: string, from: number, chars: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) {
      if (depth === 0) return at;
      depth--;
    } else if (code === comma && depth === 0 && at - from >= chars) return at;
  }
  return text.length;
}

/** The quote that ends the string which begins at `at`; the end of the text where there is none. */
function stringEnd(text: string, at: number): number {
  let end = at + 1;
  for (let code = text.charCodeAt(end); end < text.length && code !== quote; code = text.charCodeAt(end)) {
    end += code === backslash ? 2 : 1;
  }
  return end;
}
