import type { FromItem, WithOffset } from './nodes.ts';
import type { ParserState } from './parserState.ts';
import { refuseTableOperators } from './refuseTableOperators.ts';

/** `UNNEST(array) [[AS] alias] [WITH OFFSET [[AS] alias]]`. */
export function parseUnnest(p: ParserState): FromItem {
  const pos = p.here;
  p.advance();
  p.expectSymbol('(');
  const expression = p.grammar.expression(p);
  if (p.isSymbol(',')) p.unsupported('UNNEST accepts only one array.');
  p.expectSymbol(')');
  const alias = p.takeAlias();
  const withOffset = parseWithOffset(p);
  refuseTableOperators(p);
  return p.make({ kind: 'Unnest', expression, alias, withOffset, pos, end: p.lastEnd });
}

/** `WITH OFFSET [[AS] alias]`, or nothing. */
export function parseWithOffset(p: ParserState): WithOffset | undefined {
  const pos = p.here;
  if (!p.takeWord('WITH')) return undefined;
  p.expectWord('OFFSET');
  const alias = p.takeAlias();
  return p.make({ kind: 'WithOffset', alias, pos, end: p.lastEnd });
}
