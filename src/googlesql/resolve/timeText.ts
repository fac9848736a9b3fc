import { clockSeconds, daysOfDate, type InstantForms, microsOfFraction, readInstant } from '../../core/instantText.ts';

/**
 * The forms of times in strings, from GoogleSQL literals and contract section 2 ("Accepted forms"): a date, or a date and
 * time with `T` or a space, 0 to 9 fraction digits (truncated to microseconds), and for timestamps an offset, `Z` or
 * ` UTC` (default: UTC).
 */
const timestampForms: InstantForms = {
  offset: 'optional',
  offsetHoursMax: 14,
  allowsDateAlone: true,
  allowsLeapSecond: false,
  allowsBlankForPlus: false,
  isLoose: true,
};

/** A DATETIME has no offset; it is read as if it were in UTC. */
const datetimeForms: InstantForms = { ...timestampForms, offset: 'forbidden' };

const dateForm = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const timeForm = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?$/;

/** Microseconds since 1970 UTC, or null if the text is not a timestamp in one of these forms. */
export const parseTimestampText = (text: string): bigint | null => microsOf(text, timestampForms);

/** Microseconds since 1970 of a DATETIME, or null if the text is not one. An offset is not allowed. */
export const parseDatetimeText = (text: string): bigint | null => microsOf(text, datetimeForms);

/** Days since 1970, or null. */
export function parseDateText(text: string): bigint | null {
  const match = dateForm.exec(text);
  const days = match === null ? undefined : daysOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
  return days === undefined ? null : BigInt(days);
}

/** Microseconds since midnight, or null. */
export function parseTimeText(text: string): bigint | null {
  const match = timeForm.exec(text);
  const seconds = match === null ? undefined : clockSeconds(match[1], match[2], match[3]);
  if (seconds === undefined || Number(match?.[3]) > 59) return null;
  return inMicros(seconds, microsOfFraction(match?.[4] ?? ''));
}

function microsOf(text: string, forms: InstantForms): bigint | null {
  const instant = readInstant(text, forms);
  return instant === undefined ? null : inMicros(instant.seconds, instant.micros);
}

const inMicros = (seconds: number, micros: number): bigint => BigInt(seconds) * 1_000_000n + BigInt(micros);
