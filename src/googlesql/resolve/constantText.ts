import type { CallArgument } from './tree.ts';

/**
 * The value of a STRING expression that consists of literals: a literal, a CONCAT or `||` of literals, or FORMAT of NULL
 * (which is NULL). Undefined for any other expression.
 */
export function constantText(arg: CallArgument): string | null | undefined {
  if (arg.kind === 'literal') {
    return arg.value === null || (typeof arg.value === 'string' && arg.type.kind === 'STRING') ? arg.value : undefined;
  }
  if (arg.kind === 'cast') return arg.type.kind === 'STRING' ? constantText(arg.value) : undefined;
  if (arg.kind !== 'call') return undefined;
  if (arg.fn === 'format') return arg.args[0] !== undefined && constantText(arg.args[0]) === null ? null : undefined;
  if (arg.type.kind !== 'STRING' || (arg.fn !== 'concat' && arg.fn !== '$concat_op')) return undefined;
  let joined: string | null = '';
  for (const piece of arg.args) {
    const text = constantText(piece);
    if (text === undefined) return undefined;
    joined = joined === null || text === null ? null : joined + text;
  }
  return joined;
}
