import type { datetimeFunctions } from '../../../googlesql/functions/datetimes.ts';
import { bucket } from './buckets.ts';
import { truncated } from './dateUnits.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { microsOf, monthsOf } from './scalarText.ts';
import { argument, bind, failure } from './sqlFragments.ts';
import { difference, formatted, parsed, readBefore, shiftedBy, truncate, withDate } from './timestamps.ts';
import { withinYears, zonedWithinYears } from './years.ts';
import { civilFromText, timestampFromText, toLocal } from './zones.ts';

const asDate = (time: string): string => `CAST(${time} AS DATE)`;
const asTime = (time: string): string => `CAST(${time} AS TIME)`;
const asTimestamp = (time: string): string => `CAST(${time} AS TIMESTAMP)`;

/** In the engine, arithmetic with a DATE results in a TIMESTAMP. */
const ofDate =
  (emit: EmitFunction): EmitFunction =>
  (args, context) =>
    context.argTypes[0]?.kind === 'DATE' ? asDate(emit(args, context)) : emit(args, context);

/** A DATE has no hours, so an INTERVAL with hours is rejected; the engine would drop them. */
const ofWholeDays =
  (sign: '+' | '-', name: string): EmitFunction =>
  (args, context) => {
    const shifted = shiftedBy(sign, name);
    if (context.argTypes[0]?.kind !== 'DATE') return shifted(args, context);
    return bind(args, (date = '', span = '') => {
      const refused = failure(context, `${name} with a DATE needs an INTERVAL in days or longer units.`);
      return `CASE WHEN ${microsOf(span)} <> 0 AND ${date} IS NOT NULL THEN ${refused} ELSE ${asDate(shifted([date, span], context))} END`;
    });
  };

/** A time of day wraps at midnight; days and longer units would change nothing. */
const ofClock =
  (sign: '+' | '-', name: string): EmitFunction =>
  (args, context) =>
    bind(args, (time = '', span = '') => {
      const refused = failure(context, `${name} needs an INTERVAL in hours or shorter units.`);
      const isLonger = `${monthsOf(span)} <> 0 OR datepart('day', ${span}) <> 0`;
      return `CASE WHEN (${isLonger}) AND ${time} IS NOT NULL THEN ${refused} ELSE ${time} ${sign} ${span} END`;
    });

const dateNumbers = (year = '', month = '', day = ''): string =>
  `${year} BETWEEN 1 AND 9999 AND ${month} BETWEEN 1 AND 12 AND ${day} BETWEEN 1 AND date_part('day', last_day(make_date(least(greatest(${year}, 1), 9999), least(greatest(${month}, 1), 12), 1)))`;

const timeNumbers = (hour = '', minute = '', second = ''): string =>
  `${hour} BETWEEN 0 AND 23 AND ${minute} BETWEEN 0 AND 59 AND ${second} BETWEEN 0 AND 59`;

/** Numbers that form no date or time are an error; a NULL among them gives NULL. */
function fromNumbers(
  args: readonly string[],
  context: EmitContext,
  what: string,
  isValid: (...numbers: readonly string[]) => string,
  make: (...numbers: readonly string[]) => string,
): string {
  return bind(args, (...numbers) => {
    const isNull = numbers.map((n) => `${n} IS NULL`).join(' OR ');
    return `CASE WHEN ${isNull} THEN NULL WHEN ${isValid(...numbers)} THEN ${make(...numbers)} ELSE ${failure(context, `The numbers do not name a ${what}.`)} END`;
  });
}

/** A TIMESTAMP in the local time of the given zone, if any. */
const localOf = (time: string, args: readonly string[], context: EmitContext): string =>
  zonedWithinYears(time, args, 1, context, (utc, zoned) => toLocal(utc, zoned, 1, context));

const date: EmitFunction = (args, context) => {
  const value = argument(args, 0);
  switch (context.argTypes[0]?.kind) {
    case 'STRING':
      // Reads text as a TIMESTAMP and takes its date in UTC; CAST accepts only dates.
      return asDate(timestampFromText(value, [value], 1, context));
    case 'TIMESTAMP':
      return asDate(localOf(value, args, context));
    case 'INT64':
      return fromNumbers(args, context, 'DATE', dateNumbers, (y, m, d) => `make_date(${y}, ${m}, ${d})`);
    default:
      return asDate(value);
  }
};

const datetime: EmitFunction = (args, context) => {
  const value = argument(args, 0);
  switch (context.argTypes[0]?.kind) {
    case 'STRING':
      return civilFromText(value, 'DATETIME', context);
    case 'TIMESTAMP':
      return localOf(value, args, context);
    case 'DATE':
      return args.length === 1 ? asTimestamp(value) : `(${value} + ${argument(args, 1)})`;
    case 'INT64':
      return fromNumbers(
        args,
        context,
        'DATETIME',
        (y, m, d, h, min, s) => `${dateNumbers(y, m, d)} AND ${timeNumbers(h, min, s)}`,
        (y, m, d, h, min, s) => `make_timestamp(${y}, ${m}, ${d}, ${h}, ${min}, CAST(${s} AS DOUBLE))`,
      );
    default:
      return value;
  }
};

const time: EmitFunction = (args, context) => {
  const value = argument(args, 0);
  switch (context.argTypes[0]?.kind) {
    case 'STRING':
      // Only a time of day is not a TIMESTAMP; other text is read as one, and its time in UTC is taken.
      return bind([value], (text = '') => {
        const isClock = `regexp_full_match(${text}, '\\s*[0-9]{1,2}:[^-]*')`;
        const moment = asTime(timestampFromText(text, [text], 1, context));
        return `CASE WHEN ${isClock} THEN ${civilFromText(text, 'TIME', context)} ELSE ${moment} END`;
      });
    case 'TIMESTAMP':
      return asTime(toLocal(value, args, 1, context));
    case 'INT64':
      return fromNumbers(
        args,
        context,
        'TIME',
        timeNumbers,
        (h, m, s) => `make_time(${h}, ${m}, CAST(${s} AS DOUBLE))`,
      );
    default:
      return asTime(value);
  }
};

/** A time of day as a moment of 1970-01-01, for which units can be counted. */
const onEpoch = (value: string): string => `make_timestamp(epoch_us(${value}))`;

const lastDay: EmitFunction = (args, context) => {
  const part = args[1] ?? 'month';
  const next: Readonly<Record<string, string>> = {
    month: 'to_months(1)',
    quarter: 'to_months(3)',
    year: 'to_years(1)',
  };
  const value = argument(args, 0);
  if (part === 'isoyear') {
    const last = (day = ''): string =>
      `(${truncated(`${truncated(day, 'isoyear')} + to_days(371)`, 'isoyear')} - to_days(1))`;
    return asDate(withinYears('TIMESTAMP', 'The last day of the ISO year', [value], context, last));
  }
  const end = next[part];
  if (end !== undefined) return asDate(`(${truncated(value, part)} + ${end} - to_days(1))`);
  return asDate(
    withinYears(
      'TIMESTAMP',
      'The last day of the week',
      [value],
      context,
      (day = '') => `(${truncated(day, part)} + to_days(6))`,
    ),
  );
};

export const datetimeEmitters: ScalarEmitters<typeof datetimeFunctions> = {
  current_datetime: readBefore,
  current_date: readBefore,
  current_time: readBefore,
  datetime,
  date,
  time,
  datetime_add: shiftedBy('+', 'DATETIME_ADD'),
  datetime_sub: shiftedBy('-', 'DATETIME_SUB'),
  date_add: ofWholeDays('+', 'DATE_ADD'),
  date_sub: ofWholeDays('-', 'DATE_SUB'),
  time_add: ofClock('+', 'TIME_ADD'),
  time_sub: ofClock('-', 'TIME_SUB'),
  datetime_diff: difference,
  date_diff: difference,
  time_diff: ([later = '', earlier = '', part = ''], context) =>
    difference([onEpoch(later), onEpoch(earlier), part], { ...context, argTypes: [{ kind: 'DATETIME' }] }),
  datetime_trunc: truncate,
  date_trunc: ofDate(truncate),
  time_trunc: ([value = '', part = '']) => asTime(truncated(onEpoch(value), part)),
  datetime_bucket: bucket,
  date_bucket: bucket,
  last_day: lastDay,
  format_datetime: formatted('FORMAT_DATETIME', withDate),
  format_date: formatted('FORMAT_DATE', withDate),
  format_time: formatted('FORMAT_TIME', onEpoch),
  parse_datetime: parsed('PARSE_DATETIME', 'DATETIME'),
  parse_date: parsed('PARSE_DATE', 'DATE'),
  parse_time: parsed('PARSE_TIME', 'TIME'),
  unix_date: (args) => `(${argument(args, 0)} - DATE '1970-01-01')`,
  date_from_unix_date: (args, context) =>
    withinYears(
      'DATE',
      'DATE_FROM_UNIX_DATE',
      args,
      context,
      (days) => `(DATE '1970-01-01' + CAST(${days} AS INTEGER))`,
    ),
};
