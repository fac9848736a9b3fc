/** The accepted forms of an instant: variations of RFC 3339. */
export interface InstantForms {
  /** `optional`: a text without an offset is in UTC. `required`: it is refused. `forbidden`: only such texts are accepted. */
  readonly offset: 'required' | 'optional' | 'forbidden';
  readonly offsetHoursMax: number;
  /** A date without a time means midnight. */
  readonly allowsDateAlone: boolean;
  /** Second 60 is accepted at 23:59:60 UTC and means the next second. */
  readonly allowsLeapSecond: boolean;
  /** A space is read as the `+` of an offset, because an unescaped `+` in a query string becomes a space. */
  readonly allowsBlankForPlus: boolean;
  /** The forms of GoogleSQL: one-digit months to seconds, an empty fraction, ` UTC`, a space before the offset, offsets without minutes or colon. */
  readonly isLoose: boolean;
}

export interface Instant {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  /** Microseconds after `seconds`, 0 to 999,999; further digits are in `nanos`. */
  readonly micros: number;
  /** Nanoseconds after `micros`, 0 to 999. */
  readonly nanos: number;
}

const strictForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+\- ])(\d{2}):(\d{2}))?)?$/;
const looseForm =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?(?: ?(?:([Zz]|UTC)|([+-])(\d{1,2})(?::?(\d{1,2}))?))?$/;

const secondsPerDay = 86_400;
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

/** Parses an instant in the years 1 to 9999, UTC; undefined if the text has none of the forms. */
export function readInstant(text: string, forms: InstantForms): Instant | undefined {
  const match = (forms.isLoose ? looseForm : strictForm).exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', utc, sign, offsetHour, offsetMinute] = match;
  const hasOffset = utc !== undefined || sign !== undefined;
  if (hasOffset ? forms.offset === 'forbidden' : forms.offset === 'required') return undefined;
  if (hour === undefined && !forms.allowsDateAlone) return undefined;
  if (sign === ' ' && !forms.allowsBlankForPlus) return undefined;

  const days = daysOfDate(Number(year), Number(month), Number(day));
  const clock = clockSeconds(hour, minute, second);
  const offset = offsetSeconds(sign, offsetHour, offsetMinute, forms.offsetHoursMax);
  if (days === undefined || clock === undefined || offset === undefined) return undefined;
  const seconds = days * secondsPerDay + clock - offset;
  if (second === '60' && !(forms.allowsLeapSecond && seconds % secondsPerDay === 0)) return undefined;
  if (seconds < firstSecond || seconds > lastSecond) return undefined;
  return { seconds, micros: microsOfFraction(fraction), nanos: nanosOfFraction(fraction) };
}

/** Days since 1970-01-01 of a Gregorian date in the years 1 to 9999; undefined if the date does not exist. */
export function daysOfDate(year: number, month: number, day: number): number | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return undefined;
  const date = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 ? date.getTime() / (secondsPerDay * 1000) : undefined;
}

/** Seconds since midnight; second 60 is accepted. Undefined if the time does not exist. */
export function clockSeconds(hour = '0', minute = '0', second = '0'): number | undefined {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  return (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
}

/** The 7th to 9th digit after the decimal point of a second, as nanoseconds. */
const nanosOfFraction = (digits: string): number => Number(digits.slice(6, 9).padEnd(3, '0'));

/** The first six digits after the decimal point of a second, as microseconds. */
export const microsOfFraction = (digits: string): number => Number(digits.slice(0, 6).padEnd(6, '0'));

function offsetSeconds(sign: string | undefined, hour = '0', minute = '0', hoursMax: number): number | undefined {
  if (Number(hour) > hoursMax || Number(minute) > 59) return undefined;
  return (sign === '-' ? -60 : 60) * (Number(hour) * 60 + Number(minute));
}
