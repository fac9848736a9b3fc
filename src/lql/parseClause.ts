import { nearestName } from '../core/nearestName.ts';
import { lqlSyntaxError } from './lqlSyntaxError.ts';
import { checkedPath, readPath } from './parsePath.ts';
import { readQuoted } from './parseQuoted.ts';
import { readTime } from './parseTime.ts';
import { readValue, valueAdvice } from './parseValue.ts';
import {
  type Aggregate,
  type Clause,
  type FieldFilter,
  type FieldOperator,
  type FieldValue,
  type Filter,
  type Level,
  levels,
  type Period,
} from './query.ts';
import type { Read, TextReader } from './textReader.ts';

type ClauseReader = (reader: TextReader, at: number, isNegated: boolean) => Read<Clause> | null;

/** In the order of lql.md: the first that reads up to white space wins. */
const namedReaders: readonly ClauseReader[] = [readFrom, readChart, readSelect, readTimeFilter, readLevel];
const plainReaders: readonly ClauseReader[] = [readField, readQuotedText, readWord];

/** The clause at the offset, which is neither white space nor the end. Throws `lql.syntax`. */
export function readClause(reader: TextReader, at: number): Read<Clause> {
  reader.begin();
  const isNegated = reader.text[at] === '-';
  const from = isNegated ? at + 1 : at;
  if (isNegated && reader.isBoundary(from))
    throw reader.errorAt(at, 'a clause after "-"', { advice: 'To search for a hyphen, put it in quotes: "-".' });
  const named = firstRead(reader, namedReaders, from, isNegated);
  // Text that starts like one of these is meant as one, although it could also be a field with that name.
  const misread = reader.error;
  const found = named ?? firstRead(reader, plainReaders, from, isNegated);
  if (found === null) throw misread ?? reader.error ?? reader.errorAt(from, 'a clause', { advice: quotingAdvice });
  if (isNegated && !('isNegated' in found.value)) {
    const advice = 'Only filters can be negated, not a table, a chart or a selected column.';
    throw reader.errorAt(at, 'a filter after "-"', { advice });
  }
  return found;
}

const quotingAdvice = 'Put text that contains a colon or a quote in double quotes.';

function firstRead(
  reader: TextReader,
  readers: readonly ClauseReader[],
  at: number,
  isNegated: boolean,
): Read<Clause> | null {
  for (const read of readers) {
    const found = read(reader, at, isNegated);
    if (found === null) continue;
    if (reader.isBoundary(found.end)) return found;
    const isUnquoted = /[:"]/.test(reader.text.charAt(found.end));
    const advice = isUnquoted ? quotingAdvice : found.value.kind === 'field' ? valueAdvice : undefined;
    reader.fail(found.end, 'white space', { advice });
  }
  return null;
}

function readFrom(reader: TextReader, at: number): Read<Clause> | null {
  const match = reader.match(/(?:from|f):([A-Za-z0-9_.-]+)/y, at);
  if (match === null) return prefixAlone(reader, /(?:from|f):/y, at, 'the name of a table');
  const [clause, table = ''] = match;
  const end = at + clause.length;
  return { value: { kind: 'from', table, pos: reader.position(end - table.length) }, end };
}

const aggregates = ['avg', 'countd', 'count', 'sum', 'max', 'min', 'p50', 'p95', 'p99'] as const;
const aggregateForm = new RegExp(`(?:chart|c):(${aggregates.join('|')})\\(`, 'y');
const periodForm = /(?:chart|c):group_by\((?:timestamp|t)::(second|minute|hour|day|s|m|h|d)\)/y;
const periods: Readonly<Record<string, Period>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

function readChart(reader: TextReader, at: number): Read<Clause> | null {
  const pos = reader.position(at);
  const period = reader.match(periodForm, at);
  if (period !== null) {
    const name = period[1] ?? '';
    return { value: { kind: 'period', period: periods[name] ?? (name as Period), pos }, end: at + period[0].length };
  }
  const opening = reader.match(aggregateForm, at);
  if (opening === null) return noChart(reader, at);
  const aggregate = opening[1] as Aggregate;
  const inside = at + opening[0].length;
  const found = reader.text[inside] === '*' ? { value: null, end: inside + 1 } : readPath(reader, inside);
  if (found === null) return reader.fail(inside, '* or a path');
  if (reader.text[found.end] !== ')') return reader.fail(found.end, 'a closing parenthesis');
  if (found.value === null && aggregate !== 'count') {
    throw reader.errorAt(inside, 'a path, because only count accepts *');
  }
  const path = found.value === null ? null : checkedPath(reader, found.value);
  return { value: { kind: 'aggregate', aggregate, path, pos }, end: found.end + 1 };
}

/** Records what was expected after `c:` if no chart clause follows. */
function noChart(reader: TextReader, at: number): null {
  const prefix = reader.match(/(?:chart|c):/y, at)?.[0];
  if (prefix === undefined) return null;
  const start = at + prefix.length;
  const grouping = reader.match(/group_by\(/y, start)?.[0];
  if (grouping === undefined) {
    const allowed = [...aggregates, 'group_by'];
    return reader.fail(start, 'an aggregate such as count(*) or avg(m.x), or group_by(t::minute)', { allowed });
  }
  const inside = start + grouping.length;
  const column = reader.match(/(?:timestamp|t)::/y, inside)?.[0];
  if (column === undefined) return reader.fail(inside, 't:: and a period');
  const period = inside + column.length;
  const name = reader.match(/(?:second|minute|hour|day|s|m|h|d)(?![A-Za-z0-9_])/y, period)?.[0];
  if (name !== undefined) return reader.fail(period + name.length, 'a closing parenthesis');
  return reader.fail(period, 'a period: second, minute, hour, day or its first letter', {
    allowed: ['second', 'minute', 'hour', 'day'],
  });
}

function readSelect(reader: TextReader, at: number): Read<Clause> | null {
  const prefix = reader.match(/(?:select|s):/y, at)?.[0];
  if (prefix === undefined) return null;
  const start = at + prefix.length;
  const found = reader.text[start] === '*' ? { value: null, end: start + 1 } : readPath(reader, start);
  if (found === null) return reader.fail(start, '* or a path');
  const pos = reader.position(at);
  if (reader.text[found.end] !== '@') {
    // Text after it may be the value of a column with that name: `s:1.."x"`.
    const isWhole = found.value !== null && reader.isBoundary(found.end);
    const path = isWhole ? checkedPath(reader, found.value) : found.value;
    return { value: { kind: 'select', path, alias: null, pos }, end: found.end };
  }
  if (found.value === null) throw reader.errorAt(found.end, 'white space, because * cannot have an alias');
  const alias = reader.match(/[A-Za-z_][A-Za-z0-9_]*/y, found.end + 1)?.[0];
  if (alias === undefined) return reader.fail(found.end + 1, 'an alias of letters, digits and _');
  const path = checkedPath(reader, found.value);
  return { value: { kind: 'select', path, alias, pos }, end: found.end + 1 + alias.length };
}

function readTimeFilter(reader: TextReader, at: number, isNegated: boolean): Read<Filter> | null {
  const name = reader.match(/(?:timestamp|t)(?=:)/y, at)?.[0];
  if (name === undefined) return null;
  const found = readTime(reader, at + name.length);
  if (found === null) return null;
  return { value: { kind: 'time', ...found.value, isNegated, pos: reader.position(at) }, end: found.end };
}

const levelForm = new RegExp(`(?:metadata|m)\\.level:(${levels.join('|')})\\.\\.(${levels.join('|')})`, 'y');

function readLevel(reader: TextReader, at: number, isNegated: boolean): Read<Filter> | null {
  const match = reader.match(levelForm, at);
  if (match === null) return null;
  const [text, from, to] = match;
  const pos = reader.position(at);
  return { value: { kind: 'level', from: from as Level, to: to as Level, isNegated, pos }, end: at + text.length };
}

function readField(reader: TextReader, at: number, isNegated: boolean): Read<Filter> | null {
  const path = readPath(reader, at);
  if (path === null) return null;
  const op = (reader.match(/:(?:>=|<=|>|<|~|@>~|@>)?/y, path.end)?.[0] ?? null) as FieldOperator | null;
  if (op === null) return null;
  checkedPath(reader, path.value);
  const found = readValue(reader, path.end + op.length, op);
  if (found === null) return null;
  const field: FieldFilter = { kind: 'field', path: path.value, op, value: found.value, pos: reader.position(at) };
  if (reader.isBoundary(found.end)) checkOperator(field, reader, path.end + op.length);
  const isLevel = path.value.steps.join('.') === 'metadata.level';
  const value = isLevel ? withLevels(field, reader, path.end + op.length) : field;
  return { value: { ...value, isNegated }, end: found.end };
}

const opsOf: Readonly<Record<FieldValue['kind'], readonly FieldOperator[]>> = {
  null: [':'],
  boolean: [':', ':@>'],
  range: [':'],
  number: [':', ':>=', ':<=', ':>', ':<', ':@>'],
  text: [':', ':>=', ':<=', ':>', ':<', ':@>', ':~', ':@>~'],
};

const named: Readonly<Record<FieldValue['kind'], string>> = {
  null: 'NULL',
  boolean: 'true or false',
  range: 'a range',
  number: 'a number',
  text: 'text',
};

function checkOperator({ op, value }: FieldFilter, reader: TextReader, at: number): void {
  if (opsOf[value.kind].includes(op)) return;
  throw reader.errorAt(
    at,
    `another value after ${op}; ${named[value.kind]} is allowed only after ${opsOf[value.kind].join(' ')}`,
  );
}

/** Reads a range of two texts on `metadata.level` as levels, however it is written; other texts have no order there. */
function withLevels(field: FieldFilter, reader: TextReader, at: number) {
  const { value, pos } = field;
  if (value.kind !== 'range' || (value.from.kind === 'number' && value.to.kind === 'number')) return field;
  const [from, to] = [value.from, value.to].map(({ text }) => {
    const level = levels.find((each) => each === text);
    if (level !== undefined) return level;
    const nearest = nearestName(text, levels);
    const pos = reader.position(Math.max(at, reader.text.indexOf(text, at)));
    throw lqlSyntaxError({ pos, token: text, expected: 'a level', allowed: levels, nearest });
  });
  return from === undefined || to === undefined ? field : ({ kind: 'level', from, to, pos } as const);
}

function readQuotedText(reader: TextReader, at: number, isNegated: boolean): Read<Filter> | null {
  const isRegex = reader.text[at] === '~';
  const quoted = readQuoted(reader, isRegex ? at + 1 : at);
  if (quoted === null) return null;
  return { value: { kind: 'text', text: quoted.value, isRegex, isNegated, pos: reader.position(at) }, end: quoted.end };
}

function readWord(reader: TextReader, at: number, isNegated: boolean): Read<Filter> | null {
  const isRegex = reader.text[at] === '~';
  const from = isRegex ? at + 1 : at;
  const text = reader.match(/[^\s":]+/y, from)?.[0];
  if (text === undefined) return isRegex ? reader.fail(from, 'a regular expression after ~') : null;
  return { value: { kind: 'text', text, isRegex, isNegated, pos: reader.position(at) }, end: from + text.length };
}

/** Records what was expected after a prefix such as `f:`, if the prefix is there. */
function prefixAlone(reader: TextReader, prefix: RegExp, at: number, expected: string): null {
  const text = reader.match(prefix, at)?.[0];
  return text === undefined ? null : reader.fail(at + text.length, expected);
}
