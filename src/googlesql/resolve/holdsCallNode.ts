import type { FunctionCall, SyntaxNode } from '../syntax/nodes.ts';

/** Whether the expression contains a call that passes the test, outside subqueries. */
export function holdsCallNode(node: SyntaxNode, test: (call: FunctionCall) => boolean): boolean {
  if (node.kind === 'Query') return false;
  if (node.kind === 'FunctionCall' && test(node)) return true;
  return Object.values(node).some((member: unknown) =>
    Array.isArray(member)
      ? member.some((each) => isNode(each) && holdsCallNode(each, test))
      : isNode(member) && holdsCallNode(member, test),
  );
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
