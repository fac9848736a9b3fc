import type { FormatSpecifier } from '../../../../googlesql/functions/formatText.ts';
import type { Spend } from './scriptedFunction.ts';

/**
 * Writes a FLOAT64 without its sign with %f, %e or %g, like printf of C: rounded from all of its binary digits, half to
 * even. With the flag ', thousands of %f and %g are grouped.
 */
export function writtenNumber(value: number, layout: FormatSpecifier, spend: Spend): string {
  const written = Number.isFinite(value)
    ? finiteText(Math.abs(value), layout, spend)
    : Number.isNaN(value)
      ? 'nan'
      : 'inf';
  return layout.verb === layout.verb.toLowerCase() ? written : written.toUpperCase();
}

function finiteText(value: number, { verb, flags, precision }: FormatSpecifier, spend: Spend): string {
  const digits = precision === undefined ? 6 : Number(precision);
  const decimal = decimalOf(value, spend);
  const keepsPoint = flags.includes('#');
  const isGrouped = flags.includes("'");
  switch (verb.toLowerCase()) {
    case 'f':
      return joined(fixed(decimal, digits), keepsPoint, isGrouped);
    case 'e':
      return exponential(scientific(decimal, digits), keepsPoint);
    default:
      return general(decimal, Math.max(digits, 1), keepsPoint, isGrouped);
  }
}

/**
 * %g: like %e if the exponent is small or large for the number of digits, otherwise like %f. Trailing zeros stay only
 * with the flag #.
 */
function general(decimal: Decimal, digits: number, keepsZeros: boolean, isGrouped: boolean): string {
  const parts = scientific(decimal, digits - 1);
  const trimmed = (fraction: string): string => (keepsZeros ? fraction : fraction.replace(/0+$/, ''));
  if (parts.exponent < -4 || parts.exponent >= digits) {
    return exponential({ ...parts, fraction: trimmed(parts.fraction) }, keepsZeros);
  }
  const { whole, fraction } = fixed(decimal, digits - 1 - parts.exponent);
  return joined({ whole, fraction: trimmed(fraction) }, keepsZeros, isGrouped);
}

/** `0.digits × 10^point`, exactly. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** All decimal digits of a FLOAT64, which is a whole number times a power of two (IEEE 754). */
function decimalOf(value: number, spend: Spend): Decimal {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  if (mantissa === 0n) return { digits: '0', point: 1 };
  // The cost of products and digits of so many bits.
  spend(Math.abs(power));
  const digits = (power < 0 ? mantissa * 5n ** BigInt(-power) : mantissa << BigInt(power)).toString();
  return { digits, point: digits.length + Math.min(power, 0) };
}

/** The first digits, rounded; one digit more if rounding carries. */
function rounded(digits: string, kept: number): string {
  if (kept < 0) return '';
  if (kept >= digits.length) return digits.padEnd(kept, '0');
  const head = digits.slice(0, kept);
  const next = digits.charAt(kept);
  const isHalf = next === '5' && !/[1-9]/.test(digits.slice(kept + 1));
  const isUp = isHalf ? /[13579]$/.test(head) : next >= '5';
  return isUp ? String(BigInt(`0${head}`) + 1n).padStart(kept, '0') : head;
}

function fixed({ digits, point }: Decimal, decimals: number): { readonly whole: string; readonly fraction: string } {
  const all = rounded(digits, point + decimals).padStart(decimals + 1, '0');
  return { whole: all.slice(0, all.length - decimals), fraction: all.slice(all.length - decimals) };
}

interface Scientific {
  readonly first: string;
  readonly fraction: string;
  readonly exponent: number;
}

function scientific({ digits, point }: Decimal, decimals: number): Scientific {
  const all = rounded(digits, decimals + 1);
  const carried = all.length - (decimals + 1);
  return { first: all.slice(0, 1), fraction: all.slice(1, decimals + 1), exponent: point - 1 + carried };
}

function joined(
  { whole, fraction }: { readonly whole: string; readonly fraction: string },
  keepsPoint: boolean,
  isGrouped: boolean,
): string {
  const shown = isGrouped ? digitGroups(whole, 3, ',') : whole;
  return fraction === '' && !keepsPoint ? shown : `${shown}.${fraction}`;
}

function exponential({ first, fraction, exponent }: Scientific, keepsPoint: boolean): string {
  const written = joined({ whole: first, fraction }, keepsPoint, false);
  return `${written}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Groups digits, counted from the last one. */
export function digitGroups(digits: string, size: 3 | 4, by: ',' | ':'): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(end - size, 0), end));
  return groups.join(by);
}
