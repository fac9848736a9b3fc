const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Microseconds since 1970 of an RFC 3339 date-time (section 5.6) with up to nine fraction digits, of
 * which those beyond microseconds are cut; undefined where the text is not one. A leap second is
 * the first second of the next day.
 */
export function parseRfc3339(text: string): number | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', sign, ...offset] =
    match;
  const [offsetHour, offsetMinute] = offset.map((digits) => Number(digits ?? 0));
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if ((offsetHour ?? 0) > 23 || (offsetMinute ?? 0) > 59) return undefined;
  const days = daysSince1970(Number(year), Number(month), Number(day));
  if (days === undefined) return undefined;
  const offsetSeconds = ((offsetHour ?? 0) * 60 + (offsetMinute ?? 0)) * (sign === '-' ? -60 : 60);
  const minuteStart = days * secondsPerDay + (Number(hour) * 60 + Number(minute)) * 60 - offsetSeconds;
  if (second === '60' && modulo(minuteStart, secondsPerDay) !== secondsPerDay - 60) return undefined;
  return (minuteStart + Number(second)) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

const secondsPerDay = 86_400;

/** Days between 1970-01-01 and a day of the proleptic Gregorian calendar, or undefined where there is no such day. */
function daysSince1970(year: number, month: number, day: number): number | undefined {
  // `Date.UTC` takes years below 100 for those of the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / (secondsPerDay * 1000);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
