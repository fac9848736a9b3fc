import { ServiceError } from '../../core/errors.ts';
import { tokenize } from './lexer.ts';
import { LineMap } from './lineMap.ts';
import type { Query } from './nodes.ts';
import { NoticeList, type SyntaxNotice } from './notice.ts';
import { parseExpression, parseOperand } from './parseExpression.ts';
import { defaultParseLimits, type ParseLimits } from './parseLimits.ts';
import { failBehindQuery, parseQueryAfter, parseQueryExpression } from './parseQueryExpression.ts';
import { type Grammar, ParserState } from './parserState.ts';
import { parseType } from './parseType.ts';
import { cut, refusalAt } from './syntaxError.ts';
import { chainTooLong, findTooDeep } from './treeHeight.ts';

export interface ParsedQuery {
  readonly query: Query;
  /** Constructs that were accepted although GoogleSQL rejects them (googlesql.md, section 4), each rule once. */
  readonly notices: readonly SyntaxNotice[];
}

const grammar: Grammar = {
  expression: parseExpression,
  operand: parseOperand,
  query: parseQueryExpression,
  queryAfter: parseQueryAfter,
  type: parseType,
};

/**
 * Parses one GoogleSQL query. The text may end in semicolons.
 * Throws ServiceError: `sql.syntax`; `sql.unsupported` for constructs of GoogleSQL that the dialect lacks;
 * `sandbox.statement` for anything except one query (googlesql.md, section 5); `sql.too_complex` beyond the limits.
 */
export function parseQuery(text: string, parseLimits: Partial<ParseLimits> = {}): ParsedQuery {
  const limits = { ...defaultParseLimits, ...parseLimits };
  checkSize(text, limits.bytesMax);
  const lines = new LineMap(text);
  const notices = new NoticeList();
  const p = new ParserState({ tokens: tokenize(text, lines, notices), lines, notices, limits, grammar });
  const query = parseQueryExpression(p);
  expectEnd(p);
  checkHeight(query, limits.heightMax);
  return Object.freeze({ query, notices: notices.toArray() });
}

function expectEnd(p: ParserState): void {
  const hasSemicolon = p.isSymbol(';');
  while (p.takeSymbol(';'));
  if (p.token.kind === 'end') return;
  if (!hasSemicolon) failBehindQuery(p);
  throw refusalAt(
    'sandbox.statement',
    `Only one statement is allowed; a second one starts with ${cut(p.token.text)}.`,
    p.here,
    p.token.text,
    'the end of the text',
  );
}

function checkSize(text: string, bytesMax: number): void {
  // Every character takes at least one byte, so a long text need not be counted.
  const bytes = text.length > bytesMax ? text.length : Buffer.byteLength(text, 'utf8');
  if (bytes <= bytesMax) return;
  throw new ServiceError('sql.too_complex', `The query text is longer than the allowed ${bytesMax} bytes.`, {
    errors: [{ expected: `at most ${bytesMax} bytes` }],
  });
}

function checkHeight(query: Query, heightMax: number): void {
  const node = findTooDeep(query, heightMax);
  if (node !== undefined) throw chainTooLong(heightMax, node.pos, '');
}
