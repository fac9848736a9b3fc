import type { FromItem, Query } from './nodes.ts';
import { parseJoins } from './parseJoins.ts';
import { isQueryContinuation, isQueryStart, parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';
import { parseTableReference } from './parseTableReference.ts';
import { parseUnnest } from './parseUnnest.ts';
import { refuseStatementInParentheses } from './refuseStatement.ts';
import { refuseTableOperators } from './refuseTableOperators.ts';

/** Parses the tables after FROM. Commas and joins have the same precedence and associate to the left. */
export function parseFrom(p: ParserState): FromItem {
  return parseJoins(p, parseTable(p), parseTable);
}

/** Parses one table with its alias: a path, UNNEST, a subquery, a table function, or a join in parentheses. */
export function parseTable(p: ParserState): FromItem {
  if (p.isWord('LATERAL'))
    p.unsupported('LATERAL is not supported; use UNNEST, or a correlated subquery in the select list.');
  if (p.isWord('UNNEST')) return parseUnnest(p);
  if (!p.isSymbol('(')) return parseTableReference(p);
  const pos = p.here;
  const content = parseInParentheses(p);
  if (content.kind === 'Query') return parseTableSubquery(p, content, pos);
  refuseTableOperators(p);
  if (p.isWord('AS') || p.isIdentifier()) {
    p.fail(
      'a join, a clause or the end of the query',
      [],
      'A join in parentheses cannot have an alias; its tables keep their own.',
    );
  }
  return content;
}

function parseTableSubquery(p: ParserState, query: Query, pos: FromItem['pos']): FromItem {
  refuseTableOperators(p);
  const alias = p.takeAlias();
  refuseTableOperators(p);
  return p.make({ kind: 'TableSubquery', query, alias, pos, end: p.lastEnd });
}

/**
 * Parses the query or join in a pair of parentheses in FROM. With nested parentheses, only the token after the inner pair
 * shows which it is, so the inner pair is read first.
 */
function parseInParentheses(p: ParserState): Query | FromItem {
  if (isQueryStart(p.peek(1))) return parseQueryInParentheses(p);
  refuseStatementInParentheses(p);
  p.enter();
  const pos = p.here;
  p.advance();
  const innerPos = p.here;
  let first: FromItem;
  if (p.isSymbol('(')) {
    const inner = parseInParentheses(p);
    if (inner.kind === 'Query' && (isQueryContinuation(p) || p.isSymbol(')'))) {
      const query = p.grammar.queryAfter(p, inner, innerPos);
      p.expectSymbol(')');
      p.leave();
      return query;
    }
    first = inner.kind === 'Query' ? parseTableSubquery(p, inner, innerPos) : inner;
  } else {
    first = parseTable(p);
  }
  const item = parseJoins(p, first, parseTable);
  p.expectSymbol(')', ' or a join');
  p.leave();
  return p.make({ kind: 'ParenthesizedJoin', item, pos, end: p.lastEnd });
}
