import type { Relation } from '../resolve/tree.ts';
import { foldUnbound } from './fold.ts';
import { isOfProject, type ScanFacts, scanFacts } from './scanBounds.ts';

/**
 * For each scan of a query, the parameters that select its project: those that filters compare with the source's project
 * field by equality. The relation must be unbound.
 */
export function namedParameters(relation: Relation): readonly ReadonlySet<string>[] {
  return scanFacts(relation).map(namesOf);
}

/** The same, including parameters through a WITH table of constants (`with params as (select @project as p) …`). */
export function projectParameters(relation: Relation): readonly ReadonlySet<string>[] {
  const known = found.get(relation);
  if (known !== undefined) return known;
  const named = namedParameters(relation);
  const names = named.every((each) => each.size > 0) ? named : namedParameters(foldUnbound(relation));
  found.set(relation, names);
  return names;
}

/** Cached, because each call of a query needs it. */
const found = new WeakMap<Relation, readonly ReadonlySet<string>[]>();

function namesOf({ scan, facts }: ScanFacts): ReadonlySet<string> {
  const names = facts.texts.flatMap((fact) =>
    isOfProject(fact, scan) && 'parameter' in fact.oneOf ? [fact.oneOf.parameter] : [],
  );
  return new Set(names);
}
