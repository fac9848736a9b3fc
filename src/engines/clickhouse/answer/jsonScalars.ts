const secondsPerDay = 86_400;

/** Whole numbers up to here are written without a point (contract, section 1, "Values"). */
const wholeMax = 2 ** 53;

/** The JSON of a FLOAT64: the shortest digits that represent it. NaN and infinities are strings. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"Infinity"' : '"-Infinity"';
  if (Number.isInteger(value) && Math.abs(value) < wholeMax) return BigInt(value).toString();
  const text = String(value).replace('e+', 'e');
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

/** The JSON of a FLOAT64 that is a member of metadata, as metadata has it: never with the `.0` of a whole number. */
export const memberFloatText = (value: number): string => floatText(value).replace(/\.0$/, '');

/** A date in ISO 8601. `days`: since 1970, from year 1 to 9999. */
export function dateText(days: number): string {
  return new Date(days * secondsPerDay * 1000).toISOString().slice(0, 10);
}

export interface TimeParts {
  /** Since 1970. */
  readonly days: number;
  /** Of the day. */
  readonly seconds: number;
  /** Microseconds of the second. */
  readonly micros: number;
}

/** `micros`: since 1970, from year 1 to 9999. */
export function timeParts(micros: number | bigint): TimeParts {
  const ofSecond =
    typeof micros === 'number' ? modulo(micros, 1_000_000) : Number(((micros % million) + million) % million);
  const seconds =
    typeof micros === 'number' ? (micros - ofSecond) / 1_000_000 : Number((micros - BigInt(ofSecond)) / million);
  const ofDay = modulo(seconds, secondsPerDay);
  return { days: (seconds - ofDay) / secondsPerDay, seconds: ofDay, micros: ofSecond };
}

const million = 1_000_000n;

/** From 0, also for negative values. */
function modulo(value: number, by: number): number {
  const rest = value % by;
  return rest < 0 ? rest + by : rest;
}
