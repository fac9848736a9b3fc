import { describe, expect, it } from 'vitest';
import type { Json } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import type { Meta } from '../api/types.ts';
import { parseInstant, printInstant } from '../time/instant.ts';
import { clockOf, hour, minute, utc, widthText } from './buckets.ts';
import { type ChartData, canBeCharted, chartOf } from './chartData.ts';
import { lineNames } from './lineNames.ts';
import { barPaths, linesOf, plotOf, pointedAt, size, valueAt } from './plot.ts';

const asOf = '2026-05-01T10:30:30Z';
const at = (text: string): number => parseInstant(text) ?? Number.NaN;
const time = (text: string): string => `2026-05-01T${text}:00Z`;

interface Given {
  readonly columns?: Readonly<Record<string, string>>;
  readonly lql?: string;
  readonly sql?: string;
  readonly meta?: Partial<Meta>;
}

const charted = (rows: readonly Row[], given: Given = {}): ChartData => {
  const { columns = { timestamp: 'TIMESTAMP', count: 'INT64' }, lql, sql, meta } = given;
  const body: Json | undefined = lql !== undefined ? { lql } : sql !== undefined ? { sql } : undefined;
  const data = chartOf(
    {
      rows,
      ...(body === undefined ? {} : { body }),
      meta: {
        columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
        truncated: false,
        cache: { outcome: 'miss', as_of: asOf },
        ...meta,
      } as unknown as Meta,
    },
    utc,
  );
  if (data === null) throw new Error('not charted');
  return data;
};

const lql = 'f:edge_logs t:>=2026-05-01T10:00:00Z t:<2026-05-01T10:30:00Z c:count(*) c:group_by(t::minute)';
const two = [
  { timestamp: time('10:05'), count: 3 },
  { timestamp: time('10:20'), count: 1 },
];
const axisOf = ({ axis }: ChartData) => axis && [printInstant(axis.from), printInstant(axis.to)];
const plotted = (data: ChartData, kind: 'line' | 'stacked' | 'bar' = 'stacked', width = 960) => {
  if (data.axis === null) throw new Error('no axis');
  return plotOf(data, data.axis, kind, width, utc);
};
const drawnLines = (data: ChartData, index = 0) => {
  const series = data.series[index];
  if (series === undefined) throw new Error('no series');
  return linesOf(data, series).map((line) =>
    line.map(({ micros, value }) => [printInstant(micros).slice(11, 19), value]),
  );
};

describe('a chart of a search', () => {
  it('shows the searched time, and two rows as bars of one minute at their times', () => {
    const data = charted(two, { lql });
    expect(axisOf(data)).toEqual([time('10:00'), time('10:30')]);
    expect(data.buckets && widthText(data.buckets)).toBe('1 min');
    const plot = plotted(data);
    const [path = ''] = barPaths(data, plot);
    const bars = [...path.matchAll(/M([\d.]+),.*?h([\d.]+)/g)].map(([, left, width]) => [Number(left), Number(width)]);
    const perMinute = (960 - size.left - size.right) / 30;
    expect(bars.length).toBe(2);
    for (const [index, minutes] of [5, 20].entries()) {
      expect(Math.abs((bars[index]?.[0] ?? 0) - (size.left + minutes * perMinute))).toBeLessThan(2);
      expect(Math.abs((bars[index]?.[1] ?? 0) - perMinute)).toBeLessThan(3);
    }
  });

  it('draws counts of minutes without rows as zero, not as a line between the others', () => {
    expect(drawnLines(charted(two, { lql }))).toEqual([
      [
        ['10:00:30', 0],
        ['10:04:30', 0],
        ['10:05:30', 3],
        ['10:06:30', 0],
        ['10:19:30', 0],
        ['10:20:30', 1],
        ['10:21:30', 0],
        ['10:29:30', 0],
      ],
    ]);
  });

  it('does not draw zeros for the future, or before events are kept', () => {
    const today = 'f:edge_logs t:today c:count(*) c:group_by(t::minute)';
    const meta = { data_begins: { edge_logs: time('10:04') } };
    const data = charted(two, { lql: today, meta });
    expect(axisOf(data)).toEqual([time('00:00'), '2026-05-02T00:00:00Z']);
    const [line = []] = drawnLines(data);
    expect([line[0], line.at(-1)]).toEqual([
      ['10:04:30', 0],
      ['10:30:30', 0],
    ]);
  });

  it('breaks the line of other values, and shows one alone', () => {
    const rows = ['10:05', '10:06', '10:20'].map((each) => ({ timestamp: time(each), avg: 2 }));
    const data = charted(rows, {
      columns: { timestamp: 'TIMESTAMP', avg: 'FLOAT64' },
      lql: lql.replace('count', 'avg'),
    });
    expect(drawnLines(data).map((line) => line.map(([text]) => text))).toEqual([
      ['10:05:30', '10:06:30'],
      ['10:20:30'],
    ]);
  });

  it('says nothing of buckets that were cut off', () => {
    const data = charted(two, { lql, meta: { truncated: true } });
    expect([data.known, data.missing]).toEqual([null, ['rows that were cut from the answer']]);
    expect(drawnLines(data)).toEqual([[['10:05:30', 3]], [['10:20:30', 1]]]);
  });

  it('without rows shows the searched time', () => {
    const data = charted([], { lql });
    expect(axisOf(data)).toEqual([time('10:00'), time('10:30')]);
    expect(barPaths(data, plotted(data))).toEqual([]);
    expect(charted([], { sql: 'select 1' }).axis).toBeNull();
  });

  it('has its values at the pointer also where there are no rows', () => {
    const data = charted(two, { lql });
    const plot = plotted(data);
    const there = (text: string) => {
      const pointed = pointedAt(data, plot, plot.x(at(text)));
      const [series] = data.series;
      if (pointed === null || series === undefined) return null;
      return [printInstant(pointed.span.from), valueAt(series, pointed, data.known)];
    };
    expect(there(time('10:05').replace(':00Z', ':40Z'))).toEqual([time('10:05'), 3]);
    expect(there(time('10:11'))).toEqual([time('10:11'), 0]);
    expect(there(time('09:59'))).toBeNull();
  });
});

describe('a chart of a query', () => {
  const columns = { hour: 'TIMESTAMP', method: 'STRING', n: 'INT64' };
  const sql = 'select timestamp_trunc(timestamp, hour) as hour, m.method, count(*) as n from t group by hour, method';

  it('takes widths and counts from its text, and the time from its rows', () => {
    const rows = [
      { hour: time('08:00'), method: 'GET', n: 4 },
      { hour: time('10:00'), method: 'POST', n: 1 },
    ];
    const data = charted(rows, { columns, sql });
    expect(axisOf(data)).toEqual([time('08:00'), time('11:00')]);
    expect(data.buckets?.length).toBe(hour);
    expect(data.series).toEqual([
      { id: 'GET', name: 'GET', values: [4, 0], isCount: true },
      { id: 'POST', name: 'POST', values: [0, 1], isCount: true },
    ]);
    const limited = charted(rows, { columns, sql: `${sql} limit 2` });
    expect(limited.series.map(({ values }) => values)).toEqual([
      [4, null],
      [null, 1],
    ]);
  });

  it('knows widths of buckets, weeks and zones', () => {
    const width = (call: string, ...times: readonly string[]) => {
      const rows = times.map((each) => ({ hour: each, n: 1 }));
      const given = { columns: { hour: 'TIMESTAMP', n: 'INT64' }, sql: `select ${call} as hour, count(*) n from t` };
      const { buckets } = charted(rows, given);
      return buckets && widthText(buckets);
    };
    expect(width('timestamp_bucket(timestamp, interval 15 minute)', time('10:00'), time('11:30'))).toBe('15 min');
    expect(width('TIMESTAMP_TRUNC(timestamp, WEEK(TUESDAY))', '2026-05-05T00:00:00Z')).toBe('7 d');
    expect(width("timestamp_trunc(timestamp, day, 'Europe/Berlin')", '2026-03-28T23:00:00Z')).toBe('1 d');
    expect(width('timestamp_trunc(timestamp, month)', '2026-05-01T00:00:00Z')).toBe('1 month');
    expect(width('timestamp_trunc(timestamp, day, @zone)', '2026-03-28T23:00:00Z')).toBe('1 h');
    expect(width("timestamp_trunc(timestamp, day, 'Nowhere')", '2026-03-28T23:00:00Z')).toBe('1 h');
  });

  it('draws the last day before clocks change with its hours', () => {
    const data = charted([{ hour: '2026-03-28T23:00:00Z', n: 1 }], {
      columns: { hour: 'TIMESTAMP', n: 'INT64' },
      sql: "select timestamp_trunc(timestamp, day, 'Europe/Berlin') as hour, count(*) as n from t group by hour",
    });
    expect(axisOf(data)).toEqual(['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z']);
  });

  it('has a series for each combination of texts and integers, and says what is not drawn', () => {
    const rows = [
      { hour: time('08:00'), method: 'GET', status: 200, n: 4 },
      { hour: time('08:00'), method: 'GET', status: 500, n: 1 },
      { hour: time('08:00'), method: 'GET', status: 500, n: 9 },
      { hour: null, method: 'GET', status: 200, n: 7 },
    ];
    const many = { columns: { ...columns, status: 'INT64' }, sql: sql.replace('count', 'status, count') };
    expect(charted(rows.slice(0, 2), many).series.map(({ id }) => id)).toEqual(['GET · 200', 'GET · 500']);
    expect(charted(rows, many).missing).toEqual(['1 row without a time', '2 rows with the time of another row']);
  });

  it('adds up counts above eight series, and leaves out other values', () => {
    const of = (name: string) =>
      Array.from({ length: 10 }, (_, index) => ({ hour: time('08:00'), method: `m${index}`, [name]: 10 - index }));
    const counts = charted(of('n'), { columns, sql });
    expect(counts.series.at(-1)).toMatchObject({ name: 'other (3)', values: [6] });
    const means = charted(of('mean'), { columns: { hour: 'TIMESTAMP', method: 'STRING', mean: 'FLOAT64' }, sql });
    expect(means.series.length).toBe(7);
    expect(means.missing).toEqual(['3 series with lower values']);
  });

  it('joins values of single events', () => {
    const rows = ['10:00:00.5Z', '10:00:01.25Z', '10:00:09.1Z'].map((each) => ({ t: `2026-05-01T${each}`, ms: 3 }));
    const data = charted(rows, { columns: { t: 'TIMESTAMP', ms: 'INT64' }, sql: 'select t, ms from x' });
    expect([data.buckets, drawnLines(data).length]).toEqual([null, 1]);
  });

  it('draws no times for columns that have none', () => {
    expect(canBeCharted({ columns: [{ name: 'n', type: 'INT64' }] } as unknown as Meta)).toBe(false);
  });
});

describe('the drawing', () => {
  it('has a path per series for thousands of buckets, and labels that do not touch', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      timestamp: printInstant(at('2026-04-01') + index * minute),
      count: index % 7,
    }));
    const data = charted(rows, { sql: 'select timestamp_trunc(t, minute) as timestamp, count(*) as count from x' });
    for (const width of [390, 1280, 1600]) {
      const plot = plotted(data, 'stacked', width);
      expect(barPaths(data, plot).length).toBe(1);
      expect(plot.timeTicks.length).toBeGreaterThan(1);
      for (const [index, tick] of plot.timeTicks.slice(1).entries())
        expect(tick.x - (plot.timeTicks[index]?.x ?? 0)).toBeGreaterThan(60);
    }
  });

  it('has whole numbers on the axis of counts', () => {
    expect(plotted(charted([{ timestamp: time('10:05'), count: 1 }], { lql })).ticks).toEqual([0, 1]);
    expect(plotted(charted(two, { lql })).ticks).toEqual([0, 1, 2, 3]);
  });

  it('writes days of the zone below days that are 23 hours long', () => {
    const berlin = clockOf('Europe/Berlin');
    const axis = { from: at('2026-03-27T23:00:00Z'), to: at('2026-03-30T22:00:00Z') };
    const data = { ...charted([]), axis };
    const ticks = plotOf(data, axis, 'line', 390, berlin).timeTicks.map(({ micros }) => printInstant(micros));
    expect(ticks).toEqual(['2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z']);
  });

  it('moves names at the ends of lines apart', () => {
    const names = lineNames([100, null, 101, 250, 249]);
    expect(names.map(({ index }) => index)).toEqual([0, 2, 3, 4]);
    const sorted = names.map(({ y }) => y).sort((a, b) => a - b);
    for (const [index, y] of sorted.slice(1).entries()) expect(y - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(14);
  });
});
