import type { ServiceError } from '../../core/errors.ts';
import type { EngineLimits } from '../engineLimits.ts';
import { sqlError } from '../resolve/sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { JoinRelation, Relation } from '../resolve/tree.ts';
import type { Position } from '../syntax/position.ts';

interface JoinSize {
  readonly tables: number;
  readonly crossJoined: number;
}

const oneTable: JoinSize = { tables: 1, crossJoined: 1 };
const sizes = new WeakMap<Relation, JoinSize>();

/**
 * Throws `sql.too_complex` at the first join with too many tables or IN (SELECT …) that is one too many. Expects inlined WITH
 * tables; those that are read more than once are planned separately and count as one table.
 */
export function checkJoinSizes(relation: Relation, limits: EngineLimits): void {
  const { inSubqueriesMax } = limits;
  let inSubqueries = 0;
  let tooMany: Position | null = null;
  const mapper: Mapper = {
    expr: (expr) => {
      if (expr.kind === 'inSubquery' && ++inSubqueries === inSubqueriesMax + 1) tooMany = expr.pos;
      return mapExpr(expr, mapper);
    },
    relation: (below) => {
      mapRelation(below, mapper);
      if (below.kind === 'join') check(below, limits);
      return below;
    },
  };
  mapper.relation(relation);
  if (tooMany !== null) throw tooManyInSubqueries(inSubqueries, tooMany, limits);
}

function tooManyInSubqueries(count: number, pos: Position, { inSubqueriesMax }: EngineLimits): ServiceError {
  const sentence = `The query has ${count} IN (SELECT …) conditions, including those in WITH tables and subqueries; at most ${inSubqueriesMax} are allowed. Join the tables, combine subqueries with UNION ALL, or use EXISTS`;
  return sqlError('sql.too_complex', sentence, pos, { expected: `at most ${inSubqueriesMax} IN (SELECT …)` });
}

function check(join: JoinRelation, { joinedTablesMax, crossJoinedTablesMax }: EngineLimits): void {
  const { tables, crossJoined } = sizeOf(join);
  if (tables > joinedTablesMax) {
    const sentence = `More than ${joinedTablesMax} tables are joined here, including those in WITH tables and subqueries; join fewer, or aggregate some of them first`;
    throw sqlError('sql.too_complex', sentence, join.pos, { expected: `at most ${joinedTablesMax} tables` });
  }
  if (crossJoined > crossJoinedTablesMax) {
    const sentence = `More than ${crossJoinedTablesMax} tables are cross-joined here; join them with ON or USING`;
    throw sqlError('sql.too_complex', sentence, join.pos, { expected: `at most ${crossJoinedTablesMax} tables` });
  }
}

/** The size of what the engine plans as one join, which ends at aggregations, set operations and the like. */
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
    default:
      return oneTable;
  }
}
