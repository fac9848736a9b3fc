import type { OrderingItem } from './nodes.ts';
import type { ParserState } from './parserState.ts';

/** `ORDER BY …`, or an empty list. */
export function parseOrderBy(p: ParserState): readonly OrderingItem[] {
  if (!p.takeWord('ORDER')) return Object.freeze([]);
  p.expectWord('BY');
  return p.list(parseOrderingItem);
}

function parseOrderingItem(p: ParserState): OrderingItem {
  const expression = p.grammar.expression(p);
  if (p.isWord('COLLATE')) p.unsupported('COLLATE is not supported; use ORDER BY LOWER(x).');
  const direction = parseDirection(p) ?? 'asc';
  const nulls = parseNullsOrder(p);
  return p.make({ kind: 'OrderingItem', expression, direction, nulls, pos: expression.pos, end: p.lastEnd });
}

/** `ASC`, `DESC` or nothing. */
export function parseDirection(p: ParserState): 'asc' | 'desc' | undefined {
  if (p.takeWord('ASC')) return 'asc';
  return p.takeWord('DESC') ? 'desc' : undefined;
}

/** `NULLS FIRST`, `NULLS LAST` or nothing. */
export function parseNullsOrder(p: ParserState): 'first' | 'last' | undefined {
  if (!p.takeWord('NULLS')) return undefined;
  if (p.takeWord('FIRST')) return 'first';
  if (p.takeWord('LAST')) return 'last';
  p.fail('FIRST or LAST after NULLS', ['FIRST', 'LAST']);
}
