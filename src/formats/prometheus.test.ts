import parsePrometheus from 'parse-prometheus-text-format';
import { describe, expect, it } from 'vitest';
import { Pause } from '../core/concurrency/turns.ts';
import {
  BOOL,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  JSON_TYPE,
  type SqlType,
  STRING,
  TIMESTAMP,
} from '../googlesql/types.ts';
import { encodeResult, requireFormat } from './encodeResult.ts';
import { latestClosedBucket } from './latestClosedBucket.ts';
import { chosenJson, type FormatColumn } from './resultFormat.ts';

const format = { ...chosenJson, name: 'prometheus' } as const;
const columnsOf = (types: Readonly<Record<string, SqlType>>): readonly FormatColumn[] =>
  Object.entries(types).map(([name, type]) => ({ name, type }));

async function written(columns: readonly FormatColumn[], rows: readonly string[]): Promise<string> {
  const result = {
    endpointName: 'usage.api-counts',
    columns,
    rows: Buffer.from(rows.join(',')),
    rowCount: rows.length,
    asOfMicros: Date.UTC(2026, 4, 1, 10, 30) * 1000,
    meta: '{}',
    remarks: ['3 rows.', 'two\nlines'],
  };
  return (await encodeResult(result, format, new Pause())).toString();
}

describe('the format prometheus', () => {
  it('has the latest closed bucket as gauges with the texts as labels, as a parser of Prometheus reads it', async () => {
    const columns = columnsOf({
      timestamp: TIMESTAMP,
      'count-all': INT64,
      avg: FLOAT64,
      'status.text': STRING,
      on: BOOL,
      nested: JSON_TYPE,
    });
    const rows = [
      '{"timestamp":"2026-05-01T10:00:00.000000Z","count-all":1,"avg":1.5,"status.text":"open","on":true,"nested":1}',
      '{"timestamp":"2026-05-01T09:00:00.000000Z","count-all":9007199254740993,"avg":"NaN","status.text":"a\\"b\\\\c\\n\\u00e9","on":true,"nested":{"a":1}}',
      '{"timestamp":"2026-05-01T09:00:00.000000Z","count-all":-2,"avg":null,"status.text":null,"on":false,"nested":"x"}',
      '{"timestamp":"2026-05-01T08:00:00.000000Z","count-all":3,"avg":"-Infinity","status.text":"old","on":null,"nested":null}',
    ];
    const text = await written(columns, rows);
    expect(parsePrometheus(text)).toEqual([
      {
        name: 'usage_api_counts_count_all',
        help: 'Column count-all.',
        type: 'GAUGE',
        metrics: [
          { value: '9007199254740993', labels: { status_text: 'a"b\\c\né', on: 'true' } },
          { value: '-2', labels: { on: 'false', nested: 'x' } },
        ],
      },
      {
        name: 'usage_api_counts_avg',
        help: 'Column avg.',
        type: 'GAUGE',
        metrics: [{ value: 'NaN', labels: { status_text: 'a"b\\c\né', on: 'true' } }],
      },
    ]);
    expect(text).toContain('# two lines\n');
    expect(text).toContain('# usage_api_counts_count_all has values beyond 2^53');
  });

  it('has every row where no column is a time', async () => {
    const rows = ['{"n":1,"x":"a"}', '{"n":2,"x":"b"}'];
    expect(await written(columnsOf({ n: INT64, x: STRING }), rows)).toContain(
      'usage_api_counts_n{x="a"} 1\nusage_api_counts_n{x="b"} 2\n',
    );
    expect(await written(columnsOf({ n: INT64 }), ['{"n":1}'])).toContain('\nusage_api_counts_n 1\n');
    expect(await written(columnsOf({ n: INT64 }), [])).not.toMatch(/^usage/m);
  });

  it('refuses rows that are no series, without their values', async () => {
    const rows = ['{"n":1,"x":"secret"}', '{"n":2,"x":"secret"}'];
    const refused = written(columnsOf({ n: INT64, x: STRING }), rows);
    await expect(refused).rejects.toMatchObject({ code: 'format.unsuitable', status: 422 });
    await expect(refused).rejects.not.toThrow('secret');
    await expect(written(columnsOf({ n: INT64 }), ['{"n":1}', '{"n":2}'])).rejects.toThrow('no label');
  });

  it('has no empty labels, which Prometheus takes for none, so that two rows may be one series', async () => {
    expect(await written(columnsOf({ n: INT64, x: STRING }), ['{"n":1,"x":""}'])).toContain('\nusage_api_counts_n 1\n');
    const rows = ['{"n":1,"x":""}', '{"n":2,"x":null}'];
    await expect(written(columnsOf({ n: INT64, x: STRING }), rows)).rejects.toMatchObject({
      code: 'format.unsuitable',
    });
  });

  it.each([
    [{ x: STRING, t: TIMESTAMP }, 'needs a column'],
    [{ 'a-b': INT64, 'a.b': FLOAT64 }, 'become the metric usage_api_counts_a_b'],
    [{ n: INT64, 'a-b': STRING, 'a.b': STRING }, 'become the label a_b'],
  ])('refuses the columns %j before a run', (types, message) => {
    expect(() => requireFormat(format, 'usage.api-counts', columnsOf(types))).toThrow(message);
  });
});

describe('the latest closed bucket', () => {
  const at = (text: string) => Date.parse(text) * 1000;
  it.each([
    [
      'of hours',
      ['2026-05-01T09:00:00.000000Z', '2026-05-01T10:00:00.000000Z'],
      '2026-05-01T10:59:59Z',
      '2026-05-01T09:00:00.000000Z',
    ],
    [
      'of hours, at its end',
      ['2026-05-01T09:00:00.000000Z', '2026-05-01T10:00:00.000000Z'],
      '2026-05-01T11:00:00Z',
      '2026-05-01T10:00:00.000000Z',
    ],
    [
      'without a zone',
      ['2026-05-01T10:00:00', '2026-05-01T09:59:00', '2026-05-01T10:01:00'],
      '2026-05-01T10:01:30Z',
      '2026-05-01T10:00:00',
    ],
    [
      'of months, of which the shortest was February',
      ['2026-02-01', '2026-03-01', '2026-04-01'],
      '2026-04-30T00:00:00Z',
      '2026-03-01',
    ],
    ['that is the only one', ['2026-05-01'], '2026-05-01T00:00:00Z', '2026-05-01'],
    ['that is in the future', ['2027-05-01', '2027-05-02'], '2026-05-01T00:00:00Z', null],
    ['of none', [], '2026-05-01T00:00:00Z', null],
  ])('%s', (_, starts, now, bucket) => {
    expect(latestClosedBucket(starts, at(now))).toBe(bucket);
  });

  it('is chosen by columns of every type of time', async () => {
    for (const type of [DATETIME, DATE]) {
      const rows = ['{"t":"2026-04-29","n":1}', '{"t":"2026-04-30","n":2}', '{"t":"2026-05-01","n":3}'];
      expect(await written(columnsOf({ t: type, n: INT64 }), rows)).toContain('# Bucket 2026-04-30\n');
    }
  });
});
