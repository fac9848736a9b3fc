import { type SqlPiece, sqlPieces } from './sqlPieces.ts';

/** A token or a comment, with what stood before it. */
interface Part {
  readonly kind: SqlPiece['kind'];
  readonly text: string;
  /** Upper case for a word that can be a keyword, otherwise empty. */
  readonly word: string;
  /** Line breaks before it. */
  readonly lines: number;
  /** Whether blanks were before it. */
  readonly isApart: boolean;
}

/** What is being laid out: a query, a CASE with a line for each branch, or something on one line. */
interface Room {
  readonly kind: 'query' | 'case' | 'inline';
  readonly indent: number;
  /** The first word of the clause, for a query. */
  clause: string;
  /** Whether each item of the clause has a line of its own. */
  isSpread: boolean;
  /** BETWEENs whose AND is still to come. */
  openBetweens: number;
}

const step = 2;
/** Longest list of a SELECT, and longest CASE, on one line: characters. */
const lineMax = 60;

const clauseWords = new Set(['SELECT', 'FROM', 'WHERE', 'HAVING', 'QUALIFY', 'WINDOW', 'LIMIT', 'UNION', 'INTERSECT']);
const joinWords = new Set(['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS', 'NATURAL']);
const conditionClauses = new Set(['WHERE', 'HAVING', 'QUALIFY', 'JOIN']);
const queryWords = new Set(['SELECT', 'WITH', 'FROM']);
const spacedSymbols = new Set(['=', '<=', '>=', '<>', '!=', '||', '|>', '=>']);
const openings = new Set(['(', '[', 'CASE']);
const closings = new Set([')', ']', 'END']);

const isComment = ({ kind }: Part): boolean => kind === 'lineComment' || kind === 'blockComment';

/**
 * Lays out a query in GoogleSQL: a line for each clause, condition and item of a long list, two spaces for each level. Only
 * blanks change: tokens and comments stay as written. Null if the text is not made of tokens, such as with an open quote.
 */
export function formatSql(text: string): string | null {
  const pieces = sqlPieces(text);
  if (pieces === null) return null;
  const formatted = new Layout(partsOf(pieces)).run();
  return isSame(pieces, sqlPieces(formatted)) ? formatted : null;
}

/** Whether only blanks differ. */
function isSame(before: readonly SqlPiece[], after: readonly SqlPiece[] | null): boolean {
  const told = (pieces: readonly SqlPiece[]) => JSON.stringify(pieces.filter(({ kind }) => kind !== 'blank'));
  return after !== null && told(before) === told(after);
}

function partsOf(pieces: readonly SqlPiece[]): readonly Part[] {
  const parts: Part[] = [];
  let blank = '';
  for (const { kind, text } of pieces) {
    if (kind === 'blank') {
      blank = text;
      continue;
    }
    // A name behind a dot is no keyword.
    const isKeyword = kind === 'word' && parts.at(-1)?.text !== '.';
    const lines = blank.match(/\r\n?|\n/g)?.length ?? 0;
    parts.push({ kind, text, word: isKeyword ? text.toUpperCase() : '', lines, isApart: blank !== '' });
    blank = '';
  }
  return parts;
}

class Layout {
  readonly #parts: readonly Part[];
  readonly #root: Room = roomOf('query', 0);
  /** Those inside the root, the innermost last. */
  readonly #rooms: Room[] = [];
  #text = '';
  /** Of the line that is being written. */
  #indent = 0;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  run(): string {
    for (const [at, part] of this.#parts.entries()) {
      this.#place(part, at);
      this.#follow(part, at);
    }
    return this.#text;
  }

  get #room(): Room {
    return this.#rooms.at(-1) ?? this.#root;
  }

  /** Writes a part on the line, or on a new one. */
  #place(part: Part, at: number): void {
    const before = this.#parts[at - 1];
    const indent = before === undefined ? null : this.#breakBefore(part, at, before);
    if (indent !== null) {
      // An empty line stays.
      const isEmpty = part.lines > 1 && before?.text !== '(';
      this.#text += `${isEmpty ? '\n\n' : '\n'}${' '.repeat(indent)}`;
      this.#indent = indent;
    } else if (before !== undefined && isSpaced(part, before)) {
      this.#text += ' ';
    }
    this.#text += part.text;
  }

  /** The indent of the line that a part begins; null if it begins none. */
  #breakBefore(part: Part, at: number, before: Part): number | null {
    if (isComment(part) && part.lines > 0) return this.#commentIndent(at);
    const wanted = isComment(part) ? null : this.#wantedIndent(part, at, before);
    // Otherwise it would be a part of the comment.
    return wanted ?? (before.kind === 'lineComment' ? this.#innerIndent() : null);
  }

  #wantedIndent(part: Part, at: number, before: Part): number | null {
    const { kind, indent, clause, isSpread, openBetweens } = this.#room;
    if (part.text === ')') return kind === 'query' && this.#rooms.length > 0 ? indent - step : null;
    if (kind === 'case')
      return ['WHEN', 'ELSE'].includes(part.word) ? indent : part.word === 'END' ? indent - step : null;
    if (kind === 'inline') return null;
    if (before.text === '(' || before.text === ';' || part.text === '|>' || this.#isClause(part, at)) return indent;
    const last = this.#last(at);
    if (clause === 'WITH') return last?.text === ',' ? indent : null;
    const isCondition = part.word === 'OR' || (part.word === 'AND' && openBetweens === 0);
    if (conditionClauses.has(clause)) return isCondition ? indent + step : null;
    if (!isSpread || part.text === ',') return null;
    const isFirst = ['SELECT', 'DISTINCT', 'ALL'].includes(last?.word ?? '');
    const isItem = last?.text === ',' || (isFirst && !['DISTINCT', 'ALL', 'AS'].includes(part.word));
    return isItem ? indent + step : null;
  }

  /** A comment stands before what it is about. */
  #commentIndent(at: number): number {
    let next = at + 1;
    while (next < this.#parts.length && isComment(this.#parts[next] as Part)) next += 1;
    const part = this.#parts[next];
    const { kind, indent } = this.#room;
    return kind === 'query' && part !== undefined && this.#isClause(part, next) ? indent : this.#innerIndent();
  }

  /** Indent of what continues a clause. */
  #innerIndent(): number {
    const { kind, indent, clause } = this.#room;
    return kind === 'query' && clause !== '' && clause !== 'WITH' ? indent + step : indent;
  }

  #isClause({ word, text }: Part, at: number): boolean {
    if (text === '|>') return true;
    const { clause } = this.#room;
    // Behind a pipe, words of clauses are its own.
    if (word === '' || clause === '|>') return false;
    const next = this.#parts[at + 1];
    const last = this.#last(at)?.word ?? '';
    if (word === 'WITH') return clause === '';
    if (word === 'FROM') return last !== 'DISTINCT';
    if (word === 'GROUP' || word === 'ORDER') return next?.word === 'BY';
    if (word === 'EXCEPT') return next?.word === 'ALL' || next?.word === 'DISTINCT';
    if (joinWords.has(word)) return next?.text !== '(' && !joinWords.has(last) && last !== 'OUTER';
    return clauseWords.has(word);
  }

  /** The token before, without comments. */
  #last(at: number): Part | undefined {
    let index = at - 1;
    while (index >= 0 && isComment(this.#parts[index] as Part)) index -= 1;
    return this.#parts[index];
  }

  /** What a part that was written changes for those behind it. */
  #follow(part: Part, at: number): void {
    const { word, text } = part;
    if (closings.has(word) || closings.has(text)) {
      this.#leave(text);
      return;
    }
    if (openings.has(word) || openings.has(text)) {
      this.#rooms.push(roomOf(this.#kindOf(part, at), this.#indent + step));
      return;
    }
    const room = this.#room;
    if (word === 'BETWEEN') room.openBetweens += 1;
    else if (word === 'AND' && room.openBetweens > 0) room.openBetweens -= 1;
    if (room.kind !== 'query') return;
    if (text === ';') {
      room.clause = '';
      room.isSpread = false;
    } else if (!isComment(part) && this.#isClause(part, at)) {
      room.clause = text === '|>' ? text : joinWords.has(word) ? 'JOIN' : word;
      room.isSpread = word === 'SELECT' && this.#isLong(at, true);
    }
  }

  /** Goes back to what surrounds a room. A query, and a CASE inside parentheses, ends only with them. */
  #leave(text: string): void {
    if (text === ')' || text === ']') while (this.#room.kind === 'case') this.#rooms.pop();
    if (text === ')' || text === ']' || this.#room.kind !== 'query') this.#rooms.pop();
  }

  #kindOf({ text }: Part, at: number): Room['kind'] {
    if (text === '[') return 'inline';
    if (text !== '(') return this.#isLong(at, false) ? 'case' : 'inline';
    let next = at + 1;
    while (next < this.#parts.length && isComment(this.#parts[next] as Part)) next += 1;
    return queryWords.has(this.#parts[next]?.word ?? '') ? 'query' : 'inline';
  }

  /** Whether a list, or the branches of a CASE, take more than a line. One item alone is no list. */
  #isLong(at: number, isList: boolean): boolean {
    let depth = 0;
    let length = 0;
    let items = 1;
    for (let index = at + 1; index < this.#parts.length; index += 1) {
      const { text, word, kind } = this.#parts[index] as Part;
      if (depth === 0 && isList && (clauseWords.has(word) || text === '|>' || text === ';')) break;
      if (closings.has(text) || closings.has(word)) depth -= 1;
      if (depth < 0) break;
      if (openings.has(text) || openings.has(word)) depth += 1;
      if (depth === 0 && text === ',') items += 1;
      length += kind === 'lineComment' ? lineMax : text.length + 1;
      if (length > lineMax && (items > 1 || !isList)) return true;
    }
    return false;
  }
}

/** Blanks inside a line: none inside of parentheses, one around comparisons, otherwise where some were. */
function isSpaced(part: Part, before: Part): boolean {
  if (before.text === '(' || before.text === '[') return false;
  if ([',', ';', ')', ']'].includes(part.text)) return false;
  if (before.text === ',' || isComment(part)) return true;
  return part.isApart || spacedSymbols.has(part.text) || spacedSymbols.has(before.text);
}

const roomOf = (kind: Room['kind'], indent: number): Room => ({
  kind,
  indent,
  clause: '',
  isSpread: false,
  openBetweens: 0,
});
