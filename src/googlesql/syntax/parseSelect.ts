import type { GroupBy, GroupingItem, Identifier, NamedWindow, Select, SelectItem, StarReplacement } from './nodes.ts';
import { parseFrom } from './parseFrom.ts';
import type { ParserState } from './parserState.ts';
import { isOuterMode } from './parseSetOperator.ts';
import { parseWindow } from './parseWindow.ts';

/** Words that end a select list, also after a trailing comma. */
const listEnds: ReadonlySet<string> = new Set([
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'LIMIT',
  'UNION',
  'INTERSECT',
  'EXCEPT',
]);

/** `SELECT … [FROM …] [WHERE …] [GROUP BY …] [HAVING …] [QUALIFY …] [WINDOW …]`. */
export function parseSelect(p: ParserState): Select {
  const pos = p.here;
  p.expectWord('SELECT');
  const isDistinct = p.takeWord('DISTINCT');
  if (!isDistinct) p.takeWord('ALL');
  const as = parseAsClause(p);
  const items = parseSelectList(p);
  const from = p.takeWord('FROM') ? parseFrom(p) : undefined;
  const where = p.takeWord('WHERE') ? p.grammar.expression(p) : undefined;
  const groupBy = parseGroupBy(p);
  const having = p.takeWord('HAVING') ? p.grammar.expression(p) : undefined;
  const qualify = p.takeWord('QUALIFY') ? p.grammar.expression(p) : undefined;
  const windows = parseWindowClause(p);
  const end = p.lastEnd;
  return p.make({ kind: 'Select', isDistinct, as, items, from, where, groupBy, having, qualify, windows, pos, end });
}

/** `AS STRUCT`, `AS VALUE`, or nothing. */
export function parseAsClause(p: ParserState): 'struct' | 'value' | undefined {
  if (!p.takeWord('AS')) return undefined;
  if (p.takeWord('STRUCT')) return 'struct';
  if (p.takeWord('VALUE')) return 'value';
  p.fail('STRUCT or VALUE after SELECT AS', ['STRUCT', 'VALUE']);
}

/** Select items separated by commas; a trailing comma is allowed. */
export function parseSelectList(p: ParserState): readonly SelectItem[] {
  const items = [parseSelectItem(p)];
  while (p.takeSymbol(',') && !isListEnd(p)) items.push(parseSelectItem(p));
  return Object.freeze(items);
}

/** Whether a list ends here after a trailing comma, which GoogleSQL allows. */
export function isListEnd(p: ParserState): boolean {
  const { kind, word, text } = p.token;
  return (
    kind === 'end' ||
    listEnds.has(word) ||
    isOuterMode(p) ||
    (kind === 'symbol' && (text === ')' || text === ';' || text === '|>'))
  );
}

function parseSelectItem(p: ParserState): SelectItem {
  const pos = p.here;
  if (p.takeSymbol('*')) return parseStarModifiers(p, undefined, pos);
  const expression = p.grammar.expression(p);
  if (p.isSymbol('.') && p.nextIsSymbol('*')) {
    p.advance();
    p.advance();
    return parseStarModifiers(p, expression, pos);
  }
  const alias = p.takeAlias();
  return p.make({ kind: 'SelectExpression', expression, alias, pos, end: p.lastEnd });
}

function parseStarModifiers(
  p: ParserState,
  qualifier: Extract<SelectItem, { kind: 'SelectStar' }>['qualifier'],
  pos: SelectItem['pos'],
): SelectItem {
  let except: readonly Identifier[] = Object.freeze([]);
  let replace: readonly StarReplacement[] = Object.freeze([]);
  if (p.isWord('EXCEPT') && p.nextIsSymbol('(')) {
    p.advance();
    p.advance();
    except = p.list((inner) => inner.expectIdentifier('a column name'));
    p.expectSymbol(')', ' or a comma');
  }
  if (p.isWord('REPLACE') && p.nextIsSymbol('(')) {
    p.advance();
    p.advance();
    replace = p.list(parseReplacement);
    p.expectSymbol(')', ' or a comma');
  }
  return p.make({ kind: 'SelectStar', qualifier, except, replace, pos, end: p.lastEnd });
}

function parseReplacement(p: ParserState): StarReplacement {
  const expression = p.grammar.expression(p);
  p.takeWord('AS');
  const alias = p.expectIdentifier('the name of the column to replace');
  return p.make({ kind: 'StarReplacement', expression, alias, pos: expression.pos, end: p.lastEnd });
}

function parseGroupBy(p: ParserState): GroupBy | undefined {
  const pos = p.here;
  if (!p.takeWord('GROUP')) return undefined;
  p.expectWord('BY');
  const isAll = p.takeWord('ALL');
  const isWhole = !isAll && p.isSymbol('(') && p.nextIsSymbol(')');
  if (isWhole) {
    p.advance();
    p.advance();
  }
  const items: readonly GroupingItem[] = isAll || isWhole ? Object.freeze([]) : p.list(parseGroupingItem);
  return p.make({ kind: 'GroupBy', isAll, items, pos, end: p.lastEnd });
}

function parseGroupingItem(p: ParserState): GroupingItem {
  const pos = p.here;
  if (p.isWord('CUBE')) p.unsupported('GROUP BY CUBE is not supported; use ROLLUP.');
  if (p.isWord('GROUPING') && p.peek(1).word === 'SETS') p.unsupported('GROUPING SETS is not supported; use ROLLUP.');
  if (p.takeWord('ROLLUP')) {
    p.expectSymbol('(');
    const expressions = p.list(p.grammar.expression);
    p.expectSymbol(')', ' or a comma');
    return p.make({ kind: 'Rollup', expressions, pos, end: p.lastEnd });
  }
  const expression = p.grammar.expression(p);
  return p.make({ kind: 'GroupingExpression', expression, pos, end: p.lastEnd });
}

/** `WINDOW name AS …, …`, or an empty list. */
export function parseWindowClause(p: ParserState): readonly NamedWindow[] {
  if (!p.takeWord('WINDOW')) return Object.freeze([]);
  return p.list((inner) => {
    const name = inner.expectIdentifier('a window name');
    inner.expectWord('AS');
    const window = parseWindow(inner);
    return inner.make({ kind: 'NamedWindow', name, window, pos: name.pos, end: inner.lastEnd });
  });
}
