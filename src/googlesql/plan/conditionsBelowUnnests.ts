import { findFunction } from '../functions/catalogue.ts';
import { holdsSubquery } from '../resolve/holdsSubquery.ts';
import { type Mapper, mapExpr, mapRelation, outputColumns } from '../resolve/traverse.ts';
import type { Column, Expr, JoinRelation, Relation, ScanRelation } from '../resolve/tree.ts';
import { allOf } from './impliedConditions.ts';
import { conjunctsOf } from './rowFacts.ts';

type Scanned = (scan: ScanRelation) => readonly Column[];

/** A condition above an UNNEST, and the same condition over the columns of the current relation. */
interface Moving {
  readonly above: Expr;
  readonly here: Expr;
  readonly reads: ReadonlySet<Column>;
}

/** A relation that includes some of the conditions, and the conditions that it could not take. */
interface Lowered {
  readonly relation: Relation;
  readonly rest: readonly Moving[];
}

/**
 * Pushes conditions that do not read the elements of an UNNEST below it, so that elements are made only from rows that
 * match. The engine does this only with conditions that cannot fail (guarded.ts). If such a condition compares the project,
 * for example with a pattern, arrays would be made from events of other projects, and an error would reveal them (decision
 * 21). Conditions with subqueries and volatile conditions stay. `scanned` as for `outputColumns`.
 */
export function conditionsBelowUnnests(relation: Relation, scanned: Scanned): Relation {
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      if (mapped.kind !== 'filter') return mapped;
      const conjuncts = conjunctsOf(mapped.condition);
      const moving = conjuncts.flatMap((each) => movingOf(each) ?? []);
      const lowered = lower(mapped.input, moving, scanned);
      if (lowered.rest.length === moving.length) return mapped;
      const movable = new Set(moving.map(({ above }) => above));
      const left = conditionsOf(lowered.rest);
      return filtered(
        lowered.relation,
        conjuncts.filter((each) => !movable.has(each) || left.has(each)),
      );
    },
  };
  return mapper.relation(relation);
}

function movingOf(condition: Expr): Moving | null {
  const reads = new Set<Column>();
  let isFixed = !holdsSubquery(condition);
  const mapper: Mapper = {
    relation: (below) => below,
    expr: (expr) => {
      if (expr.kind === 'column') reads.add(expr.column);
      if (expr.kind === 'call' && findFunction(expr.fn)?.isVolatile === true) isFixed = false;
      return mapExpr(expr, mapper);
    },
  };
  mapper.expr(condition);
  return isFixed && reads.size > 0 ? { above: condition, here: condition, reads } : null;
}

function lower(relation: Relation, moving: readonly Moving[], scanned: Scanned): Lowered {
  const none = { relation, rest: moving };
  if (moving.length === 0) return none;
  switch (relation.kind) {
    case 'filter': {
      const below = lower(relation.input, moving, scanned);
      return { relation: { ...relation, input: below.relation }, rest: below.rest };
    }
    case 'unnestRecord':
    case 'unnestArray': {
      const made = [relation.kind === 'unnestRecord' ? relation.alias : relation.element, relation.offset];
      const isOfElement = ({ reads }: Moving): boolean => made.some((column) => column !== null && reads.has(column));
      const below = lower(
        relation.input,
        moving.filter((each) => !isOfElement(each)),
        scanned,
      );
      const input = filtered(
        below.relation,
        below.rest.map(({ here }) => here),
      );
      return { relation: { ...relation, input }, rest: moving.filter(isOfElement) };
    }
    case 'join':
      return lowerIntoJoin(relation, moving, scanned);
    case 'project': {
      // Only for renamed columns; conditions on computed ones stay above.
      const names = new Map<Column, Column>();
      for (const { column, expr } of relation.items) {
        if (expr.kind !== 'column') return none;
        names.set(column, expr.column);
      }
      const below = lower(
        relation.input,
        moving.map((each) => renamed(each, names)),
        scanned,
      );
      const left = conditionsOf(below.rest);
      return { relation: { ...relation, input: below.relation }, rest: moving.filter(({ above }) => left.has(above)) };
    }
    default:
      return none;
  }
}

/** Pushes conditions on one side of a join into that side, if the join does not add unmatched rows there. */
function lowerIntoJoin(join: JoinRelation, moving: readonly Moving[], scanned: Scanned): Lowered {
  const lowerInto = (side: Relation, candidates: readonly Moving[]): Lowered => {
    const columns = new Set(outputColumns(side, scanned));
    const isOver = ({ reads }: Moving): boolean => [...reads].every((column) => columns.has(column));
    const below = lower(side, candidates.filter(isOver), scanned);
    return { relation: below.relation, rest: [...candidates.filter((each) => !isOver(each)), ...below.rest] };
  };
  const keepsLeft = join.type === 'inner' || join.type === 'left';
  const keepsRight = join.type === 'inner' || join.type === 'right';
  const left = keepsLeft ? lowerInto(join.left, moving) : { relation: join.left, rest: moving };
  const right = keepsRight ? lowerInto(join.right, left.rest) : { relation: join.right, rest: left.rest };
  return { relation: { ...join, left: left.relation, right: right.relation }, rest: right.rest };
}

const conditionsOf = (moving: readonly Moving[]): ReadonlySet<Expr> => new Set(moving.map(({ above }) => above));

function renamed(moving: Moving, names: ReadonlyMap<Column, Column>): Moving {
  const mapper: Mapper = {
    relation: (below) => below,
    expr: (expr) => {
      const column = expr.kind === 'column' ? names.get(expr.column) : undefined;
      return column === undefined ? mapExpr(expr, mapper) : { kind: 'column', type: column.type, column };
    },
  };
  return {
    above: moving.above,
    here: mapper.expr(moving.here),
    reads: new Set([...moving.reads].map((column) => names.get(column) ?? column)),
  };
}

/** Adds the conditions as one filter, because there may be thousands. */
function filtered(relation: Relation, conjuncts: readonly Expr[]): Relation {
  if (conjuncts.length === 0) return relation;
  if (relation.kind !== 'filter') return { kind: 'filter', input: relation, condition: allOf(conjuncts) };
  return { ...relation, condition: allOf([...conjunctsOf(relation.condition), ...conjuncts]) };
}
