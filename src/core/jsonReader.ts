import { JsonSyntaxError } from './jsonSyntaxError.ts';
import { type JsonValue, markMembersLeftOut, newJsonObject, setMember } from './jsonValue.ts';

export interface JsonReaderOptions {
  /** Which of several members with the same name counts, or whether they are an error. */
  readonly duplicateKeys: 'first' | 'last' | 'error';
  /** Most levels of nested containers. */
  readonly depthMax: number;
  /**
   * Most members of an object; further ones are parsed but left out. For callers that refuse objects with more members
   * anyway, because building such an object and listing its names takes long.
   */
  readonly membersMax: number;
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/** Any integer of up to 15 digits is exact as a double. */
const exactDigitsMax = 15;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;

/** An object with more members takes longer for each of them. */
const fewMembers = 1_000;
/** The work of adding another member to it, expressed as characters that take as long. */
const memberWork = 50;

/** The characters that may follow a backslash, except `u`. */
const escaped: ReadonlySet<string> = new Set('"\\/bfnrt');

/** A container that is being read, and its closing bracket. */
type Container =
  | { readonly kind: 'array'; readonly close: number; readonly value: JsonValue[] }
  /** `name` is that of the member whose value comes next. */
  | {
      readonly kind: 'object';
      readonly close: number;
      readonly value: Record<string, JsonValue>;
      name: string;
      members: number;
    };

/**
 * Reads consecutive JSON values (RFC 8259) from a text without losing digits. Integers from -2^63 to 2^64-1 that a double
 * cannot hold become bigints. Every other number becomes a double, infinite if it is too large. Lone surrogates become
 * U+FFFD.
 */
export class JsonReader {
  readonly #text: string;
  readonly #options: JsonReaderOptions;
  #at = 0;
  /** Offset at which to yield next, or sooner for the members added since. */
  #stopAt = 0;

  constructor(text: string, options: JsonReaderOptions) {
    this.#text = text;
    this.#options = options;
  }

  /** The current offset in the text. */
  get offset(): number {
    return this.#at;
  }

  /** Whether only white space is left. */
  atEnd(): boolean {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }

  /** @throws JsonSyntaxError */
  next(): JsonValue {
    const step = this.nextInSteps(Number.POSITIVE_INFINITY).next();
    if (step.done !== true) throw new Error('a reader without steps stopped early');
    return step.value;
  }

  /**
   * Like `next`, but stops about every `stepChars`, even within a value, so that a long one can be read in turns. Yields
   * the current offset.
   */
  *nextInSteps(stepChars: number): Generator<number, JsonValue> {
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
      const container = this.#containerBegun(around.length + 1);
      if (container === undefined) {
        const scalar = this.#scalar(stepChars);
        value = scalar === undefined ? yield* this.#longString(stepChars) : scalar;
      } else {
        this.#at++;
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
        if (this.#text.charCodeAt(this.#at) !== container.close) {
          around.push(container);
          continue;
        }
        this.#at++;
        value = container.value;
      }
      // A complete value may be the last one of its container, which is then complete too.
      for (let within = around.at(-1); ; within = around.at(-1)) {
        if (within === undefined) return value;
        this.#add(within, value);
        if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
        if (this.#hasAnother(within.close)) break;
        value = within.value;
        around.pop();
      }
      if (this.#at >= this.#stopAt) {
        yield this.#at;
        this.#stopAt = this.#at + stepChars;
      }
    }
  }

  /** Skips white space of any length; stops every `stepChars`. */
  *skipSpaceInSteps(stepChars: number): Generator<number, void> {
    if (this.#skipSpace(stepChars)) yield* this.#longSpace(stepChars);
  }

  *#longSpace(stepChars: number): Generator<number, void> {
    do {
      yield this.#at;
      this.#stopAt = this.#at + stepChars;
    } while (this.#skipSpace(stepChars));
  }

  /** Makes the error for unexpected text at the current offset. */
  unexpected(expected: string): JsonSyntaxError {
    const found =
      this.#at >= this.#text.length
        ? 'the end of the text'
        : `'${String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)}'`;
    return this.#error('syntax', `expected ${expected}, found ${found}`);
  }

  /** The array or object that begins here, at nesting level `depth`; undefined if none begins here. */
  #containerBegun(depth: number): Container | undefined {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== openBrace && code !== openBracket) return undefined;
    if (depth > this.#options.depthMax) {
      throw this.#error('depth', `arrays and objects are nested more than ${this.#options.depthMax} deep`);
    }
    return code === openBrace
      ? { kind: 'object', close: closeBrace, value: newJsonObject(), name: '', members: 0 }
      : { kind: 'array', close: closeBracket, value: [] };
  }

  #add(container: Container, value: JsonValue): void {
    if (container.kind === 'array') {
      container.value.push(value);
      return;
    }
    const { duplicateKeys, membersMax } = this.#options;
    if (duplicateKeys === 'first' && Object.hasOwn(container.value, container.name)) return;
    if (membersMax < Number.POSITIVE_INFINITY && !Object.hasOwn(container.value, container.name)) {
      if (container.members === membersMax) {
        markMembersLeftOut(container.value);
        return;
      }
      if (container.members++ >= fewMembers) this.#stopAt -= memberWork;
    }
    setMember(container.value, container.name, value);
  }

  /** Undefined, without reading anything, for a string that is longer than `charsMax`. */
  #scalar(charsMax: number): JsonValue | undefined {
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#string(charsMax);
    if (code === minus || (code >= zero && code <= nine)) return this.#number();
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

  /** Like `#string`, for any length; stops about every `stepChars`. */
  *#longString(stepChars: number): Generator<number, string> {
    const text = this.#text;
    const pieces: string[] = [];
    let pieceAt = this.#at + 1;
    let hasEscapes = false;
    let at = pieceAt;
    /** The first half of a pair, if the last piece ended with one: the next piece may begin with the other. */
    let half = '';
    const piece = (): string => {
      const written = text.slice(pieceAt, at);
      return half + (hasEscapes ? (JSON.parse(`"${written}"`) as string) : written);
    };
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      // Also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20)) throw this.#unfinishedString(at);
      hasEscapes ||= code === backslash;
      at += code === backslash ? this.#escapeLength(at) : 1;
      if (at - pieceAt < stepChars || at < this.#stopAt) continue;
      const read = piece();
      half = (read.charCodeAt(read.length - 1) & 0xfc00) === 0xd800 ? read.slice(-1) : '';
      pieces.push(wellFormed(read.slice(0, read.length - half.length)));
      yield at;
      this.#stopAt = at + stepChars;
      pieceAt = at;
      hasEscapes = false;
    }
    pieces.push(wellFormed(piece()));
    this.#at = at + 1;
    return pieces.join('');
  }

  #escapeLength(at: number): number {
    const kind = this.#text.charAt(at + 1);
    if (escaped.has(kind)) return 2;
    const digits = [at + 2, at + 3, at + 4, at + 5];
    if (kind === 'u' && digits.every((digit) => isHexadecimal(this.#text.charCodeAt(digit)))) return 6;
    this.#at = at;
    throw this.#error('syntax', 'an escape in a string is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX');
  }

  #unfinishedString(at: number): JsonSyntaxError {
    this.#at = at;
    if (at >= this.#text.length) return this.#error('syntax', 'the text ends inside a string');
    return this.#error('syntax', 'a string has an unescaped control character');
  }

  #number(): number | bigint {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    if (text.charCodeAt(at) === minus) at++;
    const integerStart = at;
    at = this.#digits(at);
    if (text.charCodeAt(integerStart) === zero && at > integerStart + 1) {
      this.#at = integerStart;
      throw this.#error('syntax', 'a number has a leading zero');
    }
    const integerEnd = at;
    if (text.charCodeAt(at) === point) at = this.#digits(at + 1);
    const exponent = text.charCodeAt(at) | 0x20;
    if (exponent === 0x65) {
      const sign = text.charCodeAt(at + 1);
      at = this.#digits(sign === minus || sign === 0x2b ? at + 2 : at + 1);
    }
    this.#at = at;
    const token = text.slice(start, at);
    if (at > integerEnd || integerEnd - integerStart <= exactDigitsMax) return Number(token);
    return exactInteger(token);
  }

  /** End of the digits from `at` on. Throws if there is none. */
  #digits(at: number): number {
    let end = at;
    for (let code = this.#text.charCodeAt(end); code >= zero && code <= nine; code = this.#text.charCodeAt(end)) end++;
    if (end === at) {
      this.#at = at;
      throw this.unexpected('a digit');
    }
    return end;
  }

  /** Skips white space, about `charsMax` characters of it. Returns whether there is more. */
  #skipSpace(charsMax = Number.POSITIVE_INFINITY): boolean {
    const end = this.#at + charsMax;
    for (; isSpace(this.#text.charCodeAt(this.#at)); this.#at++) if (this.#at > end) return true;
    return false;
  }

  #error(problem: JsonSyntaxError['problem'], reason: string): JsonSyntaxError {
    return new JsonSyntaxError(problem, reason, this.#text, this.#at);
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function isHexadecimal(code: number): boolean {
  const lower = code | 0x20;
  return (code >= zero && code <= nine) || (lower >= 0x61 && lower <= 0x66);
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
