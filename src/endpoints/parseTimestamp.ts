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
 * Microseconds since 1970 of a timestamp text, or undefined where it is none (contract, section 2,
 * "Accepted forms"): RFC 3339 with any offset, a date alone (midnight), no zone for UTC, 1 to 9
 * fraction digits cut to microseconds, a space for `T`, and a space for the `+` of an offset. The
 * instant lies in the years 1 to 9999, UTC.
 *
 * Before 1684 and after 2255, where a double cannot tell microseconds apart, fractions are cut off.
 */
export function parseTimestamp(text: string): number | undefined {
  const instant = readInstant(text, forms);
  if (instant === undefined) return undefined;
  const micros = instant.seconds * microsPerSecond;
  const exact = micros + instant.micros;
  // Whole seconds are exact over all years: a million is 64 × 15,625.
  return Number.isSafeInteger(exact) ? exact : micros;
}
