import type { CallArgument, Relation } from '../resolve/tree.ts';
import { isProjectOf, scanConditions } from './scanBounds.ts';

/**
 * The names of the parameters that say whose events a query reads: those that a filter of a scan
 * demands the stream's matching field to equal. The relation has its parameters still in it.
 */
export function projectParameters(relation: Relation): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { scan, conjuncts } of scanConditions(relation).values()) {
    const isProject = (arg: CallArgument | undefined) =>
      arg !== undefined && arg.kind !== 'part' && isProjectOf(arg, scan);
    for (const conjunct of conjuncts) {
      if (conjunct.kind !== 'call' || conjunct.fn !== '$eq') continue;
      const [left, right] = conjunct.args;
      if (right?.kind === 'parameter' && isProject(left)) names.add(right.name);
      if (left?.kind === 'parameter' && isProject(right)) names.add(left.name);
    }
  }
  return names;
}
