import type { ServiceError } from '../../core/errors.ts';
import type { SyntaxNode } from './nodes.ts';
import type { Position } from './position.ts';
import { refusalAt } from './syntaxError.ts';

/**
 * The first node more than `heightMax` nodes below the root, or undefined. Does not recurse; later passes may, because of
 * this check.
 */
export function findTooDeep(root: SyntaxNode, heightMax: number): SyntaxNode | undefined {
  let level: SyntaxNode[] = [root];
  for (let height = 1; level.length > 0; height++) {
    if (height > heightMax) return level[0];
    const below: SyntaxNode[] = [];
    for (const node of level) pushChildren(node, below);
    level = below;
  }
  return undefined;
}

/** The `sql.too_complex` error for a node that `findTooDeep` found, or for a chain that would become too deep. */
export function chainTooLong(heightMax: number, pos: Position, token: string): ServiceError {
  return refusalAt(
    'sql.too_complex',
    `The query nests more than ${heightMax} constructs in one chain; split long chains of operators or joins.`,
    pos,
    token,
    `at most ${heightMax} nested constructs`,
  );
}

function pushChildren(node: SyntaxNode, into: SyntaxNode[]): void {
  for (const name in node) {
    const member: unknown = node[name as keyof SyntaxNode];
    if (isNode(member)) into.push(member);
    else if (Array.isArray(member)) for (const item of member) if (isNode(item)) into.push(item);
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
