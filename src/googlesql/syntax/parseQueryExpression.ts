import { continuationWords } from './keywords.ts';
import type { Expression, ParenthesizedQuery, Position, Query, QueryBody, Select, WithEntry } from './nodes.ts';
import { parseFrom } from './parseFrom.ts';
import { parseOrderBy } from './parseOrderBy.ts';
import { parseQueryInParentheses } from './parseParentheses.ts';
import { parsePipes } from './parsePipe.ts';
import type { ParserState } from './parserState.ts';
import { parseSelect } from './parseSelect.ts';
import { type ParsedSetOperator, parseSetOperator } from './parseSetOperator.ts';
import { parseWithEntries } from './parseWith.ts';
import { printSetOperator } from './printSetOperator.ts';
import { refuseStatement } from './refuseStatement.ts';
import { refusalAt } from './syntaxError.ts';

const clauseOrder =
  'Write clauses in the order SELECT, FROM, WHERE, GROUP BY, HAVING, QUALIFY, WINDOW, ORDER BY, LIMIT, OFFSET.';

const clauseWords: ReadonlySet<string> = new Set(
  'SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT'.split(' '),
);

/** Parses a query with its WITH tables, set operations, ORDER BY, LIMIT and pipe operators. */
export function parseQueryExpression(p: ParserState): Query {
  p.enter();
  const pos = p.here;
  const withEntries = p.takeWord('WITH') ? parseWithEntries(p) : Object.freeze([]);
  const query = p.isWord('FROM') ? parseFromQuery(p, withEntries, pos) : parseRest(p, withEntries, parseArm(p), pos);
  p.leave();
  return query;
}

/** Continues a query whose first arm, in parentheses, has been read. */
export function parseQueryAfter(p: ParserState, first: Query, pos: Position): Query {
  const arm = p.make({ kind: 'ParenthesizedQuery', query: first, pos, end: p.lastEnd });
  return parseRest(p, Object.freeze([]), arm, pos);
}

/** Parses `FROM x |> …`. Clauses without a pipe are not allowed after it. */
function parseFromQuery(p: ParserState, withEntries: readonly WithEntry[], pos: Position): Query {
  const fromPos = p.here;
  p.advance();
  const from = parseFrom(p);
  const body = p.make({ kind: 'FromQuery', from, pos: fromPos, end: p.lastEnd });
  const pipes = parsePipes(p);
  if (clauseWords.has(p.token.word)) {
    p.fail('|> or the end of the query', [], 'After a leading FROM, use pipe operators (|> WHERE …, |> SELECT …).');
  }
  const rest = { orderBy: Object.freeze([]), limit: undefined, offset: undefined };
  return p.make({ kind: 'Query', withEntries, body, ...rest, pipes, pos, end: p.lastEnd });
}

function parseArm(p: ParserState): Select | ParenthesizedQuery {
  if (p.isWord('SELECT')) return parseSelect(p);
  if (!p.isSymbol('(')) {
    refuseStatement(p, p.token);
    p.fail('SELECT, WITH, FROM or (', ['SELECT', 'WITH', 'FROM']);
  }
  const pos = p.here;
  const query = parseQueryInParentheses(p);
  return p.make({ kind: 'ParenthesizedQuery', query, pos, end: p.lastEnd });
}

function parseRest(
  p: ParserState,
  withEntries: readonly WithEntry[],
  firstArm: Select | ParenthesizedQuery,
  pos: Position,
): Query {
  const body = parseSetOperations(p, firstArm);
  const orderBy = parseOrderBy(p);
  let limit: Expression | undefined;
  let offset: Expression | undefined;
  if (p.takeWord('LIMIT')) {
    if (p.isWord('ALL')) p.unsupported('LIMIT ALL is not supported; remove it.');
    limit = p.grammar.expression(p);
    if (p.isSymbol(',')) p.fail('OFFSET or the end of the query', [], 'To skip rows, write LIMIT count OFFSET skip.');
    if (p.takeWord('OFFSET')) offset = p.grammar.expression(p);
  }
  const pipes = parsePipes(p);
  return p.make({ kind: 'Query', withEntries, body, orderBy, limit, offset, pipes, pos, end: p.lastEnd });
}

function parseSetOperations(p: ParserState, first: Select | ParenthesizedQuery): QueryBody {
  const operation = parseSetOperator(p);
  if (operation === undefined) return first;
  const arms = [first, parseArm(p)];
  for (;;) {
    const operatorPos = p.here;
    const token = p.token.text;
    const next = parseSetOperator(p);
    if (next === undefined) break;
    if (describe(next) !== describe(operation)) {
      const sentence = `Different set operations need parentheses: ${describe(operation)} is followed by ${describe(next)}.`;
      throw refusalAt('sql.syntax', sentence, operatorPos, token, describe(operation));
    }
    arms.push(parseArm(p));
  }
  return p.make({ kind: 'SetOperation', ...operation, arms: Object.freeze(arms), pos: first.pos, end: p.lastEnd });
}

const describe = (operation: ParsedSetOperator): string => printSetOperator(operation).toUpperCase();

/** Refuses the text that remains after a complete query. */
export function failBehindQuery(p: ParserState): never {
  const isClause = clauseWords.has(p.token.word);
  p.fail('the end of the query', continuationWords, isClause ? clauseOrder : undefined);
}
