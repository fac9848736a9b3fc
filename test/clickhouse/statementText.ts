/** A statement as the HTTP interface must know it: what it returns, and where the data of an INSERT begins. */
export type Statement =
  /** Returns rows. `head` ends before its FORMAT clause; `tail` is that clause's SETTINGS, or empty. */
  | { readonly kind: 'rows'; readonly head: string; readonly format: string | null; readonly tail: string }
  /** INSERT of data: `head` ends before FORMAT or VALUES; the data begin at the byte `dataStart` of the request. */
  | { readonly kind: 'insert'; readonly head: string; readonly format: string; readonly dataStart: number }
  | { readonly kind: 'kill'; readonly text: string }
  /** Returns nothing, such as CREATE, ALTER, SET or INSERT SELECT. */
  | { readonly kind: 'command'; readonly text: string; readonly words: readonly string[] };

/** A text that ClickHouse's HTTP interface refuses although its library takes it; `code` is ClickHouse's number. */
export class StatementError extends Error {
  readonly code: number;
  readonly codeName: string;

  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.name = 'StatementError';
    this.code = code;
    this.codeName = codeName;
  }
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'sign';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of brackets that are open before it. */
  readonly depth: number;
}

/** First words of statements that return rows. */
const returningRows = new Set([
  'SELECT',
  'WITH',
  'FROM',
  '(',
  'SHOW',
  'DESCRIBE',
  'DESC',
  'EXPLAIN',
  'EXISTS',
  'CHECK',
]);

/**
 * Reads one statement. `text` holds a byte in each character (latin1), so positions are those of bytes. Throws
 * StatementError for an empty text and for more than one statement. Anything else that is wrong is for ClickHouse to say.
 */
export function readStatement(text: string): Statement {
  const all = tokens(text);
  const first = all.next().value;
  if (first === undefined || first.text === ';')
    throw new StatementError(62, 'SYNTAX_ERROR', 'Syntax error: Empty query');
  const word = first.text.toUpperCase();
  if (word === 'INSERT') return readInsert(text, all);
  const own = onlyStatement([first, ...all]);
  const end = own.at(-1)?.end ?? 0;
  if (word === 'KILL' && own[1]?.text.toUpperCase() === 'QUERY') return { kind: 'kill', text: text.slice(0, end) };
  if (returningRows.has(word) && !isInsertAfterWith(own)) return readRows(text, own);
  return { kind: 'command', text: text.slice(0, end), words: own.slice(0, 4).map((each) => each.text.toUpperCase()) };
}

/** The tokens before a semicolon. Throws if another statement follows. */
function onlyStatement(all: readonly Token[]): readonly Token[] {
  const semicolon = all.findIndex(({ text, kind }) => kind === 'sign' && text === ';');
  if (semicolon < 0) return all;
  if (all.slice(semicolon).some(({ text }) => text !== ';')) {
    throw new StatementError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
  }
  return all.slice(0, semicolon);
}

function isInsertAfterWith(own: readonly Token[]): boolean {
  return own.some(({ kind, depth, text }) => kind === 'word' && depth === 0 && text.toUpperCase() === 'INSERT');
}

function readRows(text: string, own: readonly Token[]): Statement {
  const upper = (at: number) => (own[at]?.kind === 'word' && own[at].depth === 0 ? own[at].text.toUpperCase() : '');
  for (let at = 0; at < own.length; at++) {
    if (upper(at) === 'INTO' && upper(at + 1) === 'OUTFILE') {
      throw new StatementError(358, 'INTO_OUTFILE_NOT_ALLOWED', 'INTO OUTFILE is not allowed');
    }
  }
  const end = own.at(-1)?.end ?? 0;
  for (let at = own.length - 2; at > 0; at--) {
    const [format, name, next] = [own[at], own[at + 1], own[at + 2]];
    if (upper(at) !== 'FORMAT' || name?.kind !== 'word' || format === undefined) continue;
    if (next !== undefined && upper(at + 2) !== 'SETTINGS') continue;
    return {
      kind: 'rows',
      head: text.slice(0, format.start),
      format: name.text,
      tail: next === undefined ? '' : text.slice(next.start, end),
    };
  }
  return { kind: 'rows', head: text.slice(0, end), format: null, tail: '' };
}

function readInsert(text: string, rest: Iterator<Token>): Statement {
  const words: string[] = ['INSERT'];
  let format: Token | undefined;
  let last = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const token = next.value;
    const word = token.kind === 'word' && token.depth === 0 ? token.text.toUpperCase() : '';
    if (format !== undefined && token.kind === 'word') {
      const head = text.slice(0, format.start);
      return { kind: 'insert', head, format: token.text, dataStart: dataStartOf(text, token.end) };
    }
    if (word === 'VALUES' && words.length > 1) {
      return { kind: 'insert', head: text.slice(0, token.start), format: 'Values', dataStart: token.end };
    }
    if (word === 'INFILE') throw new StatementError(48, 'NOT_IMPLEMENTED', 'FROM INFILE is not allowed over HTTP');
    if (word === 'SELECT' || word === 'WITH') {
      const own = onlyStatement([token, ...{ [Symbol.iterator]: () => rest }]);
      return { kind: 'command', text: text.slice(0, own.at(-1)?.end), words };
    }
    format = word === 'FORMAT' ? token : undefined;
    if (word !== '') words.push(word);
    last = token.end;
  }
  return { kind: 'command', text: text.slice(0, last), words };
}

/** After the name of a format come blanks and at most one line break, which are not data (ParserInsertQuery). */
function dataStartOf(text: string, end: number): number {
  return end + (/^(?:[ \t\f]*;)?[ \t\f]*\r?\n?/.exec(text.slice(end, end + 256))?.[0].length ?? 0);
}

const spaces = /(?:[\s\0]+|--[^\n]*|#[! ][^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y;
const wordPattern = /[A-Za-z_\x80-\xff][\w$\x80-\xff]*/y;
const numberPattern = /\d[\w.]*(?:(?<=[eEpP])[+-]\d+)?/y;
const heredocPattern = /\$(\w*)\$[\s\S]*?\$\1\$/y;

/** Splits a text as ClickHouse's lexer does; stops at an unclosed quotation, which ClickHouse then reports. */
function* tokens(text: string): Generator<Token, undefined> {
  let at = 0;
  let depth = 0;
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  for (;;) {
    at += match(spaces);
    const char = text[at];
    if (char === undefined) return;
    const start = at;
    const length = quotedLength(text, at) ?? (match(wordPattern) || match(numberPattern) || match(heredocPattern) || 1);
    at += length;
    const own = text.slice(start, at);
    if (own === ')' || own === ']' || own === '}') depth--;
    yield { kind: kindOf(char, length), text: own, start, end: at, depth };
    if (own === '(' || own === '[' || own === '{') depth++;
  }
}

function kindOf(char: string, length: number): Token['kind'] {
  if (char === "'" || (char === '$' && length > 1)) return 'string';
  if (char === '"' || char === '`') return 'quoted';
  if (/[A-Za-z_\x80-\xff]/.test(char)) return 'word';
  return /\d/.test(char) ? 'number' : 'sign';
}

/** Length of a quotation that begins here, undefined if none does. Quotes are doubled or escaped with a backslash. */
function quotedLength(text: string, start: number): number | undefined {
  const quote = text[start];
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1 - start;
      at++;
    }
  }
  return text.length - start;
}
