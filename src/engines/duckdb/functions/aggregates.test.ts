import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import {
  type CallOptions,
  column,
  expectedEngineType,
  type Given,
  openCaseDatabase,
  selectAggregate,
} from './functionCases.contract.ts';

let run: Awaited<ReturnType<typeof openCaseDatabase>>;
beforeAll(async () => {
  run = await openCaseDatabase();
});

const ints = '(CAST(3 AS BIGINT), 1.5), (1, 2.5), (NULL, 0.5), (3, NULL)';
const none = '(CAST(NULL AS BIGINT), CAST(NULL AS DOUBLE))';
const texts = "('b', CAST(1 AS BIGINT)), ('a', 2), (NULL, 3), ('b', NULL)";
const flags = '(TRUE, 1), (NULL, 2), (FALSE, 3)';
const jsons = `(CAST('10' AS JSON), 1), (CAST('9' AS JSON), 2), (CAST('"a"' AS JSON), 3), (CAST(NULL AS JSON), 4)`;
const x = column('INT64');
const s = column('STRING');
const y = column('FLOAT64', 'y');
const order = (sql: string, descending = false) => ({
  sql,
  descending,
  nulls: descending ? ('last' as const) : ('first' as const),
});

type AggregateCase = readonly [
  FunctionName,
  readonly Given[],
  string,
  string | null | RegExp,
  CallOptions['modifiers']?,
];

const cases: readonly AggregateCase[] = [
  ['count', [], ints, '4'],
  ['count', [x], ints, '3'],
  ['count', [x], ints, '2', { distinct: true }],
  ['count', [x], none, '0'],
  ['countif', [column('BOOL')], flags, '1'],
  ['countif', [column('BOOL')], flags, '1', { distinct: true }],
  ['countif', [column('BOOL')], '(CAST(NULL AS BOOLEAN), 1)', '0'],
  ['sum', [x], ints, '7'],
  ['sum', [x], ints, '4', { distinct: true }],
  ['sum', [x], none, null],
  ['sum', [y], '(1, CAST(1.5 AS DOUBLE)), (1, 2)', '3.5'],
  ['sum', [x], '(9223372036854775807, 1), (1, 1)', /SUM is beyond the range/],
  ['sum', [y], '(1, CAST(1e308 AS DOUBLE)), (1, 1e308)', /SUM adds up to more than FLOAT64 holds/],
  ['sum', [y], "(1, CAST('inf' AS DOUBLE)), (1, 1)", 'inf'],
  ['avg', [y], '(1, CAST(1e308 AS DOUBLE)), (1, 1e308)', /AVG adds up to more than FLOAT64 holds/],
  ['avg', [y], "(1, CAST('inf' AS DOUBLE)), (1, 1)", 'inf'],
  ['avg', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (2, 1), (NULL, 1)', '1.5'],
  ['avg', [y], none, null],
  ['min', [x], ints, '1'],
  ['min', [column('JSON')], jsons, '9'],
  ['min', [x], none, null],
  ['min', [y], "(1, CAST('nan' AS DOUBLE)), (1, 1), (1, NULL)", 'nan'],
  ['min', [y], '(1, CAST(2 AS DOUBLE)), (1, 1), (1, NULL)', '1.0'],
  ['min', [y], none, null],
  ['max', [s], texts, 'b'],
  ['max', [column('JSON')], jsons, '"a"'],
  ['max', [x], none, null],
  ['any_value', [x], '(CAST(NULL AS BIGINT), 1), (5, 1)', '5'],
  ['any_value', [x], none, null],
  ['array_agg', [x], ints, '[1, 3, 3, NULL]', { orderBy: [{ sql: 'x', descending: false, nulls: 'last' }] }],
  ['array_agg', [x], ints, '[3, 3, 1]', { nulls: 'ignore', orderBy: [order('x', true)] }],
  ['array_agg', [x], ints, '[3, 1]', { nulls: 'ignore', distinct: true, orderBy: [order('x', true)] }],
  ['array_agg', [x], ints, '[3]', { orderBy: [order('x', true)], limit: 1 }],
  ['array_agg', [x], none, null, { nulls: 'ignore' }],
  ['array_agg', [column('JSON')], jsons, '["a", 10, 9, NULL]', { distinct: true, orderBy: [order('x', true)] }],
  ['array_agg', [column('JSON')], jsons, '[NULL, 9]', { distinct: true, orderBy: [order('x')], limit: 2 }],
  [
    'array_agg',
    [column('JSON')],
    jsons,
    '[9, 10, "a", NULL]',
    { distinct: true, orderBy: [{ sql: 'x', descending: false, nulls: 'last' }] },
  ],
  ['array_agg', [column('JSON')], jsons, '[9]', { distinct: true, nulls: 'ignore', orderBy: [order('x')], limit: 1 }],
  [
    'array_concat_agg',
    [column({ kind: 'ARRAY', element: { kind: 'INT64' } })],
    '([CAST(1 AS BIGINT)], 1), (NULL, 2), ([2, 3], 3)',
    '[1, 2, 3]',
    { orderBy: [order('y')] },
  ],
  ['array_concat_agg', [column({ kind: 'ARRAY', element: { kind: 'INT64' } })], '(CAST(NULL AS BIGINT[]), 1)', null],
  ['string_agg', [s], texts, 'b,a,b'],
  ['string_agg', [s, '-'], texts, 'a-b-b', { orderBy: [order('x')] }],
  ['string_agg', [s, '-'], texts, 'b-a', { distinct: true, orderBy: [order('x', true)] }],
  ['string_agg', [s, '-'], texts, 'b-b', { orderBy: [order('x', true)], limit: 2 }],
  ['string_agg', [s], '(CAST(NULL AS VARCHAR), 1)', null],
  ['string_agg', [s], "(repeat('x', 3000000), 1), (repeat('x', 3000000), 1)", /STRING_AGG has more/],
  ['approx_quantiles', [x, 4n], '(CAST(1 AS BIGINT), 1), (2, 1), (3, 1), (4, 1), (NULL, 1)', '[1, 1, 2, 3, 4]'],
  ['approx_quantiles', [x, 2n], '(CAST(7 AS BIGINT), 1), (NULL, 1), (3, 1)', '[NULL, 3, 7]', { nulls: 'respect' }],
  ['approx_quantiles', [x, 3n], '(CAST(10 AS BIGINT), 1), (20, 1)', '[10, 10, 20, 20]'],
  ['approx_quantiles', [s, 1n], texts, '[a, b]'],
  ['approx_quantiles', [x, 2n], none, null],
  ['approx_quantiles', [x, 3n], none, null],
  ['approx_quantiles', [x, 0n], ints, /from 1 to 10000/],
  ['$approx_quantile_at', [x, 100n, 95n], ints, '3'],
  ['$approx_quantile_at', [x, 3n, 1n], '(CAST(10 AS BIGINT), 1), (20, 1)', '10'],
  ['$approx_quantile_at', [x, 3n, 1n], none, null],
  ['$approx_quantile_at', [x, 100n, 95n], none, null],
  ['$approx_quantile_at', [x, 100n, 101n], ints, null],
  ['approx_count_distinct', [x], ints, '2'],
  ['approx_count_distinct', [x], none, '0'],
  ['approx_top_count', [s, 2n], texts, "[{'f0': b, 'f1': 2}, {'f0': a, 'f1': 1}]"],
  ['approx_top_count', [x, 3n], ints, "[{'f0': 3, 'f1': 2}, {'f0': 1, 'f1': 1}, {'f0': NULL, 'f1': 1}]"],
  ['approx_top_count', [x, 1n], none, "[{'f0': NULL, 'f1': 1}]"],
  ['logical_and', [column('BOOL')], flags, 'false'],
  ['logical_and', [column('BOOL')], '(CAST(NULL AS BOOLEAN), 1)', null],
  ['logical_or', [column('BOOL')], flags, 'true'],
  ['logical_or', [column('BOOL')], '(FALSE, 1)', 'false'],
  ['bit_and', [x], '(CAST(7 AS BIGINT), 1), (3, 1), (NULL, 1)', '3'],
  ['bit_and', [x], none, null],
  ['bit_or', [x], '(CAST(4 AS BIGINT), 1), (3, 1)', '7'],
  ['bit_or', [x], none, null],
  ['bit_xor', [x], '(CAST(7 AS BIGINT), 1), (3, 1)', '4'],
  ['bit_xor', [x], '(CAST(7 AS BIGINT), 1), (7, 1)', '7', { distinct: true }],
  ['max_by', [s, column('INT64', 'y')], texts, null],
  ['max_by', [s, column('INT64', 'y')], "('b', CAST(1 AS BIGINT)), ('a', 2), ('c', NULL)", 'a'],
  ['max_by', [s, column('JSON', 'y')], `('b', CAST('10' AS JSON)), ('a', CAST('9' AS JSON))`, 'b'],
  ['min_by', [s, column('INT64', 'y')], texts, 'b'],
  ['min_by', [s, column('INT64', 'y')], "('b', CAST(NULL AS BIGINT))", null],
  ['stddev', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (2, 1), (3, 1)', '1.0'],
  ['stddev', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1)', null],
  ['stddev_samp', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (2, 1), (3, 1)', '1.0'],
  ['stddev_samp', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1)', null],
  ['stddev', [y], "(1, CAST('inf' AS DOUBLE)), (1, 1)", 'nan'],
  ['stddev', [y], "(1, CAST('inf' AS DOUBLE))", null],
  ['stddev_pop', [y], "(1, CAST('inf' AS DOUBLE))", 'nan'],
  ['variance', [y], "(1, CAST('nan' AS DOUBLE)), (1, 1)", 'nan'],
  ['var_pop', [y], none, null],
  ['stddev_pop', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (3, 1)', '1.0'],
  ['stddev_pop', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1)', '0.0'],
  ['variance', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (3, 1)', '2.0'],
  ['variance', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (3, 1), (3, 1)', '2.0', { distinct: true }],
  ['var_samp', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (3, 1)', '2.0'],
  ['var_samp', [y], none, null],
  ['var_pop', [column('FLOAT64')], '(CAST(1 AS DOUBLE), 1), (3, 1)', '1.0'],
  ['var_pop', [y], none, null],
  ['corr', [column('FLOAT64'), y], '(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)), (2, 4), (NULL, 1)', '1.0'],
  ['corr', [column('FLOAT64'), y], '(CAST(NULL AS DOUBLE), CAST(2 AS DOUBLE))', null],
  ['covar_pop', [column('FLOAT64'), y], '(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)), (2, 4)', '0.5'],
  ['covar_pop', [column('FLOAT64'), y], '(CAST(NULL AS DOUBLE), CAST(2 AS DOUBLE))', null],
  ['covar_samp', [column('FLOAT64'), y], '(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)), (2, 4)', '1.0'],
  ['covar_samp', [column('FLOAT64'), y], '(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE))', null],
];

describe('aggregates', () => {
  for (const [name, given, rows, expected, modifiers] of cases) {
    test(`${name} over ${rows} is ${String(expected)}${modifiers === undefined ? '' : ` with ${JSON.stringify(modifiers)}`}`, async () => {
      const text = selectAggregate(name, given, rows, modifiers === undefined ? {} : { modifiers });
      if (expected instanceof RegExp) {
        await expect(run(text)).rejects.toThrow(expected);
        return;
      }
      const result = await run(text);
      expect(result[0]?.[0], text).toBe(expected);
      expect(result[0]?.[1]).toBe(expectedEngineType(name, given));
    });
  }

  test('quantiles are the ⌈i·n/count⌉-th smallest values for every count and number of rows', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(1, 2, 3, 4, 7, 10, 20, 100, 300),
      async (values, count) => {
        const sorted = [...values].sort((a, b) => a - b);
        const want = Array.from(
          { length: count + 1 },
          (_, i) => sorted[Math.max(1, Math.ceil((i * values.length) / count)) - 1],
        );
        const rows = values.map((value) => `(CAST(${value} AS BIGINT), 1)`).join(', ');
        const result = await run(selectAggregate('approx_quantiles', [x, BigInt(count)], rows));
        expect(result[0]?.[0]).toBe(`[${want.join(', ')}]`);
        const index = values.length % (count + 1);
        const one = await run(selectAggregate('$approx_quantile_at', [x, BigInt(count), BigInt(index)], rows));
        expect(one[0]?.[0]).toBe(String(want[index]));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  test.each<readonly [FunctionName, readonly Given[], string, readonly (string | null)[]]>([
    ['sum', [x], 'ORDER BY y', [null, '3', '4', '7']],
    ['count', [], 'ORDER BY y', ['1', '2', '3', '4']],
    ['countif', [column('BOOL')], 'PARTITION BY 1', ['1', '1', '1']],
    ['array_agg', [x], 'ORDER BY y', ['[NULL]', '[NULL, 3]', '[NULL, 3, 1]', '[NULL, 3, 1, 3]']],
    ['string_agg', [s], 'ORDER BY y', ['b', 'b,a', 'b,a', 'b,a,b']],
    ['approx_quantiles', [x, 2n], 'PARTITION BY 1', Array.from({ length: 4 }, () => '[1, 3, 3]')],
    ['approx_quantiles', [x, 3n], 'PARTITION BY 1', Array.from({ length: 4 }, () => '[1, 1, 3, 3]')],
    ['max', [column('JSON')], 'ORDER BY y', ['10', '10', '"a"', '"a"']],
    ['max_by', [s, column('INT64', 'y')], 'PARTITION BY 1', [null, null, null, null]],
    ['approx_count_distinct', [x], 'PARTITION BY 1', ['2', '2', '2', '2']],
    ['corr', [column('FLOAT64'), y], 'PARTITION BY 1', [null, null]],
  ])('%s works as a window function', async (name, given, over, expected) => {
    const first = given[0];
    const kind = typeof first === 'object' && first.kind === 'value' ? first.type.kind : 'INT64';
    const rows = {
      STRING: texts,
      BOOL: flags,
      JSON: jsons,
      FLOAT64: '(CAST(NULL AS DOUBLE), CAST(1 AS DOUBLE)), (NULL, 2)',
    };
    const result = await run(selectAggregate(name, given, rows[kind as keyof typeof rows] ?? ints, { over }));
    expect(result.map((row) => row[0])).toEqual(expected);
  });
});

const navigation: readonly (readonly [
  FunctionName,
  readonly Given[],
  readonly (string | null)[],
  CallOptions['modifiers']?,
])[] = [
  ['row_number', [], ['1', '2', '3', '4']],
  ['rank', [], ['1', '2', '3', '4']],
  ['dense_rank', [], ['1', '2', '3', '4']],
  ['percent_rank', [], ['0.0', '0.3333333333333333', '0.6666666666666666', '1.0']],
  ['cume_dist', [], ['0.25', '0.5', '0.75', '1.0']],
  ['ntile', [2n], ['1', '1', '2', '2']],
  ['first_value', [x], [null, null, null, null]],
  ['first_value', [x], [null, '3', '3', '3'], { nulls: 'ignore' }],
  ['last_value', [x], [null, '3', '1', '3']],
  ['last_value', [x], [null, '3', '1', '3'], { nulls: 'ignore' }],
  ['nth_value', [x, 2n], [null, '3', '3', '3']],
  ['nth_value', [x, 2n], [null, null, '1', '1'], { nulls: 'ignore' }],
  ['lag', [x], [null, null, '3', '1']],
  ['lag', [x, 2n, 7n], ['7', '7', null, '3']],
  ['lag', [x], [null, null, '3', '1'], { nulls: 'ignore' }],
  ['lead', [x], ['3', '1', '3', null]],
  ['lead', [x, 0n], [null, '3', '1', '3']],
];

describe('window functions', () => {
  for (const [name, given, expected, modifiers] of navigation) {
    test(`${name}(${given.length} arguments) over rows in order is ${expected.join(', ')}`, async () => {
      const options = { over: 'ORDER BY y', ...(modifiers !== undefined && { modifiers }) };
      const rows = '(CAST(NULL AS BIGINT), 1), (3, 2), (1, 3), (3, 4)';
      const result = await run(selectAggregate(name, given, rows, options));
      expect(result.map((row) => row[0])).toEqual(expected);
      expect(result[0]?.[1]).toBe(expectedEngineType(name, given));
    });
  }

  test.each<readonly [FunctionName, readonly Given[], string, string | null]>([
    ['percentile_cont', [column('FLOAT64'), 0.5], '(CAST(1 AS DOUBLE), 1), (2, 1), (NULL, 1)', '1.5'],
    ['percentile_cont', [column('FLOAT64'), 0.5], '(CAST(NULL AS DOUBLE), 1)', null],
    ['percentile_disc', [x, 0.5], '(CAST(1 AS BIGINT), 1), (2, 1), (3, 1), (4, 1)', '2'],
    ['percentile_disc', [x, 0.95], ints, '3'],
  ])('%s(%j) over %s', async (name, given, rows, expected) => {
    const result = await run(selectAggregate(name, given, rows, { over: 'PARTITION BY 1' }));
    expect(result[0]?.[0]).toBe(expected);
  });

  test.each<readonly [FunctionName, readonly Given[], RegExp]>([
    ['ntile', [0n], /1 or more/],
    ['lag', [x, -1n], /zero or more/],
    ['percentile_cont', [column('FLOAT64'), 1.5], /from 0 to 1/],
  ])('%s refuses what it cannot count', async (name, given, sentence) => {
    await expect(run(selectAggregate(name, given, ints, { over: 'ORDER BY y' }))).rejects.toThrow(sentence);
  });
});
