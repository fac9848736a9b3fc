/**
 * Times as text, as GoogleSQL literals and contract section 2 ("Accepted forms") write them: a
 * date, or date and time with `T` or a space, 0 to 9 fraction digits (cut to microseconds), and for
 * timestamps an offset, `Z` or ` UTC`; without one, UTC.
 */
const timestampForm =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?(?: ?([Zz]|UTC|[+-]\d{1,2}(?::?\d{2})?))?$/;

const timeForm = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?$/;

/** Microseconds since 1970 UTC, or null where the text is no timestamp of these forms. */
export function parseTimestampText(text: string): bigint | null {
  const match = timestampForm.exec(text);
  if (match === null) return null;
  const local = localMicros(match);
  const offset = offsetMinutes(match[8]);
  return local === null || offset === null ? null : local - BigInt(offset) * 60_000_000n;
}

/** Microseconds since 1970 of a civil time, or null; an offset is refused. */
export function parseDatetimeText(text: string): bigint | null {
  const match = timestampForm.exec(text);
  return match === null || match[8] !== undefined ? null : localMicros(match);
}

/** Days since 1970, or null. */
export function parseDateText(text: string): bigint | null {
  const match = timestampForm.exec(text);
  if (match === null || match[4] !== undefined || match[8] !== undefined) return null;
  const micros = localMicros(match);
  return micros === null ? null : micros / 86_400_000_000n;
}

/** Microseconds since midnight, or null. */
export function parseTimeText(text: string): bigint | null {
  const match = timeForm.exec(text);
  return match === null ? null : clockMicros(match[1], match[2], match[3], match[4]);
}

function localMicros(match: RegExpExecArray): bigint | null {
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const clock = match[4] === undefined ? 0n : clockMicros(match[4], match[5], match[6], match[7]);
  return clock === null ? null : BigInt(date.getTime()) * 1000n + clock;
}

function clockMicros(
  h: string | undefined,
  m: string | undefined,
  s: string | undefined,
  fraction = '',
): bigint | null {
  const [hours, minutes, seconds] = [Number(h), Number(m), Number(s)];
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6));
  return BigInt((hours * 60 + minutes) * 60 + seconds) * 1_000_000n + micros;
}

function offsetMinutes(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'UTC' || zone.toUpperCase() === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const hours = Number(digits.length > 2 ? digits.slice(0, -2) : digits);
  const minutes = digits.length > 2 ? Number(digits.slice(-2)) : 0;
  if (hours > 14 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
