import type { ErrorCode } from '../../core/errorCatalogue.ts';
import { nearestName } from '../../core/nearestName.ts';
import { continuationWords, reservedWords } from './keywords.ts';
import type { LineMap } from './lineMap.ts';
import type { Expression, Identifier, Query, SyntaxNode, TypeNode } from './nodes.ts';
import type { NoticeCode, NoticeList } from './notice.ts';
import type { ParseLimits } from './parseLimits.ts';
import type { Position } from './position.ts';
import { refusalAt, shown, syntaxError } from './syntaxError.ts';
import type { Token } from './token.ts';
import { chainTooLong } from './treeHeight.ts';

/** The mutually recursive rules. Construct files call each other through this interface, to avoid circular imports. */
export interface Grammar {
  /** Any expression. */
  expression(p: ParserState): Expression;
  /** An expression without AND, OR, NOT and comparisons at its top level. */
  operand(p: ParserState): Expression;
  /** A query without the parentheses around it. */
  query(p: ParserState): Query;
  /** Continues a query whose first part, a subquery in parentheses, has been read. */
  queryAfter(p: ParserState, first: Query, pos: Position): Query;
  type(p: ParserState, isAfterDoubleColon: boolean): TypeNode;
}

export interface ParserInput {
  readonly tokens: Token[];
  readonly lines: LineMap;
  readonly notices: NoticeList;
  readonly limits: ParseLimits;
  readonly grammar: Grammar;
}

/** The tokens, the reading position and the limits. All nodes and errors are made here. */
export class ParserState {
  readonly grammar: Grammar;
  readonly #tokens: Token[];
  readonly #lines: LineMap;
  readonly #notices: NoticeList;
  readonly #limits: ParseLimits;
  #index = 0;
  #nodeCount = 0;
  #selectCount = 0;
  #depth = 0;
  /** The last word taken as a name without a keyword before it, which may be a misspelled keyword. */
  #bareName: Token | undefined;
  token: Token;

  constructor({ tokens, lines, notices, limits, grammar }: ParserInput) {
    this.grammar = grammar;
    this.#tokens = tokens;
    this.#lines = lines;
    this.#notices = notices;
    this.#limits = limits;
    this.token = this.peek(0);
  }

  /** The token `ahead` tokens later; past the end, the end token. */
  peek(ahead: number): Token {
    const token = this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('a token list ends with an end token');
    return token;
  }

  advance(): Token {
    const token = this.token;
    this.#index++;
    this.token = this.peek(0);
    return token;
  }

  /** The start of the current token. */
  get here(): Position {
    return this.#lines.position(this.token.offset);
  }

  /** The offset after the last token that was read. */
  get lastEnd(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0;
  }

  isWord(word: string): boolean {
    return this.token.word === word;
  }

  isSymbol(symbol: string): boolean {
    return this.token.text === symbol && this.token.kind === 'symbol';
  }

  nextIsSymbol(symbol: string, ahead = 1): boolean {
    const token = this.peek(ahead);
    return token.text === symbol && token.kind === 'symbol';
  }

  takeWord(word: string): boolean {
    if (this.token.word !== word) return false;
    this.advance();
    return true;
  }

  /** Takes all of the words or none. */
  takeWords(...words: readonly string[]): boolean {
    if (!words.every((word, i) => this.peek(i).word === word)) return false;
    for (const _ of words) this.advance();
    return true;
  }

  takeSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.advance();
    return true;
  }

  expectWord(word: string, alternatives: readonly string[] = []): void {
    if (!this.takeWord(word)) this.fail([word, ...alternatives].join(' or '), [word, ...alternatives]);
  }

  expectSymbol(symbol: string, alternatives = ''): void {
    if (!this.takeSymbol(symbol)) this.fail(`${symbol}${alternatives}`, continuationWords);
  }

  /** Takes the `>` that closes a type, also as half of a `>>`. */
  expectCloseAngle(): void {
    if (this.isSymbol('>>')) {
      const { offset, end } = this.token;
      this.token = { kind: 'symbol', text: '>', word: '', value: '', offset: offset + 1, end };
      this.#tokens[this.#index] = this.token;
      return;
    }
    this.expectSymbol('>', ' or a comma');
  }

  /** Whether the current token is a name: an unreserved word, or a name in backticks. */
  isIdentifier(): boolean {
    const { kind, word } = this.token;
    return kind === 'quoted' || (kind === 'word' && !reservedWords.has(word));
  }

  expectIdentifier(expected: string): Identifier {
    if (!this.isIdentifier()) {
      const { kind, text } = this.token;
      const advice =
        kind === 'word' ? `${shown(text)} is a reserved word; to use it as a name, put it in backticks.` : undefined;
      this.fail(expected, continuationWords, advice);
    }
    return this.takeIdentifier();
  }

  /** Takes the current word or backticked name, reserved or not. */
  takeIdentifier(): Identifier {
    const { kind, value, end } = this.token;
    const pos = this.here;
    this.advance();
    return this.make({ kind: 'Identifier', name: value, quoted: kind === 'quoted', pos, end });
  }

  /** `AS name`, a bare name, or nothing. */
  takeAlias(): Identifier | undefined {
    if (this.takeWord('AS')) return this.expectIdentifier('a name after AS');
    return this.takeBareName();
  }

  /** A name without a keyword before it, or nothing. It is remembered, because it may be a misspelled keyword. */
  takeBareName(): Identifier | undefined {
    if (!this.isIdentifier()) return undefined;
    if (this.token.kind === 'word') this.#bareName = this.token;
    return this.takeIdentifier();
  }

  /** One or more items separated by commas. */
  list<T>(item: (p: ParserState) => T): readonly T[] {
    const items = [item(this)];
    while (this.takeSymbol(',')) items.push(item(this));
    return Object.freeze(items);
  }

  /** Counts and freezes a new node. */
  make<const T extends SyntaxNode>(node: T): T {
    if (++this.#nodeCount > this.#limits.nodesMax) {
      throw refusalAt(
        'sql.too_complex',
        `The query has more than ${this.#limits.nodesMax} syntax nodes; shorten it.`,
        node.pos,
        '',
        `at most ${this.#limits.nodesMax} syntax nodes`,
      );
    }
    if (node.kind === 'Select' || node.kind === 'FromQuery') this.#countSelect(node);
    return Object.freeze(node);
  }

  #countSelect({ pos }: SyntaxNode): void {
    if (++this.#selectCount <= this.#limits.selectsMax) return;
    throw refusalAt(
      'sql.too_complex',
      `The query has more than ${this.#limits.selectsMax} SELECTs; combine some of them with IN (…) or GROUP BY, or split the query.`,
      pos,
      '',
      `at most ${this.#limits.selectsMax} SELECTs`,
    );
  }

  /** Enters a nesting level. Each call needs a matching `leave`. */
  enter(): void {
    if (++this.#depth > this.#limits.depthMax) {
      throw refusalAt(
        'sql.too_complex',
        `The query is nested more than ${this.#limits.depthMax} levels deep; move parts of it into WITH tables.`,
        this.here,
        this.token.text,
        `at most ${this.#limits.depthMax} levels`,
      );
    }
  }

  leave(): void {
    this.#depth--;
  }

  /** Call for every link of a left-deep chain, so that a chain that is too long is refused before all of it is read. */
  link(count: number): void {
    if (count > this.#limits.heightMax) throw chainTooLong(this.#limits.heightMax, this.here, this.token.text);
  }

  notice(code: NoticeCode, pos: Position): void {
    this.#notices.add(code, () => pos);
  }

  /** Refuses at the current token with a code other than `sql.syntax`. Adds the position to the sentence. */
  refuse(code: ErrorCode, sentence: string, expected?: string): never {
    throw refusalAt(code, sentence, this.here, this.token.text, expected);
  }

  /** Refuses a construct of GoogleSQL that Logmill lacks. `sentence` says so, and what to do instead. */
  unsupported(sentence: string): never {
    this.refuse('sql.unsupported', sentence);
  }

  /** Throws `sql.syntax` at the current token, or at a bare name before it that looks like a misspelled keyword. */
  fail(expected: string, candidates: readonly string[] = [], advice?: string): never {
    const bare = this.#bareName;
    if (bare !== undefined && bare === this.#tokens[this.#index - 1]) {
      const nearest = nearestKeyword(bare, continuationWords);
      if (nearest !== undefined) {
        throw syntaxError({ pos: this.#lines.position(bare.offset), token: bare.text, expected: nearest, nearest });
      }
    }
    const nearest = nearestKeyword(this.token, candidates);
    throw syntaxError({ pos: this.here, token: this.token.text, expected, nearest, advice });
  }
}

function nearestKeyword(token: Token, candidates: readonly string[]): string | undefined {
  if (token.kind !== 'word' || candidates.includes(token.word)) return undefined;
  // A word of one or two letters is similar to almost any keyword.
  const sensible = candidates.filter((word) => token.text.length > 2 || (token.text.length === 2 && word.length === 2));
  return nearestName(token.text, sensible);
}
