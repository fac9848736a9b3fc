const microsPerSecond = 1_000_000n;
const secondsPerDay = 86_400n;

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
export function dateText(days: bigint): string {
  return isoText(days * secondsPerDay).slice(0, 10);
}

/** A date and time in ISO 8601. `micros`: since 1970, from year 1 to 9999. */
export function timeText(micros: bigint, hasFraction: boolean): string {
  const fraction = ((micros % microsPerSecond) + microsPerSecond) % microsPerSecond;
  const text = isoText((micros - fraction) / microsPerSecond).slice(0, 19);
  return fraction === 0n && !hasFraction ? text : `${text}.${fraction.toString().padStart(6, '0')}`;
}

const isoText = (seconds: bigint): string => new Date(Number(seconds) * 1000).toISOString();
