import type { EmitContext, EmitFunction } from './emitContext.ts';
import { microsOf, monthsOf } from './scalarText.ts';
import { argument, bind, checked, constantNumber, failedCall, failure } from './sqlFragments.ts';

interface Unit {
  readonly make: (count: string) => string;
  /** An INTERVAL spans at most 10,000 years (GoogleSQL reference, "interval type"). */
  readonly countMax: number;
  /** Microseconds, if they are fixed. */
  readonly micros?: bigint;
}

const daysMax = 3_660_000;
const hoursMax = daysMax * 24;
export const dayMicros = 86_400_000_000n;

const units: Readonly<Record<string, Unit>> = {
  microsecond: { make: (n) => `to_microseconds(${n})`, countMax: hoursMax * 3_600_000_000, micros: 1n },
  millisecond: { make: (n) => `to_microseconds(${n} * 1000)`, countMax: hoursMax * 3_600_000, micros: 1_000n },
  second: { make: (n) => `to_microseconds(${n} * 1000000)`, countMax: hoursMax * 3_600, micros: 1_000_000n },
  minute: { make: (n) => `to_minutes(${n})`, countMax: hoursMax * 60, micros: 60_000_000n },
  hour: { make: (n) => `to_hours(${n})`, countMax: hoursMax, micros: 3_600_000_000n },
  day: { make: (n) => `to_days(CAST(${n} AS INTEGER))`, countMax: daysMax, micros: dayMicros },
  week: {
    make: (n) => `to_days(CAST(${n} * 7 AS INTEGER))`,
    countMax: Math.floor(daysMax / 7),
    micros: 7n * dayMicros,
  },
  month: { make: (n) => `to_months(CAST(${n} AS INTEGER))`, countMax: 120_000 },
  quarter: { make: (n) => `to_months(CAST(${n} * 3 AS INTEGER))`, countMax: 40_000 },
  year: { make: (n) => `to_months(CAST(${n} * 12 AS INTEGER))`, countMax: 10_000 },
};

/** A computed INTERVAL; an error if one of its parts exceeds 10,000 years. */
export function withinIntervals(
  args: readonly string[],
  context: EmitContext,
  body: (...names: readonly string[]) => string,
): string {
  const sentence = 'The INTERVAL spans more than 10,000 years.';
  return checked(args, context, sentence, (...names) => {
    const result = body(...names);
    const bounds = [
      `abs(${monthsOf(result)}) <= 120000`,
      `abs(datepart('day', ${result})) <= ${daysMax}`,
      `abs(${microsOf(result)}) <= ${hoursMax * 3_600_000_000}`,
    ];
    return `CASE WHEN ${bounds.join(' AND ')} THEN ${result} END`;
  });
}

/** Length of INTERVAL count PART in microseconds; undefined if it is not fixed or too long. */
export function intervalLength(count: bigint, part: string): bigint | undefined {
  const { micros, countMax = 0 } = units[part] ?? {};
  return micros === undefined || Math.abs(Number(count)) > countMax ? undefined : count * micros;
}

/** INTERVAL count PART. */
export const emitInterval: EmitFunction = (args, context) => {
  const part = argument(args, 1);
  const unit = units[part];
  if (unit === undefined)
    return failedCall(context, `INTERVAL cannot count in ${part}; it takes ${Object.keys(units).join(', ')}.`);
  const { make, countMax } = unit;
  const constant = constantNumber(context, 0);
  if (constant !== undefined && Math.abs(constant) <= countMax) return make(argument(args, 0));
  const sentence = `An INTERVAL in ${part} counts from -${countMax} to ${countMax}.`;
  return bind(
    [argument(args, 0)],
    (count = '') =>
      `CASE WHEN ${count} BETWEEN -${countMax} AND ${countMax} THEN ${make(count)} WHEN ${count} IS NOT NULL THEN ${failure(context, sentence)} END`,
  );
};
