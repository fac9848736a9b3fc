import type { Relation } from '../resolve/tree.ts';
import { foldUnbound } from './fold.ts';
import { isOfProject, type ScanFacts, scanFacts } from './scanBounds.ts';

/**
 * For each scan of a query the names of the parameters that say whose events it reads: those that
 * filters demand the stream's matching field to equal, in so many words. The relation has its parameters still in it.
 */
export function namedParameters(relation: Relation): readonly ReadonlySet<string>[] {
  return scanFacts(relation).map(namesOf);
}

/** The same, and those that come through a WITH table of constants (`with params as (select @project as p) …`). */
export function projectParameters(relation: Relation): readonly ReadonlySet<string>[] {
  const known = found.get(relation);
  if (known !== undefined) return known;
  const named = namedParameters(relation);
  const names = named.every((each) => each.size > 0) ? named : namedParameters(foldUnbound(relation));
  found.set(relation, names);
  return names;
}

/** Asked for each call of a query. */
const found = new WeakMap<Relation, readonly ReadonlySet<string>[]>();

function namesOf({ scan, facts }: ScanFacts): ReadonlySet<string> {
  const names = facts.texts.flatMap((fact) =>
    isOfProject(fact, scan) && 'parameter' in fact.oneOf ? [fact.oneOf.parameter] : [],
  );
  return new Set(names);
}
