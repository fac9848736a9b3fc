import { weekStartOf } from '../../../googlesql/functions/dateParts.ts';
import type { EmitFunction } from './emitContext.ts';
import { microsOf, monthsOf } from './scalarText.ts';
import { argument, bind, failedCall } from './sqlFragments.ts';
import { zonedWithinYears } from './years.ts';
import { toLocal } from './zones.ts';

/** EXTRACT(part FROM value [AT TIME ZONE zone]); a TIMESTAMP in UTC unless a zone is given. */
export const emitExtract: EmitFunction = (args, context) => {
  const part = argument(args, 0);
  if (context.argTypes[1]?.kind === 'INTERVAL') {
    return bind([argument(args, 1)], (span = '') => spanPart(part, span) ?? failedCall(context, unknownPart(part)));
  }
  const value = toLocal(argument(args, 1), args, 2, context);
  const withDate = (): string =>
    zonedWithinYears(argument(args, 1), args, 2, context, (utc, zoned) => toLocal(utc, zoned, 2, context));
  switch (part) {
    case 'date':
      return `CAST(${withDate()} AS DATE)`;
    case 'time':
      return `CAST(${value} AS TIME)`;
    case 'datetime':
      return withDate();
    case 'microsecond':
      return `(date_part('microsecond', ${value}) % 1000000)`;
    case 'millisecond':
      return `(date_part('microsecond', ${value}) // 1000 % 1000)`;
    case 'dayofweek':
      return `(date_part('dow', ${value}) + 1)`;
    case 'dayofyear':
      return `date_part('doy', ${value})`;
    case 'isoweek':
      return `date_part('week', ${value})`;
    case 'second':
    case 'minute':
    case 'hour':
    case 'day':
    case 'month':
    case 'quarter':
    case 'year':
    case 'isoyear':
      return `date_part('${part}', ${value})`;
    default: {
      const start = weekStartOf(part);
      if (start === undefined) return failedCall(context, unknownPart(part));
      // Weeks are counted from the first such weekday of the year; earlier days are week 0.
      return bind(
        [value],
        (time) => `(date_part('doy', ${time}) + 6 - (date_part('dow', ${time}) + ${7 - start}) % 7) // 7`,
      );
    }
  }
};

const unknownPart = (part: string): string => `EXTRACT does not know the part ${part}.`;

/** A part of an INTERVAL: months without years, and time without hours; each has the sign of its whole. */
function spanPart(part: string, span: string): string | undefined {
  const [months, micros] = [monthsOf(span), microsOf(span)];
  switch (part) {
    case 'year':
      return `(${months} // 12)`;
    case 'month':
      return `(${months} % 12)`;
    case 'day':
      return `datepart('day', ${span})`;
    case 'hour':
      return `(${micros} // 3600000000)`;
    case 'minute':
      return `(${micros} // 60000000 % 60)`;
    case 'second':
      return `(${micros} // 1000000 % 60)`;
    case 'millisecond':
      return `(${micros} // 1000 % 1000)`;
    case 'microsecond':
      return `(${micros} % 1000000)`;
    default:
      return undefined;
  }
}
