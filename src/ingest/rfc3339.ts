import { type InstantForms, readInstant } from '../core/instantText.ts';

const forms: InstantForms = {
  offset: 'required',
  offsetHoursMax: 23,
  allowsDateAlone: false,
  allowsLeapSecond: true,
  allowsBlankForPlus: false,
  isLoose: false,
};

/**
 * Microseconds since 1970 of an RFC 3339 date-time (section 5.6) with up to nine fraction digits, of
 * which those beyond microseconds are cut; undefined where the text is not one. A leap second is
 * the first second of the next day.
 */
export function parseRfc3339(text: string): number | undefined {
  const instant = readInstant(text, forms);
  return instant === undefined ? undefined : instant.seconds * 1_000_000 + instant.micros;
}
