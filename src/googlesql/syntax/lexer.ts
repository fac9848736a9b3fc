import { reservedWords } from './keywords.ts';
import type { LineMap } from './lineMap.ts';
import type { NoticeList } from './notice.ts';
import { type QuotedForm, scanQuoted } from './scanQuoted.ts';
import { refusalAt, syntaxError } from './syntaxError.ts';
import type { Token, TokenKind } from './token.ts';

const numberPattern = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const wordPattern = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Reserved words that end a value. */
const valueWords: ReadonlySet<string> = new Set(['END', 'NULL', 'TRUE', 'FALSE']);
const fieldPattern = /[A-Za-z0-9_]+/y;
const quotedPrefixPattern = /(?:[rR][bB]?|[bB][rR]?)?(?=['"])/y;
/** Ends at LF, CR or CR LF: after a lone CR, the rest of the text must not be a comment. */
const lineCommentPattern = /[^\n\r]*/y;
const blankPattern = /[\s\u0085\ufeff]+/y;
const twoCharSymbols: ReadonlySet<string> = new Set(['<=', '>=', '<>', '!=', '<<', '>>', '||', '|>', '=>', '::']);
const oneCharSymbols: ReadonlySet<string> = new Set('()[]{},.;:+-*/&|^~=<>');
const uint64Max = 2n ** 64n - 1n;

/**
 * Splits a text into tokens by GoogleSQL's lexical rules, without comments; the last token has the kind `end`.
 * Throws ServiceError `sql.syntax`, and `sql.unsupported` for `@@variables`, `?` parameters and `@{hints}`.
 */
export function tokenize(text: string, lines: LineMap, notices: NoticeList): Token[] {
  return new Lexer(text, lines, notices).run();
}

class Lexer {
  readonly #text: string;
  readonly #lines: LineMap;
  readonly #notices: NoticeList;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string, lines: LineMap, notices: NoticeList) {
    this.#text = text;
    this.#lines = lines;
    this.#notices = notices;
  }

  run(): Token[] {
    const text = this.#text;
    for (;;) {
      this.#skipBlanksAndComments();
      if (this.#at >= text.length) break;
      this.#token(text.charCodeAt(this.#at));
    }
    this.#push('end', text.length, '', '', '');
    return this.#tokens;
  }

  #token(code: number): void {
    const char = this.#text.charAt(this.#at);
    if (isWordStart(code)) {
      if (!'rRbB'.includes(char) || !this.#quoted()) this.#word();
    } else if (char === "'" || char === '"') {
      this.#quoted();
    } else if (char === '.' && isDigit(this.#text.charCodeAt(this.#at + 1)) && this.#isBehindName()) {
      this.#fieldWithDigit();
    } else if (isDigit(code) || (char === '.' && isDigit(this.#text.charCodeAt(this.#at + 1)))) {
      this.#number();
    } else if (char === '`') {
      this.#backticked();
    } else if (char === '@') {
      this.#parameter();
    } else {
      this.#symbol(char);
    }
  }

  #push(kind: TokenKind, end: number, text: string, word: string, value: string): void {
    this.#tokens.push({ kind, text, word, value, offset: this.#at, end });
    this.#at = end;
  }

  #skipBlanksAndComments(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a) {
        this.#at++;
      } else if (code === 0x23 || (code === 0x2d && text.charCodeAt(this.#at + 1) === 0x2d)) {
        this.#at = matchEnd(lineCommentPattern, text, this.#at) ?? text.length;
      } else if (code === 0x2f && text.charCodeAt(this.#at + 1) === 0x2a) {
        const close = text.indexOf('*/', this.#at + 2);
        if (close === -1) this.#fail(this.#at, '/*', 'a closing */ for the comment that starts here');
        this.#at = close + 2;
      } else if (code <= 0x20 || code >= 0x80) {
        const end = matchEnd(blankPattern, text, this.#at);
        if (end === undefined) return;
        this.#at = end;
      } else {
        return;
      }
    }
  }

  #word(): void {
    const end = matchEnd(wordPattern, this.#text, this.#at) ?? this.#at + 1;
    const text = this.#text.slice(this.#at, end);
    this.#push('word', end, text, text.toUpperCase(), text);
  }

  /** Behind a dot a name may begin with a digit: `m.404_count` (GoogleSQL, "Path expressions"). */
  #fieldWithDigit(): void {
    this.#symbol('.');
    const end = matchEnd(fieldPattern, this.#text, this.#at) ?? this.#at + 1;
    const text = this.#text.slice(this.#at, end);
    this.#push('word', end, text, text.toUpperCase(), text);
  }

  /** Whether a name or another value with fields ends here: `x.5` is a path, `SELECT.5` is a number. */
  #isBehindName(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined || last.end !== this.#at) return false;
    if (last.kind === 'symbol') return last.text === ')' || last.text === ']';
    if (last.kind !== 'word') return last.kind !== 'integer' && last.kind !== 'float';
    return !reservedWords.has(last.word) || valueWords.has(last.word) || this.#tokens.at(-2)?.text === '.';
  }

  /** Reads a string or bytes literal with its prefix; false if there is none. */
  #quoted(): boolean {
    const quoteAt = matchEnd(quotedPrefixPattern, this.#text, this.#at);
    if (quoteAt === undefined) return false;
    const prefix = this.#text.slice(this.#at, quoteAt).toLowerCase();
    const form = { isRaw: prefix.includes('r'), isBytes: prefix.includes('b') };
    const { value, end } = this.#scan(quoteAt, form);
    const text = this.#text.slice(this.#at, end);
    if (form.isBytes) this.#push('bytes', end, text, '', Buffer.from(value, 'latin1').toString('hex'));
    else this.#push('string', end, text, '', value);
    return true;
  }

  #backticked(): void {
    const { value, end } = this.#scan(this.#at, { isRaw: false, isBytes: false });
    if (value === '') this.#fail(this.#at, '``', 'a name between the backticks');
    this.#push('quoted', end, this.#text.slice(this.#at, end), '', value);
  }

  #scan(quoteAt: number, form: QuotedForm): { readonly value: string; readonly end: number } {
    const result = scanQuoted(this.#text, quoteAt, form);
    if ('expected' in result) this.#fail(result.offset, result.token, result.expected, result.advice);
    const { doubledQuoteAt, unknownEscapeAt } = result;
    if (doubledQuoteAt !== undefined) {
      this.#notices.add('sql.accepted.doubled_quote', () => this.#lines.position(doubledQuoteAt));
    }
    if (unknownEscapeAt !== undefined) {
      this.#notices.add('sql.accepted.unknown_escape', () => this.#lines.position(unknownEscapeAt));
    }
    return result;
  }

  #number(): void {
    let end = matchEnd(numberPattern, this.#text, this.#at) ?? this.#at + 1;
    // In `my-project-1.dataset` the dot separates names.
    if (this.#isBehindDash() && this.#text.charAt(end - 1) === '.' && isWordStart(this.#text.charCodeAt(end))) end--;
    const text = this.#text.slice(this.#at, end);
    if (isWordStart(this.#text.charCodeAt(end))) {
      const wordEnd = matchEnd(wordPattern, this.#text, end) ?? end;
      this.#fail(
        this.#at,
        this.#text.slice(this.#at, wordEnd),
        `a space between the number ${shortened(text)} and the word after it`,
      );
    }
    if (/^0[xX]/.test(text) || /^[0-9]+$/.test(text)) {
      if (text.length > 400 || BigInt(text) > uint64Max) {
        this.#fail(this.#at, text, 'a 64-bit integer', 'Write larger numbers with a fraction or an exponent.');
      }
      this.#push('integer', end, text, '', text);
    } else {
      if (!Number.isFinite(Number(text))) this.#fail(this.#at, text, 'a number that FLOAT64 can hold');
      this.#push('float', end, text, '', text);
    }
  }

  #isBehindDash(): boolean {
    return this.#text.charAt(this.#at - 1) === '-' && /\w/.test(this.#text.charAt(this.#at - 2));
  }

  #parameter(): void {
    const end = matchEnd(wordPattern, this.#text, this.#at + 1);
    if (end !== undefined) {
      const text = this.#text.slice(this.#at, end);
      this.#push('parameter', end, text, '', text.slice(1));
      return;
    }
    const next = this.#text.charAt(this.#at + 1);
    if (next === '@') this.#refuse('System variables (@@name) are not available; write parameters as @name.', '@@');
    if (next === '{') this.#refuse('Hints (@{…}) are not supported; remove them.', '@{');
    this.#fail(this.#at, `@${next}`, 'a parameter name after @');
  }

  #symbol(char: string): void {
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (twoCharSymbols.has(two)) this.#push('symbol', this.#at + 2, two, '', '');
    else if (two === '==') this.#fail(this.#at, two, 'an operator', 'Use = for equality.');
    else if (oneCharSymbols.has(char)) this.#push('symbol', this.#at + 1, char, '', '');
    else if (char === '?') this.#refuse('Positional parameters (?) are not supported; write parameters as @name.', '?');
    else this.#strangeCharacter();
  }

  #strangeCharacter(): never {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    let advice = 'Put names with characters other than letters, digits and _ in backticks.';
    if (/[\u2018\u2019\u201c\u201d]/.test(char)) advice = 'Use straight quotes for strings.';
    else if (!/\p{L}|\p{N}/u.test(char))
      advice = 'This character is allowed only in strings and in names in backticks.';
    this.#fail(this.#at, char, 'a name, a number, a string or an operator', advice);
  }

  #fail(offset: number, token: string, expected: string, advice?: string): never {
    throw syntaxError({ pos: this.#lines.position(offset), token, expected, advice });
  }

  #refuse(sentence: string, token: string): never {
    throw refusalAt('sql.unsupported', sentence, this.#lines.position(this.#at), token);
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isWordStart = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
const shortened = (text: string) => (text.length <= 20 ? text : `${text.slice(0, 19)}…`);

/** The end of the match of a sticky pattern at `at`, or undefined if it does not match. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
