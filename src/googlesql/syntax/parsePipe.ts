import type {
  Identifier,
  ParenthesizedQuery,
  PipeAggregateItem,
  PipeAssignment,
  PipeOperator,
  PipeRenaming,
  Position,
} from './nodes.ts';
import { parseTable } from './parseFrom.ts';
import { parseJoinCondition, parseJoinType } from './parseJoins.ts';
import { parseDirection, parseNullsOrder, parseOrderBy } from './parseOrderBy.ts';
import { parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';
import { isListEnd, parseAsClause, parseSelectList, parseWindowClause } from './parseSelect.ts';
import { parseSetOperator } from './parseSetOperator.ts';
import { parseWithEntries } from './parseWith.ts';

type PipeRule = (p: ParserState, pos: Position) => PipeOperator;

/** The operators that start with their own keyword; joins and set operations are parsed separately. */
const pipeRules: ReadonlyMap<string, PipeRule> = new Map<string, PipeRule>([
  ['WHERE', parseWhere],
  ['SELECT', parsePipeSelect],
  ['EXTEND', parseExtend],
  ['SET', parseSet],
  ['DROP', parseDrop],
  ['RENAME', parseRename],
  ['AS', parseAs],
  ['AGGREGATE', parseAggregate],
  ['DISTINCT', parseDistinct],
  ['LIMIT', parseLimit],
  ['WINDOW', parsePipeWindow],
  ['WITH', parsePipeWith],
]);

const refusedOperators: ReadonlySet<string> = new Set([
  'ASSERT',
  'CALL',
  'CREATE',
  'DESCRIBE',
  'EXPORT',
  'FORK',
  'IF',
  'INSERT',
  'LOG',
  'MATCH_RECOGNIZE',
  'PIVOT',
  'RECURSIVE',
  'STATIC_DESCRIBE',
  'TABLESAMPLE',
  'TEE',
  'UNPIVOT',
]);

const operatorWords: readonly string[] = [...pipeRules.keys(), 'ORDER', 'JOIN', 'UNION', 'INTERSECT', 'EXCEPT'];

/** All `|> operator`s that follow (GoogleSQL, "Pipe query syntax"). */
export function parsePipes(p: ParserState): readonly PipeOperator[] {
  const operators: PipeOperator[] = [];
  while (p.takeSymbol('|>')) operators.push(parsePipeOperator(p));
  return Object.freeze(operators);
}

function parsePipeOperator(p: ParserState): PipeOperator {
  const pos = p.here;
  const { word } = p.token;
  const rule = pipeRules.get(word);
  if (rule !== undefined) {
    p.advance();
    return rule(p, pos);
  }
  if (word === 'ORDER') {
    const items = parseOrderBy(p);
    return p.make({ kind: 'PipeOrderBy', items, pos, end: p.lastEnd });
  }
  if (refusedOperators.has(word))
    p.unsupported(`The pipe operator ${word} is not supported; use one of ${operatorWords.join(', ')}.`);
  return parseSetOrJoin(p, pos);
}

function parseSetOrJoin(p: ParserState, pos: Position): PipeOperator {
  const operation = parseSetOperator(p);
  if (operation !== undefined) {
    const arms: ParenthesizedQuery[] = [];
    // A trailing comma is allowed (GoogleSQL, "Pipe query syntax").
    do {
      const armPos = p.here;
      const query = parseQueryInParentheses(p);
      arms.push(p.make({ kind: 'ParenthesizedQuery', query, pos: armPos, end: p.lastEnd }));
    } while (p.takeSymbol(',') && !isListEnd(p));
    return p.make({ kind: 'PipeSetOperation', ...operation, arms, pos, end: p.lastEnd });
  }
  const type = p.isSymbol(',') ? undefined : parseJoinType(p);
  if (type === undefined || type === 'comma') p.fail(`a pipe operator (${operatorWords.join(', ')})`, operatorWords);
  const right = parseTable(p);
  const condition = type === 'cross' ? { on: undefined, using: Object.freeze([]) } : parseJoinCondition(p);
  return p.make({ kind: 'PipeJoin', type, right, ...condition, pos, end: p.lastEnd });
}

function parseWhere(p: ParserState, pos: Position): PipeOperator {
  const condition = p.grammar.expression(p);
  return p.make({ kind: 'PipeWhere', condition, pos, end: p.lastEnd });
}

function parsePipeSelect(p: ParserState, pos: Position): PipeOperator {
  const isDistinct = p.takeWord('DISTINCT');
  if (!isDistinct) p.takeWord('ALL');
  const as = parseAsClause(p);
  const items = parseSelectList(p);
  const windows = parseWindowClause(p);
  return p.make({ kind: 'PipeSelect', isDistinct, as, items, windows, pos, end: p.lastEnd });
}

function parseExtend(p: ParserState, pos: Position): PipeOperator {
  const items = parseSelectList(p);
  const windows = parseWindowClause(p);
  return p.make({ kind: 'PipeExtend', items, windows, pos, end: p.lastEnd });
}

function parsePipeWindow(p: ParserState, pos: Position): PipeOperator {
  const items = parseSelectList(p);
  return p.make({ kind: 'PipeWindow', items, pos, end: p.lastEnd });
}

function parsePipeWith(p: ParserState, pos: Position): PipeOperator {
  const withEntries = parseWithEntries(p);
  return p.make({ kind: 'PipeWith', withEntries, pos, end: p.lastEnd });
}

function parseSet(p: ParserState, pos: Position): PipeOperator {
  const assignments = listWithTrailingComma(p, parseAssignment);
  return p.make({ kind: 'PipeSet', assignments, pos, end: p.lastEnd });
}

function parseAssignment(p: ParserState): PipeAssignment {
  const column = p.expectIdentifier('a column name');
  p.expectSymbol('=');
  const value = p.grammar.expression(p);
  return p.make({ kind: 'PipeAssignment', column, value, pos: column.pos, end: p.lastEnd });
}

function parseDrop(p: ParserState, pos: Position): PipeOperator {
  const columns: readonly Identifier[] = listWithTrailingComma(p, (inner) => inner.expectIdentifier('a column name'));
  return p.make({ kind: 'PipeDrop', columns, pos, end: p.lastEnd });
}

function parseRename(p: ParserState, pos: Position): PipeOperator {
  const renamings = listWithTrailingComma(p, parseRenaming);
  return p.make({ kind: 'PipeRename', renamings, pos, end: p.lastEnd });
}

function parseRenaming(p: ParserState): PipeRenaming {
  const column = p.expectIdentifier('a column name');
  p.takeWord('AS');
  const alias = p.expectIdentifier('the new name');
  return p.make({ kind: 'PipeRenaming', column, alias, pos: column.pos, end: p.lastEnd });
}

function parseAs(p: ParserState, pos: Position): PipeOperator {
  const alias = p.expectIdentifier('a name after AS');
  return p.make({ kind: 'PipeAs', alias, pos, end: p.lastEnd });
}

function parseAggregate(p: ParserState, pos: Position): PipeOperator {
  const items = isListEnd(p) ? Object.freeze([]) : listWithTrailingComma(p, parseAggregateItem);
  let groupBy: readonly PipeAggregateItem[] = Object.freeze([]);
  let isOrdered = false;
  if (p.takeWord('GROUP')) {
    isOrdered = p.takeWords('AND', 'ORDER');
    p.expectWord('BY', isOrdered ? [] : ['AND ORDER BY']);
    groupBy = listWithTrailingComma(p, parseAggregateItem);
  }
  if (items.length === 0 && groupBy.length === 0) p.fail('an aggregate or GROUP BY', ['GROUP']);
  return p.make({ kind: 'PipeAggregate', items, groupBy, isOrdered, pos, end: p.lastEnd });
}

function parseAggregateItem(p: ParserState): PipeAggregateItem {
  const expression = p.grammar.expression(p);
  const { pos } = expression;
  const alias = p.takeAlias();
  const item = p.make({ kind: 'SelectExpression', expression, alias, pos, end: p.lastEnd });
  const direction = parseDirection(p);
  const nulls = direction === undefined ? undefined : parseNullsOrder(p);
  return p.make({ kind: 'PipeAggregateItem', item, direction, nulls, pos, end: p.lastEnd });
}

function parseDistinct(p: ParserState, pos: Position): PipeOperator {
  return p.make({ kind: 'PipeDistinct', pos, end: p.lastEnd });
}

function parseLimit(p: ParserState, pos: Position): PipeOperator {
  const limit = p.grammar.expression(p);
  const offset = p.takeWord('OFFSET') ? p.grammar.expression(p) : undefined;
  return p.make({ kind: 'PipeLimit', limit, offset, pos, end: p.lastEnd });
}

function listWithTrailingComma<T>(p: ParserState, item: (p: ParserState) => T): readonly T[] {
  const items = [item(p)];
  while (p.takeSymbol(',') && !isListEnd(p)) items.push(item(p));
  return Object.freeze(items);
}
