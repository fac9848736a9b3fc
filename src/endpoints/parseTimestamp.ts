import { daysOfDate, parseDate } from './calendar.ts';

const secondsPerDay = 86_400;
const microsPerSecond = 1_000_000;
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

const form = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+\- ])(\d{2}):(\d{2}))?$/;

/**
 * Microseconds since 1970 of a timestamp text, or undefined where it is none (contract, section 2,
 * "Accepted forms"): RFC 3339 with any offset, a date alone (midnight), no zone for UTC, 1 to 9
 * fraction digits cut to microseconds, a space for `T`, and a space for the `+` of an offset, which
 * is what an unescaped `+` in a query string becomes. The instant lies in the years 1 to 9999, UTC.
 *
 * Second 60 is taken where a leap second can be, at 23:59:60 UTC, and means the second after.
 * Before 1684 and after 2255, where a double cannot tell microseconds apart, fractions are cut off.
 */
export function parseTimestamp(text: string): number | undefined {
  const days = parseDate(text);
  if (days !== undefined) return days * secondsPerDay * microsPerSecond;

  const match = form.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hourText,
    minuteText,
    secondText,
    fraction = '',
    ,
    sign,
    offsetHourText,
    offsetMinuteText,
  ] = match;
  const date = daysOfDate(Number(year), Number(month), Number(day));
  const hour = Number(hourText);
  const minute = Number(minuteText);
  const second = Number(secondText);
  const offsetHour = Number(offsetHourText ?? 0);
  const offsetMinute = Number(offsetMinuteText ?? 0);
  if (date === undefined || hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59)
    return undefined;

  const offsetSeconds = (sign === '-' ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60);
  const seconds = date * secondsPerDay + hour * 3600 + minute * 60 + second - offsetSeconds;
  if (second === 60 && seconds % secondsPerDay !== 0) return undefined;
  if (seconds < firstSecond || seconds > lastSecond) return undefined;

  const micros = seconds * microsPerSecond;
  const exact = micros + Number(fraction.slice(0, 6).padEnd(6, '0'));
  // Whole seconds are exact over all years: a million is 64 × 15,625.
  return Number.isSafeInteger(exact) ? exact : micros;
}
