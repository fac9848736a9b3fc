import { type Json, textOf } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { parseInstant } from '../time/instant.ts';

interface Series {
  /** The whole text that the series is for. */
  readonly id: string;
  /** Its beginning. */
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Name of the column on the axis of time. */
  readonly timeName: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

const seriesMax = 8;
/** Characters of a series' name that are shown. */
const nameMax = 60;

/** What a result draws: its first column of time, and its numbers by it, split by its first text. Null if it has none. */
export function chartOf({ rows, meta }: Pick<RowsAnswer, 'rows' | 'meta'>): ChartData | null {
  const time = meta.columns.find(({ type }) => /^(TIMESTAMP|DATETIME|DATE)$/.test(type));
  const numbers = meta.columns.filter(
    ({ name, type }) => /^(INT64|FLOAT64|NUMERIC)$/.test(type) && name !== time?.name,
  );
  const [firstNumber] = numbers;
  if (time === undefined || firstNumber === undefined || rows.length === 0) return null;
  const split = meta.columns.find(({ name, type }) => name !== time.name && /^(STRING|JSON|BOOL)$/.test(type));
  const times = [...new Set(rows.map((row) => instantOf(row[time.name])))]
    .filter((each) => each !== null)
    .sort((a, b) => a - b);
  const at = new Map(times.map((each, index) => [each, index]));
  const found = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const index = at.get(instantOf(row[time.name]) ?? Number.NaN);
    if (index === undefined) continue;
    for (const { name } of split === undefined ? numbers : [firstNumber]) {
      const key = split === undefined ? name : textOf(row[split.name] ?? 'none');
      const values = found.get(key) ?? new Array<number | null>(times.length).fill(null);
      const value = row[name];
      if (value !== null && value !== undefined && Number.isFinite(Number(value))) values[index] = Number(value);
      found.set(key, values);
    }
  }
  const series = [...found]
    .map(([id, values]) => ({ id, name: id.length > nameMax ? `${id.slice(0, nameMax)}…` : id, values }))
    .sort((a, b) => sumOf(b.values) - sumOf(a.values));
  return { timeName: time.name, times, series: atMost(series, times.length) };
}

const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, each) => sum + (each ?? 0), 0);

/** The largest seven, and the others together. */
function atMost(series: ChartData['series'], length: number): ChartData['series'] {
  if (series.length <= seriesMax) return series;
  const others = series.slice(seriesMax - 1);
  const values = Array.from({ length }, (_, index) => sumOf(others.map((each) => each.values[index] ?? null)));
  return [...series.slice(0, seriesMax - 1), { id: 'other series', name: `other (${others.length})`, values }];
}

function instantOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? (parseInstant(value) ?? null) : null;
}
