import { type InstantForms, readInstant } from '../core/instantText.ts';

const forms: InstantForms = {
  offset: 'required',
  offsetHoursMax: 23,
  allowsDateAlone: false,
  allowsLeapSecond: true,
  allowsBlankForPlus: false,
  isLoose: false,
};

/** Microseconds since 1970, and the remaining nanoseconds, 0 to 999. */
export interface Moment {
  readonly micros: number;
  readonly nanos: number;
}

/**
 * Parses an RFC 3339 date-time (section 5.6) with up to nine fraction digits; undefined if the text is not one. A leap
 * second becomes the first second of the next day.
 */
export function parseRfc3339(text: string): Moment | undefined {
  const instant = readInstant(text, forms);
  return instant && { micros: instant.seconds * 1_000_000 + instant.micros, nanos: instant.nanos };
}
