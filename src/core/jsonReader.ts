import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isDigit,
  isExponentMark,
  isHexadecimal,
  isSpace,
  minus,
  openBrace,
  openBracket,
  plus,
  point,
  quote,
  zero,
} from './jsonCharacters.ts';
import { aroundEventsAt, type Container, closed, countMember } from './jsonContainer.ts';
import type { JsonReaderOptions } from './jsonReaderOptions.ts';
import { JsonFault, type JsonProblem, JsonSyntaxError, tokenUnits } from './jsonSyntaxError.ts';
import { type JsonValue, markCut, ObjectBuilder } from './jsonValue.ts';
import { bracketBytes, scalarBytes } from './leastBytes.ts';
import { LongDecimal } from './longDecimal.ts';
import type { TextPieces } from './textPieces.ts';
import { textPlace } from './textPlace.ts';

/** Any integer of up to 15 digits is exact as a double. */
const exactDigitsMax = 15;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

/** Longer numbers may be read in steps. */
const shortNumberChars = 1_000;
/** No word, escape or mark is longer. */
const tokenChars = 16;

/** An object with more members takes longer for each of them. */
const fewMembers = 1_000;
/** The work of adding another member to it, expressed as characters that take as long. */
const memberWork = 50;
/** The work of making one of more than `fewMembers` arrays or objects, in the same way. */
const containerWork = 10;

/** The characters that may follow a backslash, except `u`. */
const escaped: ReadonlySet<string> = new Set('"\\/bfnrt');

/**
 * Reads consecutive JSON values (RFC 8259) from a text without losing digits. Integers from -2^63 to 2^64-1 that a double
 * cannot hold become bigints. Every other number becomes a double, infinite if it is too large. Lone surrogates become
 * U+FFFD.
 */
export class JsonReader {
  /** The text, or the part of it that is read now. */
  #text: string;
  /** Offset of that part. */
  #before = 0;
  /** Further pieces; null if the part is the last one. */
  #more: Iterator<string, undefined> | null = null;
  /** The characters from `#at` on that the part must have while there are more: no short token has as many. */
  #aheadChars = 0;
  readonly #options: JsonReaderOptions;
  readonly #stepChars: number;
  /** Offset in the part. */
  #at = 0;
  /** Arrays and objects made so far. */
  #containers = 0;
  /** Offset in the part at which to yield next, or sooner for the members added since. */
  #stopAt = 0;

  /** `stepChars`: about how many characters are read in one step; not infinite for a text in pieces. */
  constructor(text: string | TextPieces, options: JsonReaderOptions, stepChars = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#stepChars = stepChars;
    if (typeof text === 'string') this.#text = text;
    else {
      this.#text = '';
      this.#more = text();
      this.#aheadChars = Math.max(stepChars, shortNumberChars) + tokenChars;
    }
  }

  /** The current offset in the text. */
  get offset(): number {
    return this.#before + this.#at;
  }

  /** Whether only white space is left. */
  atEnd(): boolean {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }

  /** @throws JsonSyntaxError */
  next(): JsonValue {
    const step = this.nextInSteps().next();
    if (step.done !== true) throw new Error('a reader without steps stopped early');
    return step.value;
  }

  /**
   * Like `next`, in steps, even within a value, so that a long one can be read in turns. Yields the current offset.
   *
   * @throws JsonFault instead of JsonSyntaxError beyond the first step.
   */
  *nextInSteps(): Generator<number, JsonValue> {
    const stepChars = this.#stepChars;
    /** The containers around the current value, the outermost first. */
    const around: Container[] = [];
    this.#stopAt = this.#at + stepChars;
    for (;;) {
      if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
      const parent = around.at(-1);
      if (parent?.kind === 'object') {
        const nameAt = this.#at;
        this.#takeName(parent, this.#name(stepChars) ?? (yield* this.#longString(stepChars)), nameAt);
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
        this.#takeColon();
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
      }
      let value: JsonValue;
      let bytes: number;
      const container = this.#containerBegun(around);
      if (container === undefined) {
        const scalar = this.#scalar(stepChars);
        value = scalar === undefined ? yield* this.#longScalar(stepChars) : scalar;
        bytes = scalarBytes(value);
      } else {
        this.#at++;
        if (++this.#containers > fewMembers) this.#stopAt -= containerWork;
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
        if (this.#text.charCodeAt(this.#at) !== container.close) {
          around.push(container);
          continue;
        }
        this.#at++;
        value = container.value;
        bytes = bracketBytes(value);
      }
      // A complete value may be the last one of its container, which is then complete too.
      for (let within = around.at(-1); ; within = around.at(-1)) {
        if (within === undefined) return value;
        this.#add(within, value, bytes);
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
        if (this.#hasAnother(within.close)) break;
        value = closed(within);
        bytes = within.bytes + bracketBytes(value);
        around.pop();
      }
      if (this.#at >= this.#stopAt) {
        yield this.offset;
        this.#stopAt = this.#at + stepChars;
      }
    }
  }

  /** Skips white space of any length, in steps. */
  *skipSpaceInSteps(): Generator<number, void> {
    if (this.#skipSpace(this.#stepChars)) yield* this.#longSpace(this.#stepChars);
  }

  *#longSpace(stepChars: number): Generator<number, void> {
    do {
      yield this.offset;
      this.#stopAt = this.#at + stepChars;
    } while (this.#skipSpace(stepChars));
  }

  /** Makes the error for unexpected text at the current offset. */
  unexpected(expected: string): JsonSyntaxError | JsonFault {
    const found =
      this.#at >= this.#text.length
        ? 'the end of the text'
        : `'${String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)}'`;
    return this.#error('syntax', `expected ${expected}, found ${found}`);
  }

  /** The array or object that begins here; undefined if none begins here. */
  #containerBegun(around: readonly Container[]): Container | undefined {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== openBrace && code !== openBracket) return undefined;
    if (around.length >= this.#options.depthMax) {
      throw this.#error('depth', `arrays and objects are nested more than ${this.#options.depthMax} deep`);
    }
    const aroundEvents = aroundEventsAt(around.at(-1), this.#options.aroundEvents, code === openBracket);
    if (code === openBracket) return { kind: 'array', close: closeBracket, value: [], aroundEvents, bytes: 0 };
    const builder = new ObjectBuilder();
    const { object } = builder;
    return {
      kind: 'object',
      close: closeBrace,
      value: object,
      builder,
      name: '',
      members: 0,
      aroundEvents,
      bytes: 0,
    };
  }

  /** `bytes`: of the value, at least. */
  #add(container: Container, value: JsonValue, bytes: number): void {
    const { duplicateKeys, membersMax, elementsMax, inEventBytesMax } = this.#options;
    if (container.bytes > inEventBytesMax && container.aroundEvents === null) {
      markCut(container.value);
      return;
    }
    if (container.kind === 'array') {
      if (container.value.length < elementsMax) {
        container.bytes += container.value.length === 0 ? bytes : bytes + 1;
        container.value.push(value);
      } else markCut(container.value);
      return;
    }
    if (duplicateKeys === 'first' && Object.hasOwn(container.value, container.name)) return;
    if (membersMax < Number.POSITIVE_INFINITY && !Object.hasOwn(container.value, container.name)) {
      if (container.members === membersMax) {
        markCut(container.value);
        return;
      }
      if (container.members++ >= fewMembers) this.#stopAt -= memberWork;
    }
    if (inEventBytesMax < Number.POSITIVE_INFINITY) {
      countMember(container, value, bytes, this.#options.areNamesCounted);
    }
    container.builder.set(container.name, value);
  }

  /** Undefined, without reading anything, for a string or number that is longer than `charsMax`. */
  #scalar(charsMax: number): JsonValue | undefined {
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#string(charsMax);
    if (code === minus || isDigit(code)) return this.#number(Math.max(charsMax, shortNumberChars));
    if (this.#text.startsWith('true', this.#at)) return this.#word('true', true);
    if (this.#text.startsWith('false', this.#at)) return this.#word('false', false);
    if (this.#text.startsWith('null', this.#at)) return this.#word('null', null);
    throw this.unexpected('a JSON value');
  }

  #word<T>(word: string, value: T): T {
    this.#at += word.length;
    return value;
  }

  /** Undefined for a name that is longer than `charsMax`. */
  #name(charsMax: number): string | undefined {
    if (this.#text.charCodeAt(this.#at) !== quote) throw this.unexpected('a member name in double quotes');
    return this.#string(charsMax);
  }

  /** Stores the name of a member. */
  #takeName(parent: Extract<Container, { kind: 'object' }>, name: string, nameAt: number): void {
    if (this.#options.duplicateKeys === 'error' && Object.hasOwn(parent.value, name)) {
      this.#at = nameAt;
      throw this.#error('duplicate_key', `the member ${JSON.stringify(name)} appears twice in one object`);
    }
    parent.name = name;
  }

  #takeColon(): void {
    if (this.#text.charCodeAt(this.#at) !== colon) throw this.unexpected("':'");
    this.#at++;
  }

  /** Steps over the comma or bracket after an element or member. Returns whether it was a comma. */
  #hasAnother(close: number): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== comma && code !== close) throw this.unexpected(`',' or '${String.fromCharCode(close)}'`);
    this.#at++;
    return code !== close;
  }

  /** Undefined for a string that is longer than `charsMax`. */
  #string(charsMax: number): string | undefined {
    const text = this.#text;
    const start = this.#at + 1;
    for (let at = start; at - start <= charsMax; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        return wellFormed(text.slice(start, at));
      }
      if (code === backslash) return this.#stringWithEscapes(start, at, charsMax);
      // Also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20)) throw this.#unfinishedString(at);
    }
    return undefined;
  }

  /** Checks the string and decodes it with `JSON.parse`, which is many times faster for strings with many escapes. */
  #stringWithEscapes(start: number, firstEscape: number, charsMax: number): string | undefined {
    const text = this.#text;
    let at = firstEscape;
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      if (at - start > charsMax) return undefined;
      // Also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20)) throw this.#unfinishedString(at);
      at += code === backslash ? this.#escapeLength(at) : 1;
    }
    this.#at = at + 1;
    return wellFormed(JSON.parse(text.slice(start - 1, at + 1)) as string);
  }

  /** Adds pieces to the part until it has enough characters from the current one on, or there are no more. */
  #fill(): void {
    while (this.#more !== null && this.#text.length - this.#at < this.#aheadChars) {
      const piece = this.#more.next();
      if (piece.done === true) {
        this.#more = null;
        this.#aheadChars = 0;
        return;
      }
      // Unlike `+`, it makes one string whose characters are read fast.
      this.#text = [this.#text.slice(this.#at), piece.value].join('');
      this.#before += this.#at;
      this.#stopAt -= this.#at;
      this.#at = 0;
    }
  }

  #longScalar(stepChars: number): Generator<number, JsonValue> {
    return this.#text.charCodeAt(this.#at) === quote ? this.#longString(stepChars) : this.#longNumber(stepChars);
  }

  /** Like `#string`, for any length; stops about every `stepChars`. Keeps the start of a string that no event can hold. */
  *#longString(stepChars: number): Generator<number, string> {
    const keptMax = this.#options.inEventBytesMax;
    const pieces: string[] = [];
    let kept = 0;
    const start = this.#at + 1;
    let pieceAt = start;
    let hasEscapes = false;
    let at = pieceAt;
    /** The first half of a pair, if the last piece ended with one: the next piece may begin with the other. */
    let half = '';
    /** Whether the string is written as it is, so that a slice of the part has it without a copy. */
    let isAsWritten = true;
    const add = (read: string): void => {
      const formed = wellFormed(read);
      isAsWritten &&= !hasEscapes && formed === read;
      pieces.push(formed);
      kept += formed.length;
    };
    const piece = (): string => {
      const written = this.#text.slice(pieceAt, at);
      return half + (hasEscapes ? (JSON.parse(`"${written}"`) as string) : written);
    };
    for (let code = this.#text.charCodeAt(at); code !== quote; code = this.#text.charCodeAt(at)) {
      // Also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20)) throw this.#unfinishedString(at);
      hasEscapes ||= code === backslash;
      at += code === backslash ? this.#escapeLength(at) : 1;
      if (at - pieceAt < stepChars || at < this.#stopAt) continue;
      if (kept <= keptMax) {
        const read = piece();
        half = (read.charCodeAt(read.length - 1) & 0xfc00) === 0xd800 ? read.slice(-1) : '';
        add(read.slice(0, read.length - half.length));
      }
      this.#at = at;
      this.#fill();
      if (this.#at < at) {
        isAsWritten = false;
        at = this.#at;
      }
      yield this.offset;
      this.#stopAt = at + stepChars;
      pieceAt = at;
      hasEscapes = false;
    }
    if (kept <= keptMax) add(piece());
    this.#at = at + 1;
    return isAsWritten && kept <= keptMax ? this.#text.slice(start, at) : pieces.join('');
  }

  #escapeLength(at: number): number {
    const kind = this.#text.charAt(at + 1);
    if (escaped.has(kind)) return 2;
    const digits = [at + 2, at + 3, at + 4, at + 5];
    if (kind === 'u' && digits.every((digit) => isHexadecimal(this.#text.charCodeAt(digit)))) return 6;
    this.#at = at;
    throw this.#error('syntax', 'an escape in a string is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX');
  }

  #unfinishedString(at: number): JsonSyntaxError | JsonFault {
    this.#at = at;
    if (at >= this.#text.length) return this.#error('syntax', 'the text ends inside a string');
    return this.#error('syntax', 'a string has an unescaped control character');
  }

  /** Undefined for a number that is longer than `charsMax`. */
  #number(charsMax: number): number | bigint | undefined {
    const text = this.#text;
    const start = this.#at;
    const end = start + charsMax;
    let at = start;
    if (text.charCodeAt(at) === minus) at++;
    const integerStart = at;
    this.#refuseLeadingZero(at);
    at = this.#digits(at, end);
    const integerEnd = at;
    if (at <= end && text.charCodeAt(at) === point) at = this.#digits(at + 1, end);
    if (at <= end && isExponentMark(text.charCodeAt(at))) at = this.#digits(this.#exponentAt(at), end);
    if (at > end) {
      this.#at = start;
      return undefined;
    }
    this.#at = at;
    const token = text.slice(start, at);
    if (at > integerEnd || integerEnd - integerStart <= exactDigitsMax) return Number(token);
    return exactInteger(token);
  }

  /** Like `#number`, for more than `shortNumberChars`; stops about every `stepChars`. */
  *#longNumber(stepChars: number): Generator<number, number> {
    const isNegative = this.#text.charCodeAt(this.#at) === minus;
    const decimal = new LongDecimal(isNegative);
    if (isNegative) this.#at++;
    this.#refuseLeadingZero(this.#at);
    yield* this.#longDigits(stepChars, (text, from, to) => decimal.addInteger(text, from, to));
    if (this.#text.charCodeAt(this.#at) === point) {
      this.#at++;
      yield* this.#longDigits(stepChars, (text, from, to) => decimal.addFraction(text, from, to));
    }
    if (isExponentMark(this.#text.charCodeAt(this.#at))) {
      this.#at = this.#exponentAt(this.#at);
      decimal.isExponentNegative = this.#text.charCodeAt(this.#at - 1) === minus;
      yield* this.#longDigits(stepChars, (text, from, to) => decimal.addExponent(text, from, to));
    }
    return decimal.value();
  }

  /** Reads digits; `add` takes them part by part. */
  *#longDigits(stepChars: number, add: (text: string, from: number, to: number) => void): Generator<number, void> {
    for (;;) {
      const end = this.#digits(this.#at, this.#at + stepChars);
      add(this.#text, this.#at, end);
      this.#at = end;
      this.#fill();
      if (!isDigit(this.#text.charCodeAt(this.#at))) return;
      yield this.offset;
      this.#stopAt = this.#at + stepChars;
    }
  }

  #refuseLeadingZero(at: number): void {
    if (this.#text.charCodeAt(at) !== zero || !isDigit(this.#text.charCodeAt(at + 1))) return;
    this.#at = at;
    throw this.#error('syntax', 'a number has a leading zero');
  }

  /** Start of the digits of the exponent whose mark is at `at`. */
  #exponentAt(at: number): number {
    const sign = this.#text.charCodeAt(at + 1);
    return sign === minus || sign === plus ? at + 2 : at + 1;
  }

  /** End of the digits from `at` on; not much beyond `stopAt`. Throws if there is none. */
  #digits(at: number, stopAt: number): number {
    if (!isDigit(this.#text.charCodeAt(at))) {
      this.#at = at;
      throw this.unexpected('a digit');
    }
    let end = at + 1;
    while (end <= stopAt && isDigit(this.#text.charCodeAt(end))) end++;
    return end;
  }

  /** Skips white space, about `charsMax` characters of it. Returns whether there is more. A short token can be read then. */
  #skipSpace(charsMax = Number.POSITIVE_INFINITY): boolean {
    if (this.#text.length - this.#at < this.#aheadChars) this.#fill();
    const end = this.#at + charsMax;
    for (; isSpace(this.#text.charCodeAt(this.#at)); this.#at++) if (this.#at > end) return true;
    if (this.#text.length - this.#at < this.#aheadChars) this.#fill();
    return false;
  }

  /** Finding the place in a long text takes long, so `placed` must find it in steps. */
  #error(problem: JsonProblem, reason: string): JsonSyntaxError | JsonFault {
    const { offset } = this;
    if (offset > this.#stepChars || this.#before > 0) return new JsonFault(problem, reason, offset);
    const rest = this.#text.slice(offset, offset + tokenUnits);
    return new JsonSyntaxError(problem, reason, offset, textPlace(this.#text, offset), rest);
  }
}

function exactInteger(token: string): number | bigint {
  const double = Number(token);
  if (Number.isSafeInteger(double)) return double;
  // More digits than 64 bits can have. Do not build a huge bigint from a hostile token.
  if (token.length > 20) return double;
  const exact = BigInt(token);
  return exact >= int64Min && exact <= uint64Max ? exact : double;
}

/** Replaces lone surrogates by U+FFFD. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
