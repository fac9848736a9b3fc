import { readQuoted } from './parseQuoted.ts';
import type { FieldOperator, FieldValue, RangeEnd } from './query.ts';
import type { Read, TextReader } from './textReader.ts';

const numberForm = /-?\d+(?:\.\d+)?/y;
const constantForm = /NULL|true|false/y;
const parenthesisedForm = /\(([^)]*)\)/y;
const wordForm = /[A-Za-z0-9_-]+/y;

export const valueAdvice = 'Put a value with characters other than letters, digits, _ and - in double quotes.';

/**
 * Reads the value after an operator: the alternative that reads the most, or the first one in the grammar if several read
 * equally much. So `5xx`, `NULLable` and a UUID are text.
 */
export function readValue(reader: TextReader, at: number, op: FieldOperator): Read<FieldValue> | null {
  const wantsText = op === ':~' || op === ':@>~';
  const found = longest([
    readRange(reader, at),
    readNumber(reader, at),
    readConstant(reader, at),
    asText(readQuoted(reader, at)),
    readParenthesised(reader, at),
    readWord(reader, at),
  ]);
  if (found === null) return reader.fail(at, 'a value', { advice: reader.isBoundary(at) ? undefined : valueAdvice });
  // A regular expression is always text.
  if (!wantsText || found.value.kind === 'range' || found.value.kind === 'text') {
    checkNumber(reader, at, found.value);
    return found;
  }
  return { value: { kind: 'text', text: reader.text.slice(at, found.end) }, end: found.end };
}

function longest<T>(candidates: readonly (Read<T> | null)[]): Read<T> | null {
  let best: Read<T> | null = null;
  for (const candidate of candidates) if (candidate !== null && candidate.end > (best?.end ?? -1)) best = candidate;
  return best;
}

function readRange(reader: TextReader, at: number): Read<FieldValue> | null {
  const from = readEnd(reader, at);
  if (from === null || !reader.text.startsWith('..', from.end)) return null;
  const to = readEnd(reader, from.end + 2);
  if (to === null) return reader.fail(from.end + 2, 'the end of the range');
  checkNumber(reader, at, from.value);
  checkNumber(reader, from.end + 2, to.value);
  return { value: { kind: 'range', from: from.value, to: to.value }, end: to.end };
}

function readEnd(reader: TextReader, at: number): Read<RangeEnd> | null {
  return longest([readNumber(reader, at), asText(readQuoted(reader, at)), readWord(reader, at)]);
}

function readNumber(reader: TextReader, at: number): Read<RangeEnd> | null {
  const text = reader.match(numberForm, at)?.[0];
  if (text === undefined) return null;
  return { value: { kind: 'number', text }, end: at + text.length };
}

/** Checks a number that is the value or an end of a range; digits may also be part of a word, or text after `:~`. */
function checkNumber(reader: TextReader, at: number, value: FieldValue): void {
  if (value.kind !== 'number' || Number.isFinite(Number(value.text))) return;
  throw reader.errorAt(at, 'a number within the range of FLOAT64');
}

function readConstant(reader: TextReader, at: number): Read<FieldValue> | null {
  const text = reader.match(constantForm, at)?.[0];
  if (text === undefined) return null;
  const value: FieldValue = text === 'NULL' ? { kind: 'null' } : { kind: 'boolean', value: text === 'true' };
  return { value, end: at + text.length };
}

function readParenthesised(reader: TextReader, at: number): Read<RangeEnd> | null {
  if (reader.text[at] !== '(') return null;
  const match = reader.match(parenthesisedForm, at);
  if (match === null) return reader.fail(at, 'text with a closing parenthesis');
  return { value: { kind: 'text', text: match[1] ?? '' }, end: at + match[0].length };
}

function readWord(reader: TextReader, at: number): Read<RangeEnd> | null {
  const text = reader.match(wordForm, at)?.[0];
  return text === undefined ? null : { value: { kind: 'text', text }, end: at + text.length };
}

function asText(quoted: Read<string> | null): Read<RangeEnd> | null {
  return quoted === null ? null : { value: { kind: 'text', text: quoted.value }, end: quoted.end };
}
