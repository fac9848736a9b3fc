import type { Expression, FrameBound, Window, WindowFrame, WindowSpecification } from './nodes.ts';
import { parseOrderBy } from './parseOrderBy.ts';
import type { ParserState } from './parserState.ts';

/** Parses the window after OVER or `WINDOW name AS`: a name, or a specification in parentheses. */
export function parseWindow(p: ParserState): Window {
  if (p.isSymbol('(')) return parseWindowSpecification(p);
  const name = p.expectIdentifier('a window name or (');
  return p.make({ kind: 'WindowName', name, pos: name.pos, end: name.end });
}

function parseWindowSpecification(p: ParserState): WindowSpecification {
  const pos = p.here;
  p.expectSymbol('(');
  const base = p.takeBareName();
  let partitionBy: readonly Expression[] = Object.freeze([]);
  if (p.takeWord('PARTITION')) {
    p.expectWord('BY');
    partitionBy = p.list(p.grammar.expression);
  }
  const orderBy = parseOrderBy(p);
  const frame = parseFrame(p);
  if (!p.isSymbol(')')) p.fail('PARTITION BY, ORDER BY, ROWS, RANGE or )', ['PARTITION', 'ORDER', 'ROWS', 'RANGE']);
  p.advance();
  return p.make({ kind: 'WindowSpecification', base, partitionBy, orderBy, frame, pos, end: p.lastEnd });
}

function parseFrame(p: ParserState): WindowFrame | undefined {
  const pos = p.here;
  if (p.isWord('GROUPS')) p.unsupported('GROUPS is not supported in window frames; use ROWS or RANGE.');
  if (!p.isWord('ROWS') && !p.isWord('RANGE')) return undefined;
  const unit = p.advance().word === 'ROWS' ? 'rows' : 'range';
  if (!p.takeWord('BETWEEN')) {
    const lower = parseBound(p);
    return p.make({ kind: 'WindowFrame', unit, lower, upper: undefined, pos, end: p.lastEnd });
  }
  const lower = parseBound(p);
  p.expectWord('AND');
  const upper = parseBound(p);
  return p.make({ kind: 'WindowFrame', unit, lower, upper, pos, end: p.lastEnd });
}

function parseBound(p: ParserState): FrameBound {
  const pos = p.here;
  if (p.takeWords('CURRENT', 'ROW')) {
    return p.make({ kind: 'FrameBound', bound: 'current_row', distance: undefined, pos, end: p.lastEnd });
  }
  const distance = p.takeWord('UNBOUNDED') ? undefined : p.grammar.operand(p);
  if (!p.isWord('PRECEDING') && !p.isWord('FOLLOWING')) p.fail('PRECEDING or FOLLOWING', ['PRECEDING', 'FOLLOWING']);
  const side = p.advance().word === 'PRECEDING' ? 'preceding' : 'following';
  const bound = distance === undefined ? (`unbounded_${side}` as const) : side;
  return p.make({ kind: 'FrameBound', bound, distance, pos, end: p.lastEnd });
}
