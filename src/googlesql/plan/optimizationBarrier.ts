import type { Expr, Relation, WithTable } from '../resolve/tree.ts';
import { INT64 } from '../types.ts';
import { namedParameters } from './projectParameters.ts';

/**
 * The tables of a stored query as a caller's query reads them. Where a table holds every scan to one
 * project by equality, the engine compares that first whatever stands above, and conditions of the
 * caller may move into it. Any other table, one that is chosen by a pattern for example, gets a fence:
 * an engine that moved a caller's condition past the stored one could compute it for events that the
 * caller may not see, and its failure would tell of them. OFFSET 0 leaves out nothing, and no
 * condition moves past an OFFSET.
 */
export function addOptimizationBarriers(tables: readonly WithTable[]): readonly WithTable[] {
  return tables.map((table) => {
    const isHeld = namedParameters(table.relation).every((names) => names.size > 0);
    return isHeld ? table : { ...table, relation: fenced(table.relation) };
  });
}

const zero: Expr = { kind: 'literal', type: INT64, value: 0n };

function fenced(input: Relation): Relation {
  return { kind: 'limit', input, limit: null, offset: zero };
}
