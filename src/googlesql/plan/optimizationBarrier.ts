import type { Expr, Relation, WithTable } from '../resolve/tree.ts';
import { INT64 } from '../types.ts';
import { namedParameters } from './projectParameters.ts';

/**
 * Adds optimization barriers to the tables of a stored query that caller queries read. If a table restricts every scan
 * to one project by equality, the engine compares that first, and conditions of the caller may move into the table. Any
 * other table, for example one that selects by a pattern, gets a barrier: if the engine moved a caller's condition past
 * the stored one, it could compute it for events that the caller may not see, and a failure would reveal them. OFFSET 0
 * leaves out nothing, and no condition moves past an OFFSET.
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
