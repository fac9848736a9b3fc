/** A value of a type: how a query writes it, and what it is in JSON with the profile `plain`. */
export type ValueSample = readonly [sql: string, json: string];

/** For each type of the page on formats: the type of a NULL, and values. */
export const valueSamples: Readonly<
  Record<string, { readonly sqlType: string; readonly values: readonly ValueSample[] }>
> = {
  INT64: {
    sqlType: 'int64',
    values: [
      ['9223372036854775807', '9223372036854775807'],
      ['-9007199254740993', '-9007199254740993'],
      ['0', '0'],
    ],
  },
  FLOAT64: {
    sqlType: 'float64',
    values: [
      ['1.5', '1.5'],
      ["cast('nan' as float64)", '"NaN"'],
      ["cast('inf' as float64)", '"Infinity"'],
      ["cast('-inf' as float64)", '"-Infinity"'],
    ],
  },
  BOOL: {
    sqlType: 'bool',
    values: [
      ['true', 'true'],
      ['false', 'false'],
    ],
  },
  STRING: {
    sqlType: 'string',
    values: [
      [`'a "quoted" |_text_'`, '"a \\"quoted\\" |_text_"'],
      ["'5'", '"5"'],
    ],
  },
  BYTES: {
    sqlType: 'bytes',
    values: [
      ["b'\\x00\\xffab'", '"AP9hYg=="'],
      ["b'a'", '"YQ=="'],
    ],
  },
  TIMESTAMP: {
    sqlType: 'timestamp',
    values: [
      ["timestamp '2026-05-01T10:00:30.000123Z'", '"2026-05-01T10:00:30.000123Z"'],
      ["timestamp '2026-05-01T09:00:30Z'", '"2026-05-01T09:00:30.000000Z"'],
    ],
  },
  DATETIME: {
    sqlType: 'datetime',
    values: [
      ["datetime '2026-05-01T10:00:30'", '"2026-05-01T10:00:30"'],
      ["datetime '2026-05-01T09:00:30.25'", '"2026-05-01T09:00:30.250000"'],
    ],
  },
  DATE: {
    sqlType: 'date',
    values: [
      ["date '2026-05-01'", '"2026-05-01"'],
      ["date '2026-04-30'", '"2026-04-30"'],
    ],
  },
  TIME: {
    sqlType: 'time',
    values: [
      ["time '10:00:30'", '"10:00:30"'],
      ["time '10:00:30.25'", '"10:00:30.25"'],
    ],
  },
  INTERVAL: {
    sqlType: 'interval',
    values: [
      ['interval 90 minute', '"0-0 0 1:30:0"'],
      [
        'interval 1 year + interval 2 month + interval 3 day + interval 4 hour + interval 5 minute + interval 6 second',
        '"1-2 3 4:5:6"',
      ],
    ],
  },
  ARRAY: {
    sqlType: 'array<int64>',
    values: [
      ['[1, 2]', '[1,2]'],
      ['[3]', '[3]'],
    ],
  },
  STRUCT: {
    sqlType: 'struct<a int64, b string>',
    values: [["struct(1 as a, 'x' as b)", '{"a":1,"b":"x"}']],
  },
  JSON: {
    sqlType: 'json',
    values: [
      [`json '{"a": [1, "x"]}'`, '{"a":[1,"x"]}'],
      ["json '[1, 2]'", '[1,2]'],
      [`json '"text"'`, '"text"'],
      ["json '7'", '7'],
      ["json 'true'", 'true'],
    ],
  },
};
