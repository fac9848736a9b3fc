import { parseTimestampText } from '../googlesql/resolve/timeText.ts';

const microsPerUnit: Readonly<Record<number, bigint>> = { 10: 1_000_000n, 13: 1_000n, 16: 1n };

/** The range of TIMESTAMP. */
const firstMicros = -62_135_596_800_000_000n;
const lastMicros = 253_402_300_799_999_999n;

/**
 * Microseconds since 1970 of a time in one of the forms of lql.md: date, date and time with or
 * without offset (without one, UTC), or a count of seconds, milliseconds or microseconds since 1970
 * with 10, 13 or 16 digits. Null if there is no such time.
 */
export function instantMicros(text: string): bigint | null {
  if (/^\d+$/.test(text)) {
    const scale = microsPerUnit[text.length];
    return scale === undefined ? null : BigInt(text) * scale;
  }
  const micros = parseTimestampText(text);
  return micros === null || micros < firstMicros || micros > lastMicros ? null : micros;
}

/** The same time in a form that GoogleSQL reads. Throws if the text is in none of the forms. */
export function instantText(text: string): string {
  const micros = instantMicros(text);
  if (micros === null) throw new Error('a time that the parser did not accept');
  if (!/^\d+$/.test(text)) return text;
  const wholeSeconds = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${wholeSeconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`;
}
