import { instantMicros } from './instant.ts';
import type { TimeOperator, TimeUnit, TimeValue } from './query.ts';
import type { Read, TextReader } from './textReader.ts';

const instantForm =
  /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})?)?|\d{16}|\d{13}|\d{10}/y;

const part = (digits: string): string => `(?:\\d{${digits}}|\\{\\d{${digits}}\\.\\.\\d{${digits}}\\})`;
const bracesForm = new RegExp(
  `${part('4')}-${part('2')}-${part('2')}` +
    `(?:T${part('2')}:${part('2')}:${part('2')}(?:\\.${part('1,6')})?(?:Z|[+-]\\d{2}:\\d{2})?)?`,
  'y',
);

const wordForm = /now|today|yesterday/y;
const unitForm =
  /(?:this@|last@(\d{1,4})?)(seconds?|minutes?|hours?|days?|weeks?|months?|years?|mm|[smhdwy])(?![A-Za-z0-9])/y;

const units: Readonly<Record<string, TimeUnit>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mm: 'month',
  y: 'year',
};

/**
 * Reads the operator and the value after `timestamp`. A range is allowed after `:`, and after `:>=` and `:<`, which compare
 * with its start. `:>` and `:<=` with a range would be ambiguous.
 */
export function readTime(reader: TextReader, at: number): Read<{ op: TimeOperator; value: TimeValue }> | null {
  const op = (reader.match(/:(?:>=|<=|>|<|(?![~@]))/y, at)?.[0] ?? null) as TimeOperator | null;
  if (op === null) return null;
  const from = at + op.length;
  const found =
    readUnit(reader, from) ??
    readWord(reader, from) ??
    readBraces(reader, from) ??
    readInstants(reader, from) ??
    readInstant(reader, from);
  if (found === null) return reader.fail(from, 'a time such as 2026-05-01T10:00:00Z, today or last@15m');
  const isRange = found.value.kind !== 'instant' && found.value.kind !== 'now';
  if (isRange && (op === ':>' || op === ':<=') && reader.isBoundary(found.end)) {
    const advice = 'A range is allowed after ":", and after ":>=" and ":<", which compare with its start.';
    throw reader.errorAt(from, `a point in time after ${op}`, { advice });
  }
  return { value: { op, value: found.value }, end: found.end };
}

function readUnit(reader: TextReader, at: number): Read<TimeValue> | null {
  const match = reader.match(unitForm, at);
  if (match === null) {
    const stem = reader.match(/this@|last@\d{0,4}/y, at)?.[0];
    if (stem === undefined) return null;
    return reader.fail(at + stem.length, 'a unit: s, m, h, d, w, mm or y, or its name', {
      allowed: Object.values(units),
    });
  }
  const [text, digits, name = ''] = match;
  const unit = units[name] ?? (name.replace(/s$/, '') as TimeUnit);
  const value: TimeValue = text.startsWith('this')
    ? { kind: 'this', unit }
    : { kind: 'last', count: Number(digits ?? 1), unit };
  return { value, end: at + text.length };
}

function readWord(reader: TextReader, at: number): Read<TimeValue> | null {
  const word = reader.match(wordForm, at)?.[0];
  if (word === undefined) return null;
  const value: TimeValue =
    word === 'now' ? { kind: 'now' } : { kind: 'day', day: word === 'today' ? 'today' : 'yesterday' };
  return { value, end: at + word.length };
}

/** Reads a brace range as two corners: each brace at its first value, and each at its last. */
function readBraces(reader: TextReader, at: number): Read<TimeValue> | null {
  const text = reader.match(bracesForm, at)?.[0];
  if (text?.includes('{') !== true) return null;
  const [from, to] = ['$1', '$2'].map((corner) => text.replaceAll(/\{(\d+)\.\.(\d+)\}/g, corner));
  if (from === undefined || to === undefined) return null;
  if (instantMicros(from) === null || instantMicros(to) === null) return reader.fail(at, 'a valid date and time');
  return { value: { kind: 'between', from, to }, end: at + text.length };
}

function readInstants(reader: TextReader, at: number): Read<TimeValue> | null {
  const from = readInstant(reader, at);
  if (from?.value.kind !== 'instant' || !reader.text.startsWith('..', from.end)) return null;
  const to = readInstant(reader, from.end + 2);
  if (to?.value.kind !== 'instant') return reader.fail(from.end + 2, 'the end of the time range');
  return { value: { kind: 'between', from: from.value.text, to: to.value.text }, end: to.end };
}

function readInstant(reader: TextReader, at: number): Read<TimeValue> | null {
  const text = reader.match(instantForm, at)?.[0];
  if (text === undefined) return null;
  if (instantMicros(text) === null) return reader.fail(at, 'a valid date and time');
  return { value: { kind: 'instant', text }, end: at + text.length };
}
