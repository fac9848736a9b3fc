import { unitMicros, weekStartOf } from '../../../googlesql/functions/dateParts.ts';
import { notPushed } from './notPushed.ts';

/**
 * Times are whole numbers here, microseconds or days since 1970, because ClickHouse's own functions of times are limited to
 * the years 1900 to 2299.
 */

export const dayMicros = 86_400_000_000;

/** Never negative. With an unsigned divisor, ClickHouse would take a negative value for a large one. */
const modulo = (value: string, by: number): string => `toInt64(positiveModulo(${value}, toInt64(${by})))`;

/** The greatest multiple of `by` that is not greater. */
export const floorTo = (value: string, by: number): string => `(${value} - ${modulo(value, by)})`;

/** Division that rounds down. */
export const floorDiv = (value: string, by: number): string => `intDiv(${floorTo(value, by)}, ${by})`;

export const remainder = modulo;

export const daysOf = (micros: string): string => floorDiv(micros, dayMicros);
export const microsOf = (days: string): string => `(${days} * ${dayMicros})`;

/** Days of the 400 years after which the calendar repeats, weekdays included. */
const cycleDays = 146_097;
/** 1900-01-01, the first day that ClickHouse's dates know. */
const firstDay = -25_567;

const withinCycle = (days: string): string => `(${modulo(`${days} - ${firstDay}`, cycleDays)} + ${firstDay})`;
/** The same day of the calendar from 1900 to 2299. */
const dateOf = (days: string): string => `toDate32(toInt32(${withinCycle(days)}))`;

/** Parts of a date as a number. */
function datePart(days: string, part: string): string {
  switch (part) {
    case 'year':
      return `(toInt64(toYear(${dateOf(days)})) + 400 * intDiv(${days} - ${withinCycle(days)}, ${cycleDays}))`;
    case 'quarter':
      return `toInt64(toQuarter(${dateOf(days)}))`;
    case 'month':
      return `toInt64(toMonth(${dateOf(days)}))`;
    case 'day':
      return `toInt64(toDayOfMonth(${dateOf(days)}))`;
    case 'dayofyear':
      // Not toDayOfYear, which is wrong on the last day of 2299.
      return `(${withinCycle(days)} - toInt64(toInt32(makeDate32(toYear(${dateOf(days)}), 1, 1))) + 1)`;
    // 1970-01-01 was a Thursday.
    case 'dayofweek':
      return `(${modulo(`${days} + 4`, 7)} + 1)`;
    default:
      return notPushed(`EXTRACT of ${part}`);
  }
}

/** EXTRACT of a number from a time in microseconds. */
export function extractPart(micros: string, part: string): string {
  switch (part) {
    case 'microsecond':
      return modulo(micros, 1_000_000);
    case 'millisecond':
      return `intDiv(${modulo(micros, 1_000_000)}, 1000)`;
    case 'second':
      return `intDiv(${modulo(micros, 60_000_000)}, 1000000)`;
    case 'minute':
      return `intDiv(${modulo(micros, 3_600_000_000)}, 60000000)`;
    case 'hour':
      return `intDiv(${modulo(micros, dayMicros)}, 3600000000)`;
    default:
      return datePart(daysOf(micros), part);
  }
}

/** The start of the unit that contains a day. */
export function truncatedDay(days: string, part: string): string {
  const start = weekStartOf(part);
  if (start !== undefined) return `(${days} - ${modulo(`${days} + ${4 - start + 7}`, 7)})`;
  switch (part) {
    case 'day':
      return days;
    case 'month':
      return `(${days} - ${datePart(days, 'day')} + 1)`;
    case 'quarter': {
      const date = dateOf(days);
      const first = `makeDate32(toYear(${date}), intDiv(toMonth(${date}) - 1, 3) * 3 + 1, 1)`;
      return `(${days} - (${withinCycle(days)} - toInt64(toInt32(${first}))))`;
    }
    case 'year':
      return `(${days} - ${datePart(days, 'dayofyear')} + 1)`;
    default:
      return notPushed(`truncation to ${part}`);
  }
}

/** The start of the unit that contains a time in microseconds. */
export function truncated(micros: string, part: string): string {
  const unit = unitMicros[part];
  return unit !== undefined ? floorTo(micros, unit) : microsOf(truncatedDay(daysOf(micros), part));
}
