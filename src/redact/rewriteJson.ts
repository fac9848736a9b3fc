import { isMixed } from './detectors/secretValues.ts';
import { isHeaderList, isSecretHeader, mayNameNext } from './namedPairs.ts';
import { isValueMember, namedValueHint, namedValuesIn } from './namedValues.ts';

/** Rewrites the parts of a JSON text. Undefined keeps a part byte for byte. */
export interface JsonRewrite {
  /** The kind of a member that is personal by name; everything below it gets the same `personal`. */
  kindOf(name: string, above: readonly string[]): string | undefined;
  string(content: string, personal: string | undefined, place: JsonPlace): string | undefined;
  /** Whether a number is a secret although its member is not personal by name. */
  isSecretNumber?(digits: string, path: readonly string[]): boolean;
  /** Rewrites member names, which are below `above`. Without it, names stay. */
  name?(content: string, above: readonly string[]): string | undefined;
}

export interface JsonPlace {
  /** The enclosing members, outermost first. */
  readonly path: readonly string[];
  /** The number of enclosing containers. */
  readonly depth: number;
}

/**
 * The deepest nesting of containers, counted through JSON texts within JSON texts; deeper text is not treated as JSON.
 * Events have up to 200 levels, twice that in the records profile; the stack allows some thousands.
 */
const depthMax = 1_000;

/**
 * Rewrites the strings of a JSON text (RFC 8259) and replaces numbers below personal members with null. All other bytes
 * stay, including white space and the spelling of numbers. Undefined if the text is not JSON. `place` is the place of the
 * text itself, `personal` its kind if it is personal.
 */
export function rewriteJson(
  text: string,
  rewrite: JsonRewrite,
  place: JsonPlace = outermost,
  personal?: string,
): string | undefined {
  return new JsonRewriter(text, rewrite, place).run(personal);
}

const outermost: JsonPlace = { path: [], depth: 0 };
const noNamedValues: ReadonlyMap<number, string> = new Map();

class JsonRewriter {
  readonly #text: string;
  readonly #rewrite: JsonRewrite;
  readonly #path: string[];
  /** The kinds of objects that name their value as personal, by the offset of their bracket. */
  readonly #namedValues: ReadonlyMap<number, string>;
  #at = 0;
  #copied = 0;
  #result = '';
  #depth: number;

  constructor(text: string, rewrite: JsonRewrite, { path, depth }: JsonPlace) {
    this.#text = text;
    this.#rewrite = rewrite;
    this.#path = [...path];
    this.#depth = depth;
    this.#namedValues = namedValueHint.test(text)
      ? namedValuesIn(text, (name, above) => rewrite.kindOf(name, above), path)
      : noNamedValues;
  }

  run(personal: string | undefined): string | undefined {
    this.#skipSpace();
    if (!this.#value(personal)) return undefined;
    this.#skipSpace();
    if (this.#at < this.#text.length) return undefined;
    return this.#copied === 0 ? this.#text : this.#result + this.#text.slice(this.#copied);
  }

  /** Reads a value; false if there is none. */
  #value(personal: string | undefined): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 0x22) return this.#leaf(personal);
    if (code === 0x7b) {
      const kindOfValue = this.#namedValues.get(this.#at);
      return this.#container(() => this.#member(personal, kindOfValue), '}');
    }
    if (code === 0x5b) return this.#array(personal);
    const from = this.#at;
    if (this.#step(number)) {
      const isSecret = personal !== undefined || this.#isSecretNumber(from);
      if (isSecret) this.#replace(from, 'null');
      return true;
    }
    return this.#step(word);
  }

  #isSecretNumber(from: number): boolean {
    return this.#rewrite.isSecretNumber?.(this.#text.slice(from, this.#at), this.#path) === true;
  }

  /** The name of a secret may be the element before its value: `["Cookie", "…"]`, `["Host", "…", "Cookie", "…"]`. */
  #array(personal: string | undefined): boolean {
    if (personal !== undefined) return this.#container(() => this.#value(personal), ']');
    const start = this.#at;
    let isHeaders: boolean | undefined;
    let named: string | undefined;
    let index = 0;
    return this.#container(() => {
      const from = this.#at;
      if (!this.#value(named)) return false;
      named = undefined;
      if (index % 2 === 0 && this.#text.charCodeAt(from) === 0x22) {
        const name = this.#text.slice(from + 1, this.#at - 1);
        const kind = mayNameNext(name) ? this.#rewrite.kindOf(name, this.#path) : undefined;
        if (kind !== undefined && kindsOfPairs.has(kind)) {
          isHeaders ??= this.#isHeaderList(start);
          named = this.#isNamed(index, isHeaders) ? kind : undefined;
        }
      }
      if (named === undefined && this.#text.charCodeAt(from + 1) === 0x2d) named = this.#namedByOption(from);
      index++;
      return true;
    }, ']');
  }

  /** The kind of the argument after an option that names a secret: `["--password", "…"]`. */
  #namedByOption(from: number): string | undefined {
    const name = option.exec(this.#text.slice(from, this.#at))?.[1];
    const value = name === undefined ? undefined : matchAt(nextArgument, this.#text, this.#at)?.[1];
    if (name === undefined || value === undefined) return undefined;
    // As in text, a token by itself may be public.
    return this.#rewrite.kindOf(name, this.#path) ?? (name === 'token' && isMixed.test(value) ? 'key' : undefined);
  }

  /** Whether the element after the current one is a secret that the current one names. */
  #isNamed(index: number, isHeaders: boolean): boolean {
    const rest = matchAt(nextElement, this.#text, this.#at);
    if (rest === null) return false;
    const [, value, closing] = rest;
    // The values of a name, as in `["Set-Cookie", ["…", "…"]]`.
    if (value === undefined) return index === 0;
    const isPair = index === 0 && closing === ']';
    if (!isPair && !isHeaders) return false;
    const isSure = isPair || isHeaderList(this.#path.at(-1) ?? '');
    return isSecretHeader(value, { isPair: isSure }, (name) => this.#rewrite.kindOf(name, this.#path) !== undefined);
  }

  /** Whether the array that starts at an offset holds names of headers and their values in turn. */
  #isHeaderList(start: number): boolean {
    if (isHeaderList(this.#path.at(-1) ?? '')) return true;
    return matchAt(namesAndValues, this.#text, start) !== null;
  }

  #leaf(personal: string | undefined): boolean {
    const place = { path: this.#path, depth: this.#depth };
    return this.#string((content) => this.#rewrite.string(content, personal, place)) !== undefined;
  }

  #container(element: () => boolean, close: string): boolean {
    if (this.#depth >= depthMax) return false;
    this.#depth++;
    this.#at++;
    this.#skipSpace();
    if (this.#text.charAt(this.#at) !== close) {
      for (;;) {
        if (!element()) return false;
        this.#skipSpace();
        if (this.#text.charAt(this.#at) === close) break;
        if (this.#text.charAt(this.#at) !== ',') return false;
        this.#at++;
        this.#skipSpace();
      }
    }
    this.#at++;
    this.#depth--;
    return true;
  }

  #member(personal: string | undefined, kindOfValue: string | undefined): boolean {
    if (this.#text.charCodeAt(this.#at) !== 0x22) return false;
    const { name: rewrite } = this.#rewrite;
    const name = this.#string(rewrite === undefined ? undefined : (content) => rewrite(content, this.#path));
    this.#skipSpace();
    if (name === undefined || this.#text.charAt(this.#at) !== ':') return false;
    this.#at++;
    this.#skipSpace();
    const kind =
      personal ??
      this.#rewrite.kindOf(name, this.#path) ??
      (kindOfValue !== undefined && isValueMember(name) ? kindOfValue : undefined);
    this.#path.push(name);
    const isValue = this.#value(kind);
    this.#path.pop();
    return isValue;
  }

  /** Reads and rewrites a string. Returns its original content, or undefined if it is malformed. */
  #string(rewrite: ((content: string) => string | undefined) | undefined): string | undefined {
    const from = this.#at;
    let at = from + 1;
    let isEscaped = false;
    for (let code = this.#text.charCodeAt(at); code !== 0x22; code = this.#text.charCodeAt(++at)) {
      // Also true at the end of the text, where the code is NaN.
      if (!(code >= 0x20)) return undefined;
      if (code !== 0x5c) continue;
      isEscaped = true;
      at++;
    }
    this.#at = at + 1;
    const content = isEscaped ? unescaped(this.#text.slice(from, at + 1)) : this.#text.slice(from + 1, at);
    if (content === undefined) return undefined;
    const rewritten = rewrite?.(content);
    if (rewritten !== undefined && rewritten !== content) this.#replace(from, JSON.stringify(rewritten));
    return content;
  }

  /** Replaces the text from `from` to the current offset. */
  #replace(from: number, replacement: string): void {
    this.#result += this.#text.slice(this.#copied, from) + replacement;
    this.#copied = this.#at;
  }

  #step(token: RegExp): boolean {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) return false;
    this.#at = token.lastIndex;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }
}

/** Kinds of members that are also looked for in lists. Other detectors find the rest by themselves. */
const kindsOfPairs: ReadonlySet<string> = new Set(['key', 'field']);

const option = /^"--?([A-Za-z][\w.-]{0,63})"$/;
const nextArgument = /\s*,\s*"(?![-$"])((?:[^"\\]|\\.)*)"/y;

/** The next element if it is a text, with the bracket of a list that ends there, or the bracket of a list. */
const nextElement = /\s*,\s*(?:"((?:[^"\\]|\\.)*)"\s*(\]?)|\[)/y;
const namesAndValues = /\[(?:\s*"[:\w.-]{1,128}"\s*,\s*"(?:[^"\\]|\\.)*"\s*(?:,(?!\s*\])|(?=\])))+\]/y;

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

function unescaped(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
