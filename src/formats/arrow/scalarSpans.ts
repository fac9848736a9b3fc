/**
 * Reads the usual forms of scalar values from their bytes, without making texts of them. NaN means another form, which
 * scalarValues.ts reads: both must give the same number.
 */
export type ReadSpan = (bytes: Uint8Array, from: number, to: number) => number;

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const colon = 0x3a;
const letterT = 0x54;
const letterZ = 0x5a;

/** Any integer of so many digits is exact in a double. */
const exactDigits = 15;
const powers = Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent);

/** The digits from `from` to `to` as a number; NaN if there are none, too many for an exact number, or other characters. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from || to - from > exactDigits) return Number.NaN;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

export const integerSpan: ReadSpan = (bytes, from, to) =>
  bytes[from] === minus ? -digits(bytes, from + 1, to) : digits(bytes, from, to);

/** Numbers of at most 15 digits: a division of two exact doubles is rounded correctly. */
export const floatSpan: ReadSpan = (bytes, from, to) => {
  const isNegative = bytes[from] === minus;
  const begin = isNegative ? from + 1 : from;
  let end = begin;
  while (end < to && bytes[end] !== point) end += 1;
  let value = digits(bytes, begin, end);
  if (end < to) {
    const places = to - end - 1;
    if (end - begin + places > exactDigits) return Number.NaN;
    const power = powers[places] ?? Number.NaN;
    value = (value * power + digits(bytes, end + 1, to)) / power;
  }
  return isNegative ? -value : value;
};

const dateChars = 10;
const secondsChars = 19;
const fractionDigits = 6;
/** Within these years, microseconds since 1970 are exact in a double. */
const years = { first: 1700, last: 2200 };

/** Reads `YYYY-MM-DDTHH:MM:SS[.ffffff][Z]` as microseconds since 1970, and remembers the last day. */
export function timestampSpans(): ReadSpan {
  let date = Number.NaN;
  let dayMicros = Number.NaN;
  return (bytes, from, to) => {
    const year = digits(bytes, from, from + 4);
    const monthAndDay = digits(bytes, from + 5, from + 7) * 100 + digits(bytes, from + 8, from + dateChars);
    if (year * 10_000 + monthAndDay !== date) {
      if (!(year >= years.first && year <= years.last)) return Number.NaN;
      date = year * 10_000 + monthAndDay;
      dayMicros = Date.parse(`${latin1(bytes, from, from + dateChars)}T00:00:00Z`) * 1000;
    }
    const hours = digits(bytes, from + 11, from + 13);
    const minutes = digits(bytes, from + 14, from + 16);
    const seconds = digits(bytes, from + 17, from + secondsChars);
    const isTime =
      hours < 24 &&
      minutes < 60 &&
      seconds < 60 &&
      bytes[from + 4] === minus &&
      bytes[from + 7] === minus &&
      bytes[from + dateChars] === letterT &&
      bytes[from + 13] === colon &&
      bytes[from + 16] === colon;
    if (!isTime) return Number.NaN;
    const micros = dayMicros + ((hours * 60 + minutes) * 60 + seconds) * 1_000_000;
    const end = bytes[to - 1] === letterZ ? to - 1 : to;
    if (end === from + secondsChars) return micros;
    const places = end - from - secondsChars - 1;
    if (bytes[from + secondsChars] !== point || places > fractionDigits) return Number.NaN;
    return micros + digits(bytes, end - places, end) * (powers[fractionDigits - places] ?? Number.NaN);
  };
}

/** Reads `true` and `false`; null for another text. */
export function boolSpan(bytes: Uint8Array, from: number, to: number): boolean | null {
  if (isText(bytes, from, to, trueText)) return true;
  return isText(bytes, from, to, falseText) ? false : null;
}

const trueText = Buffer.from('true');
const falseText = Buffer.from('false');

function isText(bytes: Uint8Array, from: number, to: number, text: Uint8Array): boolean {
  if (to - from !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}

export function latin1(bytes: Uint8Array, from: number, to: number): string {
  // A view for each value would take longer than the value.
  if (bytes instanceof Buffer) return bytes.toString('latin1', from, to);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
