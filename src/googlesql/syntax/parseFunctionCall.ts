import type { Expression, FunctionArgument, HavingModifier, Identifier } from './nodes.ts';
import { parseOrderBy } from './parseOrderBy.ts';
import type { ParserState } from './parserState.ts';
import { parseWindow } from './parseWindow.ts';

/** Parses a call whose name has been read; the current token is its parenthesis. */
export function parseFunctionCall(p: ParserState, path: readonly Identifier[]): Expression {
  const [first] = path;
  if (first === undefined) throw new Error('a function has a name');
  const isSafe = path.length > 1 && !first.quoted && first.name.toUpperCase() === 'SAFE';
  p.expectSymbol('(');
  const isDistinct = p.takeWord('DISTINCT');
  const args = p.isSymbol(')') && !isDistinct ? Object.freeze([]) : p.list(parseArgument);
  const nulls = parseNullHandling(p);
  const having = parseHavingModifier(p);
  const orderBy = parseOrderBy(p);
  const limit = p.takeWord('LIMIT') ? p.grammar.expression(p) : undefined;
  p.expectSymbol(')', ' or a comma');
  const over = p.takeWord('OVER') ? parseWindow(p) : undefined;
  return p.make({
    kind: 'FunctionCall',
    name: Object.freeze(isSafe ? path.slice(1) : [...path]),
    isSafe,
    isDistinct,
    args,
    nulls,
    having,
    orderBy,
    limit,
    over,
    pos: first.pos,
    end: p.lastEnd,
  });
}

function parseArgument(p: ParserState): FunctionArgument {
  const pos = p.here;
  if (p.takeSymbol('*')) return p.make({ kind: 'StarArgument', pos, end: p.lastEnd });
  if (p.nextIsSymbol('=>') && (p.token.kind === 'word' || p.token.kind === 'quoted')) {
    const name = p.takeIdentifier();
    p.advance();
    const value = p.grammar.expression(p);
    return p.make({ kind: 'NamedArgument', name, value, pos, end: p.lastEnd });
  }
  return p.grammar.expression(p);
}

function parseNullHandling(p: ParserState): 'ignore' | 'respect' | undefined {
  if (!p.isWord('IGNORE') && !p.isWord('RESPECT')) return undefined;
  const handling = p.advance().word === 'IGNORE' ? 'ignore' : 'respect';
  p.expectWord('NULLS');
  return handling;
}

function parseHavingModifier(p: ParserState): HavingModifier | undefined {
  const pos = p.here;
  if (!p.takeWord('HAVING')) return undefined;
  if (!p.isWord('MAX') && !p.isWord('MIN')) p.fail('MAX or MIN after HAVING', ['MAX', 'MIN']);
  const extreme = p.advance().word === 'MAX' ? 'max' : 'min';
  const expression = p.grammar.expression(p);
  return p.make({ kind: 'HavingModifier', extreme, expression, pos, end: p.lastEnd });
}
