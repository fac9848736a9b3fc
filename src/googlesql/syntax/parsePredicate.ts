import type { ComparisonOperator, Expression, Query } from './nodes.ts';
import { isQueryStart, parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';
import { refuseStatementInParentheses } from './refuseStatement.ts';

const comparisonOperators: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

const predicateWords: ReadonlySet<string> = new Set(['IS', 'BETWEEN', 'LIKE', 'ILIKE', 'IN']);
const negatableWords: readonly string[] = ['BETWEEN', 'LIKE', 'ILIKE', 'IN'];

/** Whether a comparison operator or one of IS, [NOT] BETWEEN, LIKE, ILIKE, IN comes next. */
export function isPredicateStart(p: ParserState): boolean {
  const { kind, word, text } = p.token;
  if (kind === 'symbol') return comparisonOperators.has(text);
  return predicateWords.has(word) || (word === 'NOT' && negatableWords.includes(p.peek(1).word));
}

/** Parses the rest of a comparison whose left side has been read. */
export function parsePredicate(p: ParserState, left: Expression): Expression {
  const operator = p.token.kind === 'symbol' ? comparisonOperators.get(p.token.text) : undefined;
  if (operator !== undefined) {
    p.advance();
    const right = p.grammar.operand(p);
    return p.make({ kind: 'Binary', operator, left, right, pos: left.pos, end: p.lastEnd });
  }
  if (p.takeWord('IS')) return parseIs(p, left);
  const isNegated = p.takeWord('NOT');
  if (p.takeWord('BETWEEN')) return parseBetween(p, left, isNegated);
  if (p.takeWord('IN')) return parseIn(p, left, isNegated);
  return parseLike(p, left, isNegated);
}

function parseIs(p: ParserState, operand: Expression): Expression {
  const isNegated = p.takeWord('NOT');
  const { pos } = operand;
  if (p.takeWord('DISTINCT')) {
    p.expectWord('FROM');
    const right = p.grammar.operand(p);
    return p.make({ kind: 'IsDistinctFrom', left: operand, right, isNegated, pos, end: p.lastEnd });
  }
  for (const value of ['null', 'true', 'false', 'unknown'] as const) {
    if (p.takeWord(value.toUpperCase())) return p.make({ kind: 'Is', operand, isNegated, value, pos, end: p.lastEnd });
  }
  p.fail(`${isNegated ? '' : 'NOT, '}NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS`, [
    'NOT',
    'NULL',
    'TRUE',
    'FALSE',
    'UNKNOWN',
    'DISTINCT',
  ]);
}

function parseBetween(p: ParserState, operand: Expression, isNegated: boolean): Expression {
  const low = p.grammar.operand(p);
  p.expectWord('AND');
  const high = p.grammar.operand(p);
  return p.make({ kind: 'Between', operand, isNegated, low, high, pos: operand.pos, end: p.lastEnd });
}

function parseLike(p: ParserState, operand: Expression, isNegated: boolean): Expression {
  const wordPos = p.here;
  const isCaseInsensitive = p.advance().word === 'ILIKE';
  if (isCaseInsensitive) p.notice('sql.accepted.ilike', wordPos);
  if (p.isWord('ANY') || p.isWord('SOME') || p.isWord('ALL')) {
    return parseLikeList(p, operand, isNegated, isCaseInsensitive);
  }
  const pattern = p.grammar.operand(p);
  const escapePos = p.here;
  const hasEscape = p.takeWord('ESCAPE');
  if (hasEscape) p.notice('sql.accepted.like_escape', escapePos);
  const escapeText = hasEscape ? p.grammar.operand(p) : undefined;
  return p.make({
    kind: 'Like',
    operand,
    isNegated,
    isCaseInsensitive,
    pattern,
    escape: escapeText,
    pos: operand.pos,
    end: p.lastEnd,
  });
}

/** Parses the patterns after ANY, SOME or ALL: a list, an array or a subquery (GoogleSQL, "Quantified LIKE operator"). */
function parseLikeList(
  p: ParserState,
  operand: Expression,
  isNegated: boolean,
  isCaseInsensitive: boolean,
): Expression {
  const quantifier = p.advance().word === 'ALL' ? 'all' : 'any';
  const common = { operand, isNegated, isCaseInsensitive, quantifier, pos: operand.pos } as const;
  if (p.takeWord('UNNEST')) {
    p.expectSymbol('(');
    const array = p.grammar.expression(p);
    p.expectSymbol(')');
    return p.make({ kind: 'LikeUnnest', ...common, array, end: p.lastEnd });
  }
  if (!p.isSymbol('(')) p.fail(`( or UNNEST after LIKE ${quantifier.toUpperCase()}`, ['UNNEST']);
  if (isQueryStart(p.peek(1))) {
    const query = parseQueryInParentheses(p);
    return p.make({ kind: 'LikeSubquery', ...common, query, end: p.lastEnd });
  }
  p.advance();
  const firstPos = p.here;
  const patterns = p.list(p.grammar.expression);
  const [only] = patterns;
  // As with IN, `((SELECT …))` is a subquery in two pairs of parentheses, not a list of one scalar.
  if (patterns.length === 1 && only?.kind === 'ScalarSubquery') {
    const query = p.grammar.queryAfter(p, only.query, firstPos);
    p.expectSymbol(')');
    return p.make({ kind: 'LikeSubquery', ...common, query, end: p.lastEnd });
  }
  p.expectSymbol(')', ' or a comma');
  return p.make({ kind: 'LikeList', ...common, patterns, end: p.lastEnd });
}

function parseIn(p: ParserState, operand: Expression, isNegated: boolean): Expression {
  const { pos } = operand;
  if (p.takeWord('UNNEST')) {
    p.expectSymbol('(');
    const array = p.grammar.expression(p);
    p.expectSymbol(')');
    return p.make({ kind: 'InUnnest', operand, isNegated, array, pos, end: p.lastEnd });
  }
  if (!p.isSymbol('(')) p.fail('( or UNNEST after IN', ['UNNEST']);
  if (isQueryStart(p.peek(1))) return inSubquery(p, operand, isNegated, parseQueryInParentheses(p));

  refuseStatementInParentheses(p);
  p.advance();
  const firstPos = p.here;
  const items = p.list(p.grammar.expression);
  const [only] = items;
  // `IN ((SELECT …))` is a subquery in two pairs of parentheses, not a list of one scalar.
  if (items.length === 1 && only?.kind === 'ScalarSubquery') {
    const query = p.grammar.queryAfter(p, only.query, firstPos);
    p.expectSymbol(')');
    return inSubquery(p, operand, isNegated, query);
  }
  p.expectSymbol(')', ' or a comma');
  return p.make({ kind: 'InList', operand, isNegated, items, pos, end: p.lastEnd });
}

function inSubquery(p: ParserState, operand: Expression, isNegated: boolean, query: Query): Expression {
  return p.make({ kind: 'InSubquery', operand, isNegated, query, pos: operand.pos, end: p.lastEnd });
}
