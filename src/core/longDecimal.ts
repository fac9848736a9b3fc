/** A double depends on so many digits of a number, and on whether any later one is not zero. */
const significantDigits = 800;

/** Digits of a larger exponent say no more: the number is 0 or infinite. */
const exponentDigitsMax = 10;

const zero = 0x30;

/** A decimal number of any length, whose digits come part by part. It keeps only those on which the double depends. */
export class LongDecimal {
  isExponentNegative = false;
  readonly #sign: string;
  /** Digits from the first one that is not zero. */
  #significant = '';
  /** Whether a digit behind them is not zero. */
  #isLonger = false;
  /** Of the first significant digit: the power of ten that it counts. */
  #power = -1;
  #exponent = '';

  constructor(isNegative: boolean) {
    this.#sign = isNegative ? '-' : '';
  }

  /** Adds the digits of `text` from `from` to `to`, which follow those before in the integer part. */
  addInteger(text: string, from: number, to: number): void {
    const first = this.#significant === '' ? firstNonZero(text, from, to) : from;
    this.#power += to - first;
    this.#add(text, first, to);
  }

  /** The same for the fraction, after the integer part. */
  addFraction(text: string, from: number, to: number): void {
    const first = this.#significant === '' ? firstNonZero(text, from, to) : from;
    this.#power -= first - from;
    this.#add(text, first, to);
  }

  /** The same for the exponent. */
  addExponent(text: string, from: number, to: number): void {
    const first = this.#exponent === '' ? firstNonZero(text, from, to) : from;
    this.#exponent += text.slice(first, Math.min(to, first + exponentDigitsMax + 1 - this.#exponent.length));
  }

  /** The nearest double. */
  value(): number {
    if (this.#significant === '') return Number(`${this.#sign}0`);
    const digits = `${this.#significant.slice(0, 1)}.${this.#significant.slice(1)}${this.#isLonger ? '1' : ''}`;
    return Number(`${this.#sign}${digits}e${this.#power + this.#exponentValue()}`);
  }

  #add(text: string, from: number, to: number): void {
    const end = Math.min(to, from + significantDigits - this.#significant.length);
    this.#significant += text.slice(from, end);
    this.#isLonger ||= firstNonZero(text, end, to) < to;
  }

  #exponentValue(): number {
    const size = this.#exponent.length > exponentDigitsMax ? 10 ** exponentDigitsMax : Number(this.#exponent);
    return this.isExponentNegative ? -size : size;
  }
}

/** `to` if all digits from `from` on are zeros. */
function firstNonZero(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) === zero) at++;
  return at;
}
