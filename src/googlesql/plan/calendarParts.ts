import { weekStartOf } from '../functions/dateParts.ts';

/**
 * The proleptic calendar in UTC, in microseconds since 1970: the starts of units, and the addition of months. Works for
 * times up to some thousands of years outside the years 1 to 9999.
 */
export const microsPerDay = 86_400_000_000n;

/** The first and the last TIMESTAMP and DATETIME (GoogleSQL reference, "Timestamp type"). */
export const firstMicros = -62_135_596_800_000_000n;
export const lastMicros = 253_402_300_799_999_999n;

/** Parts with a fixed length. */
const lengths: Readonly<Record<string, bigint>> = {
  microsecond: 1n,
  millisecond: 1_000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: microsPerDay,
};

/** The length of a part in microseconds, if it is fixed, which includes all weeks. */
export function fixedLength(part: string): bigint | undefined {
  return lengths[part] ?? (weekStartOf(part) === undefined ? undefined : 7n * microsPerDay);
}

/** The number of months in a part. */
export const monthsOf: Readonly<Record<string, bigint>> = { month: 1n, quarter: 3n, year: 12n };

/** The start of the part that contains a time; undefined for an unknown part. */
export function startOfPart(part: string, at: bigint): bigint | undefined {
  const length = fixedLength(part);
  if (length !== undefined) return at - floorMod(at - originOf(part), length);
  const months = monthsOf[part];
  if (months === undefined) return undefined;
  const index = monthIndexOf(at);
  return startOfMonth(index - floorMod(index, months));
}

/** The start of the part after the one that starts at `start`. */
export function nextPart(part: string, start: bigint): bigint {
  const length = fixedLength(part);
  return length === undefined ? startOfMonth(monthIndexOf(start) + (monthsOf[part] ?? 1n)) : start + length;
}

/** Any start of the part. 1970 started on a Thursday, so its first Sunday was the fourth day. */
function originOf(part: string): bigint {
  const weekStart = weekStartOf(part);
  return weekStart === undefined ? 0n : (3n + BigInt(weekStart)) * microsPerDay;
}

/** Months since the year 0. */
export function monthIndexOf(at: bigint): bigint {
  const date = dateOf(at);
  return BigInt(date.getUTCFullYear() * 12 + date.getUTCMonth());
}

/** The first moment of the month with this index. */
export function startOfMonth(index: bigint): bigint {
  const date = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(floorDiv(index, 12n)), Number(floorMod(index, 12n)), 1);
  return BigInt(date.getTime()) * 1000n;
}

/** The same day and time of day some months later, or the last day of that month if it has no such day. */
export function addMonths(at: bigint, months: bigint): bigint {
  const start = startOfMonth(monthIndexOf(at) + months);
  const lastDay = nextPart('month', start) - microsPerDay;
  const day = start + BigInt(dateOf(at).getUTCDate() - 1) * microsPerDay;
  return (day < lastDay ? day : lastDay) + floorMod(at, microsPerDay);
}

const dateOf = (at: bigint): Date => new Date(Number(floorDiv(at, 1000n)));

export const floorMod = (value: bigint, divisor: bigint): bigint => ((value % divisor) + divisor) % divisor;

export const floorDiv = (value: bigint, divisor: bigint): bigint => (value - floorMod(value, divisor)) / divisor;
