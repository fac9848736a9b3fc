import type { SyntaxNode } from '../nodes.ts';

/** Optional members. The outline names them so that they cannot be confused. */
const namedMembers: ReadonlySet<string> = new Set(
  'alias where having qualify groupBy orderBy partitionBy limit offset windows pipes withEntries on using otherwise escape format timeZone except replace nulls upper toPart type elementType base over parameters withOffset argument qualifier'.split(
    ' ',
  ),
);

/**
 * A syntax tree as one readable line for tests: `Binary(+ a 1)`. Positions and members that are undefined, false or
 * empty are left out. A true member shows its name, and optional members are named; lists are in brackets.
 */
export function outline(node: SyntaxNode): string {
  switch (node.kind) {
    case 'Identifier':
      return node.quoted ? `\`${node.name}\`` : node.name;
    case 'Name':
      return outline(node.name);
    case 'Parameter':
      return `@${node.name}`;
    case 'IntegerLiteral':
      return node.isHex ? `0x${node.value.toString(16)}` : node.value.toString();
    case 'FloatLiteral':
      return `${node.value}f`;
    case 'StringLiteral':
      return JSON.stringify(node.value);
    case 'BooleanLiteral':
      return node.value ? 'TRUE' : 'FALSE';
    case 'NullLiteral':
      return 'NULL';
    case 'StarArgument':
      return '*';
    default:
      return `${node.kind}(${members(node).join(' ')})`;
  }
}

function members(node: SyntaxNode): readonly string[] {
  return Object.entries(node).flatMap(([key, value]: readonly [string, unknown]) => {
    if (key === 'kind' || key === 'pos' || key === 'end') return [];
    const text = member(key, value);
    if (text === undefined) return [];
    return [namedMembers.has(key) && value !== true ? `${key}=${text}` : text];
  });
}

function member(key: string, value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return key;
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return `[${value.map((item) => member(key, item)).join(' ')}]`;
  }
  if (typeof value === 'object' && value !== null) return outline(value as SyntaxNode);
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string' ? `${value}` : undefined;
}
