import { type InstantForms, readInstant } from '../core/instantText.ts';

const forms: InstantForms = {
  offset: 'optional',
  offsetHoursMax: 23,
  allowsDateAlone: true,
  allowsLeapSecond: true,
  allowsBlankForPlus: true,
  isLoose: false,
};

const microsPerSecond = 1_000_000;

/**
 * Parses a timestamp to microseconds since 1970; undefined for other texts (contract, section 2, "Accepted forms").
 * Accepts RFC 3339 with any offset, a date alone (midnight), no offset (UTC), 1 to 9 fraction digits (cut to
 * microseconds), a space instead of `T`, and a space instead of the `+` of an offset, in the years 1 to 9999, UTC.
 *
 * Before 1684 and after 2255 fractions are cut off, because a double cannot represent these microseconds.
 */
export function parseTimestamp(text: string): number | undefined {
  const instant = readInstant(text, forms);
  if (instant === undefined) return undefined;
  const micros = instant.seconds * microsPerSecond;
  const exact = micros + instant.micros;
  // Whole seconds are exact in all years, because a million is 64 × 15,625.
  return Number.isSafeInteger(exact) ? exact : micros;
}
