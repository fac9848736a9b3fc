import type { EmitFunction } from './emitContext.ts';
import { microsOf, monthsOf } from './scalarText.ts';
import { argument, bind, failure } from './sqlFragments.ts';

type Bucketed = 'TIMESTAMP' | 'DATETIME' | 'DATE';

/** Allowed widths by type: of a single part, because parts have no common unit. */
const widths: Readonly<Record<Bucketed, string>> = {
  TIMESTAMP: 'days, or in hours and shorter units',
  DATETIME: 'months, in days, or in hours and shorter units',
  DATE: 'months or in days',
};

const bucketedOf = (kind: string | undefined): Bucketed =>
  kind === 'TIMESTAMP' || kind === 'DATE' ? kind : 'DATETIME';

/** *_BUCKET for all types. GoogleSQL's buckets start at 1950-01-01; the first one may begin before the year 1. */
export const bucket: EmitFunction = (args, context) => {
  const type = bucketedOf(context.argTypes[0]?.kind);
  const isDate = type === 'DATE';
  const asTime = (value: string): string => (isDate ? `CAST(${value} AS TIMESTAMP)` : value);
  const given = [argument(args, 0), argument(args, 1), args[2] ?? "TIMESTAMP '1950-01-01'"];
  return bind(given, (value = '', width = '', start = '') => {
    const [time, origin] = [asTime(value), asTime(start)];
    const parts = [monthsOf(width), `datepart('day', ${width})`, microsOf(width)] as const;
    const [months, , micros] = parts;
    const isNull = [value, width, start].map((name) => `${name} IS NULL`).join(' OR ');
    const positive = parts.map((part) => `CAST(${part} > 0 AS INTEGER)`).join(' + ');
    const refused = { TIMESTAMP: [months], DATETIME: [], DATE: [micros] }[type];
    const isWrong = [
      `least(${parts.join(', ')}) < 0`,
      `${positive} <> 1`,
      ...refused.map((part) => `${part} <> 0`),
    ].join(' OR ');
    const wrong = failure(context, `The width of a bucket must be greater than zero, and counted in ${widths[type]}.`);
    const fixed = `CAST(time_bucket(${width}, ${time}, ${origin}) AS TIMESTAMP)`;
    const found =
      type === 'TIMESTAMP' ? fixed : `CASE WHEN ${months} > 0 THEN ${ofMonths(time, origin, months)} ELSE ${fixed} END`;
    const result = isDate ? `CAST(${found} AS DATE)` : found;
    const isFirst = `${time} < TIMESTAMP '0001-01-01' + ${width} AND ${found} < TIMESTAMP '0001-01-01'`;
    const before = failure(context, 'The bucket begins before the year 0001.');
    return `CASE WHEN ${isNull} THEN NULL WHEN ${isWrong} THEN ${wrong} WHEN ${isFirst} THEN ${before} ELSE ${result} END`;
  });
};

/** In a month that lacks the day of the origin, the bucket begins on its last day. */
function ofMonths(time: string, origin: string, months: string): string {
  const monthOf = (value: string): string => `(date_part('year', ${value}) * 12 + date_part('month', ${value}))`;
  const apart = `(${monthOf(time)} - ${monthOf(origin)})`;
  const whole = `(${apart} - (${apart} % ${months} + ${months}) % ${months})`;
  const start = (since: string): string => `${origin} + to_months(CAST(${since} AS INTEGER))`;
  return `CASE WHEN ${start(whole)} <= ${time} THEN ${start(whole)} ELSE ${start(`${whole} - ${months}`)} END`;
}
