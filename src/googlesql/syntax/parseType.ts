import type { StructTypeField, TypeNode } from './nodes.ts';
import type { ParserState } from './parserState.ts';

/** Type names of several words that clients write after `::`. */
const wordSequences: readonly (readonly string[])[] = [
  ['DOUBLE', 'PRECISION'],
  ['CHARACTER', 'VARYING'],
  ['TIMESTAMP', 'WITH', 'TIME', 'ZONE'],
  ['TIMESTAMP', 'WITHOUT', 'TIME', 'ZONE'],
  ['TIME', 'WITHOUT', 'TIME', 'ZONE'],
];

/** Parses a type; after `::` also names of several words and `T[]`. */
export function parseType(p: ParserState, isAfterDoubleColon: boolean): TypeNode {
  p.enter();
  let type = parseTypeProper(p, isAfterDoubleColon);
  while (isAfterDoubleColon && p.isSymbol('[') && p.nextIsSymbol(']')) {
    p.advance();
    p.advance();
    type = p.make({ kind: 'ArrayType', element: type, pos: type.pos, end: p.lastEnd });
  }
  p.leave();
  return type;
}

function parseTypeProper(p: ParserState, isAfterDoubleColon: boolean): TypeNode {
  const pos = p.here;
  if (p.takeWord('ARRAY')) {
    p.expectSymbol('<');
    const element = parseType(p, isAfterDoubleColon);
    p.expectCloseAngle();
    return p.make({ kind: 'ArrayType', element, pos, end: p.lastEnd });
  }
  if (p.takeWord('STRUCT')) {
    p.expectSymbol('<');
    const fields = p.list((inner) => parseStructTypeField(inner, isAfterDoubleColon));
    p.expectCloseAngle();
    return p.make({ kind: 'StructType', fields, pos, end: p.lastEnd });
  }
  const name = parseTypeName(p, isAfterDoubleColon);
  const parameters = parseTypeParameters(p);
  return p.make({ kind: 'NamedType', name, parameters, pos, end: p.lastEnd });
}

function parseTypeName(p: ParserState, isAfterDoubleColon: boolean): string {
  if (isAfterDoubleColon) {
    const sequence = wordSequences.find((words) => p.takeWords(...words));
    if (sequence !== undefined) return sequence.join(' ');
  }
  if (p.isWord('RANGE')) p.unsupported('The type RANGE is not supported.');
  if (p.takeWord('INTERVAL')) return 'INTERVAL';
  const { kind, value } = p.token;
  if (kind === 'quoted' && !/^\w+$/.test(value)) p.fail('a type such as STRING, INT64 or TIMESTAMP');
  return p.expectIdentifier('a type such as STRING, INT64 or TIMESTAMP').name.toUpperCase();
}

function parseTypeParameters(p: ParserState): readonly bigint[] {
  if (!p.takeSymbol('(')) return Object.freeze([]);
  const parameters = p.list(() => {
    if (p.token.kind !== 'integer') p.fail('an integer as a type parameter');
    return BigInt(p.advance().value);
  });
  p.expectSymbol(')', ' or a comma');
  return parameters;
}

/** Parses `name type` or `type`: the first word is a name if another word or a quoted name follows it. */
function parseStructTypeField(p: ParserState, isAfterDoubleColon: boolean): StructTypeField {
  const pos = p.here;
  const next = p.peek(1);
  const isName =
    (p.token.kind === 'word' || p.token.kind === 'quoted') && (next.kind === 'word' || next.kind === 'quoted');
  const name = isName ? p.expectIdentifier('a field name or a type') : undefined;
  const type = parseType(p, isAfterDoubleColon);
  return p.make({ kind: 'StructTypeField', name, type, pos, end: p.lastEnd });
}
