import { isValueMember, namedValueHint, namedValuesIn } from './namedValues.ts';

/** What becomes of the parts of a JSON text. Undefined leaves the part as it is, byte for byte. */
export interface JsonRewrite {
  /** The kind of a member that is personal by its name; what is below it gets the same `personal`. */
  kindOf(name: string, above: readonly string[]): string | undefined;
  string(content: string, personal: string | undefined, place: JsonPlace): string | undefined;
  /** For names of members, below those of `above`; without it they stay. */
  name?(content: string, above: readonly string[]): string | undefined;
}

export interface JsonPlace {
  /** The members that something stands below, outermost first. */
  readonly path: readonly string[];
  /** How many containers it stands in. */
  readonly depth: number;
}

/**
 * Containers within containers, at most, JSON texts within JSON texts counted through; what is deeper is
 * not read as JSON. Events have 200, twice that in the records profile; the stack holds some thousands.
 */
const depthMax = 1_000;

/**
 * A JSON text (RFC 8259) with strings rewritten, numbers under personal members as null, and every other
 * byte as it was, white space and the spelling of numbers included; undefined if the text is not JSON.
 * `place` is that of the text itself, `personal` the kind of what stands there, where it is personal.
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
  /** Of objects that name their value as personal, by the place of their bracket. */
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

  /** Steps over a value; false where there is none. */
  #value(personal: string | undefined): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 0x22) return this.#leaf(personal);
    if (code === 0x7b) {
      const kindOfValue = this.#namedValues.get(this.#at);
      return this.#container(() => this.#member(personal, kindOfValue), '}');
    }
    if (code === 0x5b) return this.#container(() => this.#value(personal), ']');
    const from = this.#at;
    if (this.#step(number)) {
      if (personal !== undefined) this.#replace(from, 'null');
      return true;
    }
    return this.#step(word);
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

  /** Steps over a string and rewrites it; its content as it was, or undefined where it is malformed. */
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

  /** Puts `replacement` in place of what lies between `from` and the present place. */
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
