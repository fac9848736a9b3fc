import type { ServiceError } from '../../core/errors.ts';
import { sqlError } from '../resolve/sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { JoinRelation, Relation } from '../resolve/tree.ts';
import type { Position } from '../syntax/position.ts';

/** Tables that one join brings together at most, those of joined WITH tables and subqueries included: the engine's time to order them grows fast. */
export const joinedTablesMax = 40;

/** Tables that stand beside one another without ON or USING at most: each multiplies the rows. */
export const crossJoinedTablesMax = 10;

/**
 * Conditions `IN (SELECT …)` of one query at most. Each is a join of its own to the engine, whose time to plan them grows with the
 * third power or more, and cannot be interrupted: 25 take 0.2 s, 50 take 1.8 s, 100 take 24 s.
 */
export const inSubqueriesMax = 40;

interface JoinSize {
  readonly tables: number;
  readonly crossJoined: number;
}

const oneTable: JoinSize = { tables: 1, crossJoined: 1 };
const sizes = new WeakMap<Relation, JoinSize>();

/**
 * Refuses joins that bring too many tables together, and too many IN with subqueries: `sql.too_complex` at the first that is too many. The relation is
 * one whose WITH tables stand where they are read: those that are read more than once are planned
 * by themselves and count as one table.
 */
export function checkJoinSizes(relation: Relation): void {
  let inSubqueries = 0;
  let tooMany: Position | null = null;
  const mapper: Mapper = {
    expr: (expr) => {
      if (expr.kind === 'inSubquery' && ++inSubqueries === inSubqueriesMax + 1) tooMany = expr.pos;
      return mapExpr(expr, mapper);
    },
    relation: (below) => {
      mapRelation(below, mapper);
      if (below.kind === 'join') check(below);
      return below;
    },
  };
  mapper.relation(relation);
  if (tooMany !== null) throw tooManyInSubqueries(inSubqueries, tooMany);
}

function tooManyInSubqueries(count: number, pos: Position): ServiceError {
  const sentence = `The query has ${count} conditions IN (SELECT …), those of WITH tables and subqueries included; at most ${inSubqueriesMax} are planned together. Join the tables, read several with one subquery by UNION ALL, or use EXISTS`;
  return sqlError('sql.too_complex', sentence, pos, { expected: `at most ${inSubqueriesMax} IN (SELECT …)` });
}

function check(join: JoinRelation): void {
  const { tables, crossJoined } = sizeOf(join);
  if (tables > joinedTablesMax) {
    const sentence = `More than ${joinedTablesMax} tables are joined here, those of WITH tables and subqueries included; join fewer, or aggregate some first`;
    throw sqlError('sql.too_complex', sentence, join.pos, { expected: `at most ${joinedTablesMax} tables` });
  }
  if (crossJoined > crossJoinedTablesMax) {
    const sentence = `More than ${crossJoinedTablesMax} tables are cross-joined here; join them with ON or USING`;
    throw sqlError('sql.too_complex', sentence, join.pos, { expected: `at most ${crossJoinedTablesMax} tables` });
  }
}

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
    default:
      return oneTable;
  }
}
