import type { Expression, Query } from './nodes.ts';
import type { ParserState } from './parserState.ts';
import { isOuterMode } from './parseSetOperator.ts';
import { refuseStatementInParentheses } from './refuseStatement.ts';
import type { Token } from './token.ts';

/** Words that continue a query after its first part in parentheses. */
const queryContinuations: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT']);

/** Whether a query starts with this token; ignores queries that start with a parenthesis. */
export function isQueryStart(token: Token): boolean {
  return token.word === 'SELECT' || token.word === 'WITH' || token.word === 'FROM';
}

/** Whether the next token continues the query in parentheses before it: `(SELECT …) UNION ALL …`. */
export function isQueryContinuation(p: ParserState): boolean {
  return queryContinuations.has(p.token.word) || p.isSymbol('|>') || isOuterMode(p);
}

/** Parses `(query)`; the current token is the parenthesis. */
export function parseQueryInParentheses(p: ParserState): Query {
  p.expectSymbol('(');
  const query = p.grammar.query(p);
  p.expectSymbol(')');
  return query;
}

/** Parses a scalar subquery, a tuple or a grouped expression in parentheses. */
export function parseParenthesized(p: ParserState): Expression {
  const pos = p.here;
  if (isQueryStart(p.peek(1))) {
    const query = parseQueryInParentheses(p);
    return p.make({ kind: 'ScalarSubquery', query, pos, end: p.lastEnd });
  }
  refuseStatementInParentheses(p);
  p.advance();
  const innerPos = p.here;
  const first = p.grammar.expression(p);
  if (first.kind === 'ScalarSubquery' && isQueryContinuation(p)) {
    const query = p.grammar.queryAfter(p, first.query, innerPos);
    p.expectSymbol(')');
    return p.make({ kind: 'ScalarSubquery', query, pos, end: p.lastEnd });
  }
  if (!p.isSymbol(',')) {
    p.expectSymbol(')', ', a comma or an operator');
    return first;
  }
  const elements = [first];
  while (p.takeSymbol(',')) elements.push(p.grammar.expression(p));
  p.expectSymbol(')', ' or a comma');
  return p.make({ kind: 'Tuple', elements: Object.freeze(elements), pos, end: p.lastEnd });
}
