import { isObject, type Json } from '../api/losslessJson.ts';
import { clausesOf, isChart, timesOf } from '../lql/clauses.ts';
import { type SqlPiece, sqlPieces } from '../query/sqlPieces.ts';
import type { Micros } from '../time/instant.ts';
import { rangeOf, type TimeRange } from '../time/timeRange.ts';
import {
  type Buckets,
  type Clock,
  clockOf,
  day,
  hour,
  minute,
  ofMicros,
  ofMonths,
  ofWeeks,
  second,
} from './buckets.ts';

interface QueryText {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** The query that a call sends; null for a stored one. */
export function queryIn(body: Json | undefined): QueryText | null {
  if (body === undefined || !isObject(body)) return null;
  const { sql, lql } = body;
  if (typeof lql === 'string') return { language: 'lql', text: lql };
  return typeof sql === 'string' ? { language: 'sql', text: sql } : null;
}

/** What the text of a query says about a chart of its rows. */
export interface ChartHints {
  /** Widths of time that the query names. Rows prove which of them is that of the chart. */
  readonly buckets: readonly Buckets[];
  /** Whether a column counts rows, so that it is zero in a bucket without rows. */
  readonly isCount: (name: string) => boolean;
  /** Whether a bucket that the answer does not have may have rows, as with LIMIT. */
  readonly isPartial: boolean;
  /** The time of the rows that were searched. Null if the text does not tell. */
  readonly range: TimeRange | null;
}

/** @param now time of the run, by the clock of the service */
export function chartHints(query: QueryText | null, now: Micros): ChartHints {
  if (query === null) return { buckets: [], isCount: isNamedCount, isPartial: false, range: null };
  return query.language === 'lql' ? hintsOfLql(query.text, now) : hintsOfSql(query.text);
}

/** Of stored queries, whose text callers do not see, names tell. */
const isNamedCount = (name: string): boolean =>
  /(^|_)(count|counts|requests|errors|events|rows|calls|hits|invocations|n)$/i.test(name);

const periods: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };

function hintsOfLql(text: string, now: Micros): ChartHints {
  const charts = clausesOf(text).filter(({ kind }) => kind === 'chart');
  const period = charts.map((clause) => /::([smhd])/.exec(clause.text)?.[1]).find((each) => each !== undefined) ?? 'm';
  return {
    buckets: isChart(text) ? [ofMicros(periods[period] ?? minute)] : [],
    isCount: (name) => name === 'count' || name === 'countd',
    isPartial: false,
    range: rangeOf(timesOf(text), now),
  };
}

const partialWords = new Set(['LIMIT', 'HAVING', 'QUALIFY', 'TABLESAMPLE']);

/** A guess from the words of the query, which the rows must bear out. */
function hintsOfSql(text: string): ChartHints {
  const pieces = (sqlPieces(text) ?? []).filter(({ kind }) => !/^(blank|lineComment|blockComment)$/.test(kind));
  const words = pieces.map(({ kind, text: word }) => (kind === 'word' ? word.toUpperCase() : word));
  const buckets: Buckets[] = [];
  const counts = new Set<string>();
  for (const [index, word] of words.entries()) {
    if (words[index + 1] !== '(') continue;
    if (/^(TIMESTAMP|DATETIME|DATE)_(TRUNC|BUCKET)$/.test(word)) buckets.push(...bucketsOfCall(words, index + 2));
    if (/^(COUNT|COUNTIF|APPROX_COUNT_DISTINCT)$/.test(word)) counts.add(nameAfterCall(pieces, words, index + 2));
  }
  return {
    buckets,
    isCount: (name) => counts.has(name.toLowerCase()),
    isPartial: words.some((word) => partialWords.has(word)),
    range: null,
  };
}

const days = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

const partOf = (name: string, clock?: Clock): Buckets | undefined => {
  const month = { MONTH: 1, QUARTER: 3, YEAR: 12 }[name];
  if (month !== undefined) return ofMonths(month, clock);
  const length = { SECOND: second, MINUTE: minute, HOUR: hour, DAY: day }[name];
  if (length !== undefined) return ofMicros(length, clock);
  return name === 'WEEK' ? ofWeeks(0, clock) : name === 'ISOWEEK' ? ofWeeks(1, clock) : undefined;
};

/** The width in the arguments of a call that truncates times: a part, perhaps with a zone, or an interval. */
function bucketsOfCall(words: readonly string[], from: number): readonly Buckets[] {
  const [, width = [], more = []] = argumentsOf(words, from);
  const [first = '', second_ = '', third = ''] = width;
  if (first === 'INTERVAL') {
    const part = partOf(third);
    const count = Number(second_);
    return part === undefined || !(count > 0) ? [] : [{ ...part, length: part.length * count }];
  }
  const clock = more.length === 0 ? undefined : zoneIn(more.join(''));
  if (clock === null) return [];
  const weekday = first === 'WEEK' && second_ === '(' ? days.indexOf(third) : -1;
  const found = weekday >= 0 ? ofWeeks(weekday, clock) : partOf(first, clock);
  return found === undefined ? [] : [found];
}

/** The clock of a zone in quotes; null if it is none that the browser knows, such as that of a parameter. */
function zoneIn(text: string): Clock | null {
  const name = /^(['"])([\w/+-]+)\1$/.exec(text)?.[2];
  if (name === undefined) return null;
  try {
    return clockOf(name);
  } catch {
    return null;
  }
}

/** The words of each argument, from the first behind the parenthesis. */
function argumentsOf(words: readonly string[], from: number): readonly (readonly string[])[] {
  const found: string[][] = [[]];
  let depth = 0;
  for (const word of words.slice(from)) {
    if (word === ')' && depth === 0) break;
    if (word === ',' && depth === 0) found.push([]);
    else found.at(-1)?.push(word);
    depth += word === '(' || word === '[' ? 1 : word === ')' || word === ']' ? -1 : 0;
  }
  return found;
}

/** The name that a column has behind a call, in lower case; empty if it has none. */
function nameAfterCall(pieces: readonly SqlPiece[], words: readonly string[], from: number): string {
  let at = from;
  for (let depth = 1; depth > 0 && at < words.length; at += 1)
    depth += words[at] === '(' ? 1 : words[at] === ')' ? -1 : 0;
  if (words[at] === 'AS') at += 1;
  return (pieces[at]?.text ?? '').replaceAll('`', '').toLowerCase();
}
