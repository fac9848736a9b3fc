import type { CallArgument, Relation } from '../resolve/tree.ts';
import { isProjectOf, type ScanConditions, scanConditions } from './scanBounds.ts';

/**
 * For each scan of a query the names of the parameters that say whose events it reads: those that a
 * filter demands the stream's matching field to equal. The relation has its parameters still in it.
 */
export function projectParameters(relation: Relation): readonly ReadonlySet<string>[] {
  const known = found.get(relation);
  if (known !== undefined) return known;
  const names = [...scanConditions(relation).values()].map(namesOf);
  found.set(relation, names);
  return names;
}

/** Asked for each call of a query. */
const found = new WeakMap<Relation, readonly ReadonlySet<string>[]>();

function namesOf({ scan, conjuncts }: ScanConditions): ReadonlySet<string> {
  const names = new Set<string>();
  const isProject = (arg: CallArgument | undefined) =>
    arg !== undefined && arg.kind !== 'part' && isProjectOf(arg, scan);
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'call' || conjunct.fn !== '$eq') continue;
    const [left, right] = conjunct.args;
    if (right?.kind === 'parameter' && isProject(left)) names.add(right.name);
    if (left?.kind === 'parameter' && isProject(right)) names.add(left.name);
  }
  return names;
}
