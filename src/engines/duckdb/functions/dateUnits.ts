import { unitMicros, weekStartOf } from '../../../googlesql/functions/dateParts.ts';
import { bind } from './sqlFragments.ts';

/** Start of the unit that contains a naive time, as TIMESTAMP. */
export function truncated(time: string, part: string): string {
  const start = weekStartOf(part);
  if (start === undefined) return `date_trunc('${part}', CAST(${time} AS TIMESTAMP))`;
  if (start === 1) return `date_trunc('week', CAST(${time} AS TIMESTAMP))`;
  // The engine's weeks start on Monday, so the time is shifted there and back.
  const days = start === 0 ? -1 : start - 1;
  return `(date_trunc('week', CAST(${time} AS TIMESTAMP) - to_days(${days})) + to_days(${days}))`;
}

/** Number of unit boundaries between two naive times. */
export function boundaries(later: string, earlier: string, part: string): string {
  switch (part) {
    case 'month':
    case 'quarter':
    case 'year':
      return `date_diff('${part}', CAST(${earlier} AS TIMESTAMP), CAST(${later} AS TIMESTAMP))`;
    case 'isoyear':
      return `(date_part('isoyear', ${later}) - date_part('isoyear', ${earlier}))`;
    default: {
      const isWeek = weekStartOf(part) !== undefined;
      const micros = isWeek ? 7 * 86_400_000_000 : (unitMicros[part] ?? 1);
      return bind(
        [later, earlier],
        (a = '', b = '') => `(epoch_us(${truncated(a, part)}) - epoch_us(${truncated(b, part)})) // ${micros}`,
      );
    }
  }
}
