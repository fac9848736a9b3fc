import type { EmitContext, EmittedCall } from './emitContext.ts';
import { microsOf, monthsOf } from './scalarText.ts';
import { bind, failure } from './sqlFragments.ts';

/** The parts of the longest INTERVAL, of 10,000 years. */
const partsMax = { months: 120_000, days: 3_660_000, micros: 316_224_000_000_000_000n } as const;

/**
 * SUM and AVG of INTERVAL, for which the engine has no aggregate: months, days and microseconds are added separately,
 * in 128 bits. The remainder of the mean in months goes to the days, 30 for each, and that in days to the hours
 * (GoogleSQL, "INTERVAL", division). OVER applies to each of the calls.
 */
export function intervalTotal(name: 'sum' | 'avg', value: string, context: EmitContext): EmittedCall {
  const call = `sum(${monthsOf(value)})`;
  return {
    call,
    wrap: (months) => {
      const over = months.slice(call.length);
      const days = `sum(datepart('day', ${value}))${over}`;
      const micros = `sum(${microsOf(value)})${over}`;
      if (name === 'sum') return bind([months, days, micros], (m = '', d = '', u = '') => interval(m, d, u, context));
      return bind([months, days, micros, `count(${value})${over}`], (m = '', d = '', u = '', n = '') => {
        const allDays = `(${m} % ${n} * 30 + ${d})`;
        const allMicros = `(${allDays} % ${n} * 86400000000 + ${u})`;
        const mean = interval(`(${m} // ${n})`, `(${allDays} // ${n})`, `(${allMicros} // ${n})`, context);
        return `CASE WHEN ${n} > 0 THEN ${mean} END`;
      });
    },
  };
}

function interval(months: string, days: string, micros: string, context: EmitContext): string {
  const tooLong = failure(context, 'The INTERVAL would be longer than 10,000 years.');
  const isTooLong = `abs(${months}) > ${partsMax.months} OR abs(${days}) > ${partsMax.days} OR abs(${micros}) > ${partsMax.micros}`;
  const made = `to_months(CAST(${months} AS INTEGER)) + to_days(CAST(${days} AS INTEGER)) + to_microseconds(CAST(${micros} AS BIGINT))`;
  return `CASE WHEN ${months} IS NULL THEN NULL WHEN ${isTooLong} THEN ${tooLong} ELSE ${made} END`;
}
