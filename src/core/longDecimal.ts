/** A double depends on so many digits of a number, and on whether any later one is not zero. */
const significantDigits = 800;

/** Digits of a larger exponent say no more: the number is 0 or infinite. */
const exponentDigitsMax = 10;

const zero = 0x30;

/** Digits in a text, and the places of the first and last one that are not zero. They are read part by part. */
class Digits {
  readonly #text: string;
  start = -1;
  end = -1;
  first = -1;
  last = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds the digits from `from` to `to`, which follow those before. */
  extend(from: number, to: number): void {
    if (this.start < 0) this.start = from;
    this.end = to;
    for (let at = from; at < to; at++) {
      if (this.#text.charCodeAt(at) === zero) continue;
      if (this.first < 0) this.first = at;
      this.last = at;
    }
  }
}

/** A decimal number of any length, whose value takes no second pass over its digits. */
export class LongDecimal {
  readonly integer: Digits;
  readonly fraction: Digits;
  readonly exponent: Digits;
  isExponentNegative = false;
  readonly #text: string;
  readonly #sign: string;

  constructor(text: string, isNegative: boolean) {
    this.#text = text;
    this.#sign = isNegative ? '-' : '';
    this.integer = new Digits(text);
    this.fraction = new Digits(text);
    this.exponent = new Digits(text);
  }

  /** The nearest double. */
  value(): number {
    const first = this.integer.first < 0 ? this.fraction.first : this.integer.first;
    if (first < 0) return Number(`${this.#sign}0`);
    const last = Math.max(this.integer.last, this.fraction.last);
    const kept = this.#text.slice(first, Math.min(last + 1, first + significantDigits)).replace('.', '');
    const rest = last < first + significantDigits ? '' : '1';
    const { end } = this.integer;
    const power = first < end ? end - 1 - first : end - first;
    return Number(`${this.#sign}${kept.slice(0, 1)}.${kept.slice(1)}${rest}e${power + this.#exponent()}`);
  }

  #exponent(): number {
    const { first, end } = this.exponent;
    if (first < 0) return 0;
    const size = end - first > exponentDigitsMax ? 10 ** exponentDigitsMax : Number(this.#text.slice(first, end));
    return this.isExponentNegative ? -size : size;
  }
}
