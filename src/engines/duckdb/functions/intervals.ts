import type { EmitFunction } from './emitContext.ts';
import { argument, attempt, failedCall } from './sqlText.ts';

const makers: Readonly<Record<string, (count: string) => string>> = {
  microsecond: (count) => `to_microseconds(${count})`,
  millisecond: (count) => `to_microseconds(${count} * 1000)`,
  second: (count) => `to_microseconds(${count} * 1000000)`,
  minute: (count) => `to_minutes(${count})`,
  hour: (count) => `to_hours(${count})`,
  day: (count) => `to_days(CAST(${count} AS INTEGER))`,
  week: (count) => `to_days(CAST(${count} * 7 AS INTEGER))`,
  month: (count) => `to_months(CAST(${count} AS INTEGER))`,
  quarter: (count) => `to_months(CAST(${count} * 3 AS INTEGER))`,
  year: (count) => `to_months(CAST(${count} * 12 AS INTEGER))`,
};

/** INTERVAL count PART. */
export const emitInterval: EmitFunction = (args, context) => {
  const part = argument(args, 1);
  const make = makers[part];
  if (make === undefined)
    return failedCall(context, `INTERVAL cannot count in ${part}; it takes ${Object.keys(makers).join(', ')}.`);
  return attempt([argument(args, 0)], context, (count = '') => make(count));
};
