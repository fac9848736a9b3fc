import { mapExpr, mapRelation } from './traverse.ts';
import type { Expr, Relation } from './tree.ts';

/** The size of a resolved tree. It is computed for each new expression, so large subtrees are measured only once. */
export interface TreeMeasure {
  /** Nodes. A shared node counts at each place; a WITH table that is read counts as one. */
  readonly nodes: number;
  /** Depth of nested subqueries used as values, including those in the WITH tables that are read. */
  readonly subqueries: number;
  /** Depth of nested relations, including those in the WITH tables that are read. */
  readonly height: number;
}

const leaf: TreeMeasure = { nodes: 1, subqueries: 0, height: 0 };
/** Smaller trees are measured again each time: remembering them would cost more. */
const rememberedNodesMin = 12;
const measured = new WeakMap<Expr | Relation, TreeMeasure>();
/** WITH tables are always remembered, because tables may read one another in a chain. */
const ofTables = new WeakMap<Relation, TreeMeasure>();

/** Measures the relation of a WITH table. Called before its readers are measured, so that none walks down a chain of tables. */
export function measureTable(relation: Relation): TreeMeasure {
  const known = ofTables.get(relation);
  if (known !== undefined) return known;
  const found = measureRelation(relation);
  ofTables.set(relation, found);
  return found;
}

export function measureExpr(expr: Expr): TreeMeasure {
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'now':
    case 'column':
      return leaf;
    case 'subquery':
    case 'inSubquery':
      return measure(expr, 1, (below) => mapExpr(expr, below));
    default:
      return measure(expr, 0, (below) => mapExpr(expr, below));
  }
}

function measureRelation(relation: Relation): TreeMeasure {
  if (relation.kind !== 'withReference') return measure(relation, 0, (below) => mapRelation(relation, below), 1);
  const { subqueries, height } = measureTable(relation.table.relation);
  return { nodes: 1, subqueries, height: height + 1 };
}

function measure(
  node: Expr | Relation,
  ownSubqueries: 0 | 1,
  visit: (below: Below) => unknown,
  ownHeight: 0 | 1 = 0,
): TreeMeasure {
  const known = measured.get(node);
  if (known !== undefined) return known;
  const below = new Below();
  visit(below);
  const found = {
    nodes: below.nodes + 1,
    subqueries: below.subqueries + ownSubqueries,
    height: below.height + ownHeight,
  };
  if (found.nodes >= rememberedNodesMin) measured.set(node, found);
  return found;
}

/** Accumulates the measures of the visited children. */
class Below {
  nodes = 0;
  subqueries = 0;
  height = 0;

  readonly expr = (expr: Expr): Expr => {
    this.#add(measureExpr(expr));
    return expr;
  };

  readonly relation = (relation: Relation): Relation => {
    this.#add(measureRelation(relation));
    return relation;
  };

  #add({ nodes, subqueries, height }: TreeMeasure): void {
    this.nodes += nodes;
    if (subqueries > this.subqueries) this.subqueries = subqueries;
    if (height > this.height) this.height = height;
  }
}
