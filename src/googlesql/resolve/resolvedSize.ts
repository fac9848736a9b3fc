import type { Position } from '../syntax/nodes.ts';
import type { SqlType } from '../types.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Expr, Relation } from './tree.ts';

/** Nodes of a resolved expression at most; a text of 20,000 syntax nodes of reasonable form has fewer. */
const resolvedNodesMax = 100_000;

const sizes = new WeakMap<Expr | Relation, number>();

/**
 * Nodes of a resolved tree, those that stand in several places counted in each. BETWEEN, CASE and
 * IN put their operand in more than one place, so a short text can stand for a tree that no pass
 * could walk.
 */
function resolvedSize(node: Expr | Relation, map: (mapper: Mapper) => unknown): number {
  const known = sizes.get(node);
  if (known !== undefined) return known;
  let size = 1;
  map({
    expr: (expr) => {
      size += resolvedSize(expr, (mapper) => mapExpr(expr, mapper));
      return expr;
    },
    relation: (relation) => {
      size += resolvedSize(relation, (mapper) => mapRelation(relation, mapper));
      return relation;
    },
  });
  sizes.set(node, size);
  return size;
}

/** STRUCTs inside one another at most, as in BigQuery. A row selected as a value is a STRUCT too. */
export const typeDepthMax = 15;

function typeDepth(type: SqlType): number {
  if (type.kind === 'ARRAY') return typeDepth(type.element);
  if (type.kind !== 'STRUCT') return 0;
  return 1 + type.fields.reduce((depth, field) => Math.max(depth, typeDepth(field.type)), 0);
}

/** The expression itself. Throws `sql.too_complex` where its type nests deeper than a row could be written with. */
export function withinTypeDepth(expr: Expr, pos: Position): Expr {
  if (typeDepth(expr.type) <= typeDepthMax) return expr;
  throw sqlError('sql.too_complex', `STRUCTs stand more than ${typeDepthMax} deep inside one another here`, pos, {
    expected: `at most ${typeDepthMax} levels of STRUCT`,
  });
}

/** The expression itself. Throws `sql.too_complex` where it has grown beyond what can be walked. */
export function withinSize(expr: Expr, pos: Position): Expr {
  if (resolvedSize(expr, (mapper) => mapExpr(expr, mapper)) <= resolvedNodesMax) return expr;
  throw sqlError(
    'sql.too_complex',
    'Too many expressions stand inside one another here (the operand of BETWEEN, CASE and IN counts once for each comparison); compute the inner ones in a WITH table first',
    pos,
  );
}
