import { type Json, textOf } from '../api/losslessJson.ts';
import type { Row, RowsAnswer, RowsOfCall } from '../api/rowsProtocol.ts';
import type { Meta } from '../api/types.ts';
import { type Micros, parseInstant } from '../time/instant.ts';
import { type Buckets, bucketsOf, type Clock, endAt, startAt, utc } from './buckets.ts';
import { chartHints, queryIn } from './queryText.ts';

export interface Series {
  /** The whole text that the series is for. */
  readonly id: string;
  /** Its beginning. */
  readonly name: string;
  /** By the buckets of the chart. Null for no value. */
  readonly values: readonly (number | null)[];
  /** Whether it is zero in buckets that the answer does not have. */
  readonly isCount: boolean;
}

export interface TimeSpan {
  readonly from: Micros;
  /** The first time after it. */
  readonly to: Micros;
}

export interface ChartData {
  /** Name of the column on the axis of time. */
  readonly timeName: string;
  /** Whether the column has times of a zone, not those of a clock on a wall. */
  readonly isZoned: boolean;
  /** Null if the times are of single events. */
  readonly buckets: Buckets | null;
  /** The buckets that have rows, ascending. */
  readonly spans: readonly TimeSpan[];
  readonly series: readonly Series[];
  /** What the axis shows: the searched time if it is known. Null if that is not known and there are no rows. */
  readonly axis: TimeSpan | null;
  /** Where a bucket that the answer does not have has no rows. Null if the answer does not tell. */
  readonly known: TimeSpan | null;
  /** What is missing in the drawing, in words. */
  readonly missing: readonly string[];
}

/** Rows; their call tells the query if they are not of a stored one. */
type ChartAnswer = Pick<RowsAnswer, 'rows' | 'meta'> & Partial<Pick<RowsOfCall, 'body'>>;

const seriesMax = 8;
/** Characters of a series' name that are shown. */
const nameMax = 60;
const spanUnknown = 60e6;

interface Columns {
  readonly time: Meta['columns'][number];
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly integers: readonly string[];
}

function columnsOf({ columns }: Meta): Columns | null {
  const time = columns.find(({ type }) => /^(TIMESTAMP|DATETIME|DATE)$/.test(type));
  if (time === undefined) return null;
  const named = (types: RegExp) =>
    columns.filter(({ name, type }) => types.test(type) && name !== time.name).map(({ name }) => name);
  const numbers = named(/^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/);
  if (numbers.length === 0) return null;
  return { time, numbers, texts: named(/^(STRING|JSON|BOOL)$/), integers: named(/^INT64$/) };
}

/** Whether rows have a column of time and a column of numbers. */
export const canBeCharted = (meta: Meta): boolean => columnsOf(meta) !== null;

/**
 * What a result draws: its first column of time, and its numbers by it, a series for each number or for each value of the
 * other columns. Null if it has no such columns.
 *
 * @param clock of the page
 */
export function chartOf(answer: ChartAnswer, clock: Clock): ChartData | null {
  const { rows, meta } = answer;
  const columns = columnsOf(meta);
  if (columns === null) return null;
  const asOf = parseInstant(meta.cache.as_of) ?? 0;
  const hints = chartHints(queryIn(answer.body), asOf);
  const isZoned = columns.time.type === 'TIMESTAMP';
  const timed = rows.flatMap((row): readonly TimedRow[] => {
    const micros = instantOf(row[columns.time.name]);
    return micros === null ? [] : [{ row, micros }];
  });
  const times = [...new Set(timed.map(({ micros }) => micros))].sort((a, b) => a - b);
  const buckets = bucketsOf(times, hints.buckets, isZoned ? clock : utc);
  const spans = times.map((from) => ({ from, to: buckets === null ? from : endAt(buckets, from) }));
  const axis = axisOf(spans, buckets, hints.range && { from: hints.range.from, to: hints.range.to ?? asOf });
  const isWhole = buckets !== null && axis !== null && !hints.isPartial && !meta.truncated;
  const begins = Object.values(meta.data_begins ?? {}).map((each) => parseInstant(each) ?? 0);
  const known = isWhole
    ? { from: Math.max(axis.from, ...begins), to: Math.max(spans.at(-1)?.to ?? axis.from, Math.min(axis.to, asOf)) }
    : null;
  const { series, undrawn } = seriesOf(timed, times, columns, hints.isCount, known !== null);
  const shown = atMost(series, times.length);
  const missing = [
    ...told(rows.length - timed.length, 'row without a time', 'rows without a time'),
    ...told(undrawn, 'row with the time of another row', 'rows with the time of another row'),
    ...(meta.truncated ? ['rows that were cut from the answer'] : []),
    ...told(shown.left, 'series with lower values', 'series with lower values'),
  ];
  return { timeName: columns.time.name, isZoned, buckets, spans, series: shown.series, axis, known, missing };
}

const told = (count: number, one: string, many: string): readonly string[] =>
  count === 0 ? [] : [`${count.toLocaleString('en')} ${count === 1 ? one : many}`];

function axisOf(
  spans: ChartData['spans'],
  buckets: Buckets | null,
  searched: { readonly from: Micros | null; readonly to: Micros } | null,
): TimeSpan | null {
  const froms = spans.slice(0, 1).map(({ from }) => from);
  const tos = spans.slice(-1).map(({ to }) => to);
  if (searched?.from != null && searched.from <= searched.to) {
    froms.push(buckets === null ? searched.from : startAt(buckets, searched.from));
    tos.push(buckets === null ? searched.to : endAt(buckets, searched.to));
  } else if (searched !== null && froms.length > 0) {
    tos.push(buckets === null ? searched.to : endAt(buckets, searched.to));
  }
  if (froms.length === 0) return null;
  const from = Math.min(...froms);
  const to = Math.max(...tos);
  return { from, to: to > from ? to : from + spanUnknown };
}

interface TimedRow {
  readonly row: Row;
  readonly micros: Micros;
}

interface Found {
  readonly series: readonly Series[];
  /** Rows whose place in their series has a row already. */
  readonly undrawn: number;
}

function seriesOf(
  rows: readonly TimedRow[],
  times: readonly Micros[],
  columns: Columns,
  isCount: (name: string) => boolean,
  isWhole: boolean,
): Found {
  const by = splitOf(rows, columns, times.length, isCount);
  const numbers = columns.numbers.filter((name) => !by.includes(name));
  const drawn = by.length === 0 ? numbers : numbers.slice(0, 1);
  const at = new Map(times.map((each, index) => [each, index]));
  const found = new Map<string, { readonly values: (number | null)[]; readonly isCount: boolean }>();
  const places = new Set<string>();
  let undrawn = 0;
  for (const { row, micros } of rows) {
    const split = keyOf(row, by);
    const place = `${micros} ${split}`;
    if (places.has(place)) {
      undrawn += 1;
      continue;
    }
    places.add(place);
    const index = at.get(micros) ?? 0;
    for (const name of drawn) {
      const key = by.length === 0 ? name : split;
      let series = found.get(key);
      if (series === undefined) {
        const none = isWhole && isCount(name) ? 0 : null;
        series = { values: new Array<number | null>(times.length).fill(none), isCount: isCount(name) };
        found.set(key, series);
      }
      const value = row[name];
      const number = value === null || value === undefined ? Number.NaN : Number(value);
      series.values[index] = Number.isFinite(number) ? number : null;
    }
  }
  const series = [...found]
    .map(([id, each]) => ({ id, name: id.length > nameMax ? `${id.slice(0, nameMax)}…` : id, ...each }))
    .sort((a, b) => sumOf(b.values) - sumOf(a.values));
  return { series, undrawn };
}

/** Columns of which each value has a series: texts, and as many integers as make the rows of a time different. */
function splitOf(
  rows: readonly TimedRow[],
  { numbers, texts, integers }: Columns,
  times: number,
  isCount: (name: string) => boolean,
): readonly string[] {
  if (times === rows.length && texts.length === 0) return [];
  // Such as messages of single events: no value has more than one of them.
  const areEvents = times > seriesMax && new Set(rows.map(({ row }) => keyOf(row, texts))).size === rows.length;
  const by = areEvents ? [] : texts;
  const others = integers.filter((name) => !isCount(name)).slice(0, numbers.length - 1);
  for (let count = 0; count <= others.length; count += 1) {
    const names = [...by, ...others.slice(0, count)];
    const different = new Set(rows.map(({ row, micros }) => `${micros} ${keyOf(row, names)}`));
    if (different.size === rows.length) return names;
  }
  return by;
}

const keyOf = (row: Row, names: readonly string[]): string =>
  names.map((name) => textOf(row[name] ?? 'none')).join(' · ');

const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, each) => sum + (each ?? 0), 0);

/** The largest seven, and the others together if their sum means something. */
function atMost(
  series: readonly Series[],
  length: number,
): { readonly series: readonly Series[]; readonly left: number } {
  if (series.length <= seriesMax) return { series, left: 0 };
  const others = series.slice(seriesMax - 1);
  const shown = series.slice(0, seriesMax - 1);
  if (!others.every(({ isCount }) => isCount)) return { series: shown, left: others.length };
  const values = Array.from({ length }, (_, index) => sumOf(others.map((each) => each.values[index] ?? null)));
  const other = { id: 'other series', name: `other (${others.length})`, values, isCount: true };
  return { series: [...shown, other], left: 0 };
}

function instantOf(value: Json | undefined): Micros | null {
  return typeof value === 'string' ? (parseInstant(value) ?? null) : null;
}
