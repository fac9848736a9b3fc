import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

interface Series {
  readonly fn: string;
  readonly first: string;
  readonly last: string;
  /** Empty for the function's own step. */
  readonly step: string;
}

const count = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -100_000, max: 100_000 }));
const part = (...parts: readonly string[]) =>
  fc.tuple(count, fc.constantFrom(...parts)).map(([n, of]) => `interval ${n} ${of}`);
const whole = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -150_000, max: 150_000 })).map(String);
const micros = fc.integer({ min: 0, max: 3_000_000_000 }).map((n) => `timestamp_micros(1777593600000000 + ${n})`);
/** Literals of times: what is computed of constants may stay computed. */
const instant = fc
  .integer({ min: 0, max: 40 * 86_400 })
  .map((second) => `timestamp '${new Date(Date.UTC(2026, 4, 1) + second * 1000).toISOString()}'`);
const day = fc
  .integer({ min: 0, max: 600_000 })
  .map((n) => `date '${new Date(Date.UTC(1900, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)}'`);
const series: fc.Arbitrary<Series> = fc.oneof(
  fc.record({ fn: fc.constant('generate_array'), first: whole, last: whole, step: fc.oneof(whole, fc.constant('')) }),
  fc.record({
    fn: fc.constant('generate_timestamp_array'),
    first: fc.oneof(instant, micros),
    last: instant,
    step: part('microsecond', 'second', 'minute', 'hour', 'day'),
  }),
  fc.record({
    fn: fc.constant('generate_date_array'),
    first: day,
    last: day,
    step: fc.oneof(part('day', 'week', 'month', 'year'), fc.constant('')),
  }),
);

describe(onEngine('an array of constants'), () => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns: false, isSealed: false });
  });
  afterAll(async () => {
    await store.close();
  });

  const answer = async (sql: string): Promise<unknown> => {
    try {
      return (await store.run(sql)).rows;
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).replace(/line 1, column \d+/, 'there');
    }
  };

  it('has the elements that it has, or the error, where its bounds are of rows', async () => {
    await fc.assert(
      fc.asyncProperty(series, async ({ fn, first, last, step }) => {
        const by = step === '' ? '' : `, ${step}`;
        const measures = 'array_length(a) as n, a[safe_offset(0)] as first, array_reverse(a)[safe_offset(0)] as last';
        const constant = await answer(`select ${measures} from (select ${fn}(${first}, ${last}${by}) as a)`);
        const ofRows = await answer(
          `select ${measures} from (select ${fn}(f, l${by}) as a from unnest([struct(${first} as f, ${last} as l)]))`,
        );
        expect(constant).toEqual(ofRows);
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    ['generate_array(1, 100000)', 100_000],
    ['generate_array(1, 100001)', 'more than 100000 elements'],
    ['generate_array(5, 1, 0)', 'must not be zero'],
    ["generate_timestamp_array(timestamp '2026-05-01', timestamp '2026-05-02', interval 0 day)", 'must not be zero'],
    ["generate_date_array('2026-05-31', '2026-05-01', interval -1 week)", 5],
  ])('%s', async (sql, expected) => {
    const found = await answer(`select array_length(${sql}) as n`);
    expect(found).toEqual(typeof expected === 'number' ? [{ n: expected }] : expect.stringContaining(expected));
  });
});
