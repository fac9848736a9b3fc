import type { Expression, StructArgument } from './nodes.ts';
import { parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';

/** `[…]`, `ARRAY[…]`, `ARRAY<T>[…]` and `ARRAY(query)`. */
export function parseArray(p: ParserState): Expression {
  const pos = p.here;
  if (p.isWord('ARRAY') && p.nextIsSymbol('(')) {
    p.advance();
    const query = parseQueryInParentheses(p);
    return p.make({ kind: 'ArraySubquery', query, pos, end: p.lastEnd });
  }
  const type = p.isWord('ARRAY') && p.nextIsSymbol('<') ? p.grammar.type(p, false) : undefined;
  if (type === undefined) p.takeWord('ARRAY');
  const elementType = type?.kind === 'ArrayType' ? type.element : undefined;
  p.expectSymbol('[', type === undefined ? ', ( or <' : '');
  const elements = p.isSymbol(']') ? Object.freeze([]) : p.list(p.grammar.expression);
  p.expectSymbol(']', ' or a comma');
  return p.make({ kind: 'ArrayConstructor', elementType, elements, pos, end: p.lastEnd });
}

/** `STRUCT(…)` and `STRUCT<…>(…)`. */
export function parseStruct(p: ParserState): Expression {
  const pos = p.here;
  const type = p.nextIsSymbol('<') ? p.grammar.type(p, false) : undefined;
  if (type === undefined) p.advance();
  p.expectSymbol('(', type === undefined ? ' or <' : '');
  const fields = p.isSymbol(')') ? Object.freeze([]) : p.list(type === undefined ? parseNamedField : parseField);
  p.expectSymbol(')', ' or a comma');
  return p.make({ kind: 'StructConstructor', type, fields, pos, end: p.lastEnd });
}

function parseNamedField(p: ParserState): StructArgument {
  const expression = p.grammar.expression(p);
  const alias = p.takeWord('AS') ? p.expectIdentifier('a field name after AS') : undefined;
  return p.make({ kind: 'StructArgument', expression, alias, pos: expression.pos, end: p.lastEnd });
}

/** A field without an alias: the type has the names. */
function parseField(p: ParserState): StructArgument {
  const expression = p.grammar.expression(p);
  return p.make({ kind: 'StructArgument', expression, alias: undefined, pos: expression.pos, end: p.lastEnd });
}
