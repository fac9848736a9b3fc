import type { Expression, FromItem, Identifier } from './nodes.ts';
import { parseField } from './parsePostfix.ts';
import type { ParserState } from './parserState.ts';
import { parseWithOffset } from './parseUnnest.ts';
import { refuseTableOperators } from './refuseTableOperators.ts';

/** Parses a table path or table function, with its alias and, for array paths, WITH OFFSET. */
export function parseTableReference(p: ParserState): FromItem {
  const pos = p.here;
  const path: Identifier[] = [parseFirstName(p)];
  while (p.takeSymbol('.')) path.push(parseField(p));
  Object.freeze(path);
  if (p.isSymbol('(')) return parseTableFunction(p, path, pos);
  refuseTableOperators(p);
  const alias = p.takeAlias();
  const withOffset = parseWithOffset(p);
  refuseTableOperators(p);
  return p.make({ kind: 'TableReference', path, alias, withOffset, pos, end: p.lastEnd });
}

/** Parses the first part of a path, which may contain dashes without backticks: `my-project.dataset.table`. */
function parseFirstName(p: ParserState): Identifier {
  const first = p.expectIdentifier('a table name, UNNEST or (');
  if (first.quoted || !isDashedOn(p, first.end)) return first;
  let { name, end } = first;
  while (isDashedOn(p, end)) {
    p.advance();
    const part = p.advance();
    name += `-${part.text}`;
    end = part.end;
  }
  return p.make({ kind: 'Identifier', name, quoted: false, pos: first.pos, end });
}

function isDashedOn(p: ParserState, end: number): boolean {
  const next = p.peek(1);
  return (
    p.isSymbol('-') &&
    p.token.offset === end &&
    next.offset === end + 1 &&
    (next.kind === 'word' || next.kind === 'integer')
  );
}

function parseTableFunction(p: ParserState, name: readonly Identifier[], pos: FromItem['pos']): FromItem {
  p.expectSymbol('(');
  const args: readonly Expression[] = p.isSymbol(')') ? Object.freeze([]) : p.list(p.grammar.expression);
  p.expectSymbol(')', ' or a comma');
  const alias = p.takeAlias();
  return p.make({ kind: 'TableFunction', name, args, alias, pos, end: p.lastEnd });
}
