import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import type { Relation } from './tree.ts';

/** Tables that one join brings together at most, those of joined WITH tables and subqueries included: the engine's time to order them grows fast. */
export const joinedTablesMax = 40;

/** Tables that stand beside one another without ON or USING at most: each multiplies the rows. */
export const crossJoinedTablesMax = 10;

interface JoinSize {
  readonly tables: number;
  readonly crossJoined: number;
}

const oneTable: JoinSize = { tables: 1, crossJoined: 1 };
const sizes = new WeakMap<Relation, JoinSize>();

/** What the engine plans as one join: up to an aggregation, a set operation and the like. */
function sizeOf(relation: Relation): JoinSize {
  const known = sizes.get(relation);
  if (known !== undefined) return known;
  const size = measure(relation);
  sizes.set(relation, size);
  return size;
}

function measure(relation: Relation): JoinSize {
  switch (relation.kind) {
    case 'join': {
      const left = sizeOf(relation.left);
      const right = sizeOf(relation.right);
      const crossJoined =
        relation.on === null ? left.crossJoined + right.crossJoined : Math.max(left.crossJoined, right.crossJoined);
      return { tables: left.tables + right.tables, crossJoined };
    }
    case 'filter':
    case 'project':
    case 'sort':
    case 'unnestRecord':
    case 'unnestArray':
      return sizeOf(relation.input);
    case 'with':
      return sizeOf(relation.body);
    case 'withReference':
      return sizeOf(relation.table.relation);
    default:
      return oneTable;
  }
}

/** Throws `sql.too_complex` where a join brings too many tables together. */
export function checkJoinSize(relation: Relation, pos: Position): void {
  const { tables, crossJoined } = sizeOf(relation);
  if (tables > joinedTablesMax) {
    const sentence = `More than ${joinedTablesMax} tables are joined here, those of WITH tables and subqueries included; join fewer, or aggregate some first`;
    throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${joinedTablesMax} tables` });
  }
  if (crossJoined > crossJoinedTablesMax) {
    const sentence = `More than ${crossJoinedTablesMax} tables are cross-joined here; join them with ON or USING`;
    throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${crossJoinedTablesMax} tables` });
  }
}
