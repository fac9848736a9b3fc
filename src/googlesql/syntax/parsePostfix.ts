import type { Expression, SubscriptAccessor } from './nodes.ts';
import { parsePrimary } from './parsePrimary.ts';
import type { ParserState } from './parserState.ts';

const accessors: ReadonlyMap<string, SubscriptAccessor> = new Map([
  ['OFFSET', 'offset'],
  ['ORDINAL', 'ordinal'],
  ['SAFE_OFFSET', 'safe_offset'],
  ['SAFE_ORDINAL', 'safe_ordinal'],
]);

/** Parses a primary expression with its field accesses, subscripts and `::` casts. Leaves `.*` to the select list. */
export function parsePostfix(p: ParserState): Expression {
  let operand = parsePrimary(p);
  for (let links = 1; ; links++) {
    const { pos } = operand;
    p.link(links);
    if (p.isSymbol('.') && !p.nextIsSymbol('*')) {
      p.advance();
      const field = parseField(p);
      operand = p.make({ kind: 'FieldAccess', operand, field, pos, end: p.lastEnd });
    } else if (p.isSymbol('[')) {
      operand = parseSubscript(p, operand);
    } else if (p.isSymbol('::')) {
      p.notice('sql.accepted.double_colon_cast', p.here);
      p.advance();
      const type = p.grammar.type(p, true);
      operand = p.make({
        kind: 'Cast',
        operand,
        type,
        isSafe: false,
        isDoubleColon: true,
        format: undefined,
        timeZone: undefined,
        pos,
        end: p.lastEnd,
      });
    } else {
      return operand;
    }
  }
}

/** Parses the name after a dot, where reserved words are allowed. */
export function parseField(p: ParserState) {
  const { kind } = p.token;
  if (kind !== 'word' && kind !== 'quoted') p.fail('a field name after the dot');
  return p.takeIdentifier();
}

function parseSubscript(p: ParserState, operand: Expression): Expression {
  p.advance();
  const named = p.nextIsSymbol('(') ? accessors.get(p.token.word) : undefined;
  if (named !== undefined) {
    p.advance();
    p.advance();
  }
  const index = p.grammar.expression(p);
  if (named !== undefined) p.expectSymbol(')');
  p.expectSymbol(']');
  return p.make({ kind: 'Subscript', operand, accessor: named ?? 'plain', index, pos: operand.pos, end: p.lastEnd });
}
