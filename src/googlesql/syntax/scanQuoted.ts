/** A problem in a quoted literal. The lexer, which knows the lines, makes the error. */
export interface QuotedProblem {
  readonly offset: number;
  readonly token: string;
  readonly expected: string;
  readonly advice?: string;
}

export interface QuotedResult {
  /** After escapes; for bytes one character per byte, U+0000 to U+00FF. */
  readonly value: string;
  /** The offset after the closing quote. */
  readonly end: number;
  readonly doubledQuoteAt: number | undefined;
  readonly unknownEscapeAt: number | undefined;
}

export interface QuotedForm {
  readonly isRaw: boolean;
  readonly isBytes: boolean;
}

/**
 * Reads a string, bytes literal or backticked identifier whose opening quote is at `start`: single or, except for
 * backticks, triple quoted (GoogleSQL, "Lexical structure"). A doubled quote counts as one quote, and an unknown escape is
 * kept as written (googlesql.md, section 4). Returns a problem instead of throwing.
 */
export function scanQuoted(text: string, start: number, form: QuotedForm): QuotedResult | QuotedProblem {
  const quote = text.charAt(start);
  const isTriple = quote !== '`' && text.startsWith(quote.repeat(3), start);
  const closing = isTriple ? quote.repeat(3) : quote;
  let value = '';
  let doubledQuoteAt: number | undefined;
  let unknownEscapeAt: number | undefined;
  let at = start + closing.length;
  let plainFrom = at;
  const flush = () => {
    if (plainFrom < at) value += plain(text.slice(plainFrom, at), form, isTriple);
  };

  while (at < text.length) {
    const char = text.charAt(at);
    if (char === quote && text.startsWith(closing, at)) {
      const isDoubled = !isTriple && quote !== '`' && text.charAt(at + 1) === quote;
      flush();
      if (!isDoubled) return { value, end: at + closing.length, doubledQuoteAt, unknownEscapeAt };
      doubledQuoteAt ??= at;
      value += quote;
      at += 2;
      plainFrom = at;
    } else if (char === '\\' && form.isRaw) {
      // A raw string keeps the backslash and the next character; a quote after a backslash does not close the string.
      if (!isTriple && isLineEnd(text.charAt(at + 1))) break;
      at += 2;
    } else if (char === '\\') {
      flush();
      const read = readEscape(text, at, form.isBytes);
      if (typeof read.value !== 'string') return { offset: at, ...read.value };
      if (!isTriple && isLineEnd(text.charAt(at + 1))) break;
      if (read.isUnknown) unknownEscapeAt ??= at;
      value += read.value;
      at += read.length;
      plainFrom = at;
    } else if (!isTriple && isLineEnd(char)) {
      break;
    } else {
      at++;
    }
  }
  return unclosed(start, quote, isTriple);
}

function unclosed(start: number, quote: string, isTriple: boolean): QuotedProblem {
  const what = quote === '`' ? 'identifier' : 'string';
  return {
    offset: start,
    token: quote.repeat(isTriple ? 3 : 1),
    expected: `a closing ${quote.repeat(isTriple ? 3 : 1)} for the ${what} that starts here`,
    ...(isTriple || quote === '`' ? {} : { advice: 'Put a string that spans several lines in triple quotes.' }),
  };
}

const isLineEnd = (char: string) => char === '\n' || char === '\r';

function plain(piece: string, form: QuotedForm, isTriple: boolean): string {
  const text = isTriple && piece.includes('\r') ? piece.replaceAll(/\r\n?/g, '\n') : piece;
  return form.isBytes ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\\', '\\'],
  ['?', '?'],
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
]);

interface Escape {
  readonly value: string | { readonly token: string; readonly expected: string; readonly advice?: string };
  readonly length: number;
  readonly isUnknown: boolean;
}

function readEscape(text: string, at: number, isBytes: boolean): Escape {
  const letter = text.charAt(at + 1);
  const simple = simpleEscapes.get(letter);
  if (simple !== undefined) return { value: simple, length: 2, isUnknown: false };
  if (letter === 'x' || letter === 'X') return codeEscape(text, at, 2, 16);
  if ((letter === 'u' || letter === 'U') && !isBytes) return codeEscape(text, at, letter === 'u' ? 4 : 8, 16);
  if (/^[0-3][0-7]{2}$/.test(text.slice(at + 1, at + 4))) {
    return { value: String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 4), 8)), length: 4, isUnknown: false };
  }
  // A character outside the basic plane is two UTF-16 units; both belong to the escape.
  const kept = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x5c);
  const value = at + 1 < text.length ? `\\${kept}` : '\\';
  return {
    value: isBytes ? Buffer.from(value, 'utf8').toString('latin1') : value,
    length: 1 + kept.length,
    isUnknown: true,
  };
}

function codeEscape(text: string, at: number, digits: number, radix: number): Escape {
  const code = text.slice(at + 2, at + 2 + digits);
  const length = 2 + digits;
  const token = text.slice(at, at + length);
  if (code.length < digits || !/^[0-9a-fA-F]+$/.test(code)) {
    return {
      value: {
        token,
        expected: `${digits} hexadecimal digits after ${text.slice(at, at + 2)}`,
        advice: "For a literal backslash, double it or use a raw string (r'…').",
      },
      length,
      isUnknown: false,
    };
  }
  const point = Number.parseInt(code, radix);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
    return {
      value: { token, expected: 'a Unicode code point up to 10FFFF that is not a surrogate' },
      length,
      isUnknown: false,
    };
  }
  return { value: String.fromCodePoint(point), length, isUnknown: false };
}
