import { mapExpr, mapRelation } from './traverse.ts';
import type { Expr, Relation } from './tree.ts';

/** How large a resolved tree is; asked of each expression that is made, so that large trees below it are measured once. */
export interface TreeMeasure {
  /** Nodes, those that stand in several places counted in each; of a WITH table that is read one. */
  readonly nodes: number;
  /** Subqueries used as values that stand inside one another, those of the WITH tables that are read included. */
  readonly subqueries: number;
}

const leaf: TreeMeasure = { nodes: 1, subqueries: 0 };
/** Trees with fewer nodes are measured again wherever they stand: to remember each would cost more. */
const rememberedNodesMin = 12;
const measured = new WeakMap<Expr | Relation, TreeMeasure>();
/** Subqueries of the WITH tables that are read. */
const ofTables = new WeakMap<Relation, number>();

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
  if (relation.kind !== 'withReference') return measure(relation, 0, (below) => mapRelation(relation, below));
  const table = relation.table.relation;
  // However small, since tables that read one another would be measured again and again to the last one.
  const subqueries = ofTables.get(table) ?? measureRelation(table).subqueries;
  ofTables.set(table, subqueries);
  return { nodes: 1, subqueries };
}

function measure(node: Expr | Relation, own: 0 | 1, visit: (below: Below) => unknown): TreeMeasure {
  const known = measured.get(node);
  if (known !== undefined) return known;
  const below = new Below();
  visit(below);
  const found = { nodes: below.nodes + 1, subqueries: below.subqueries + own };
  if (found.nodes >= rememberedNodesMin) measured.set(node, found);
  return found;
}

/** Sums up the children that it is shown. */
class Below {
  nodes = 0;
  subqueries = 0;

  readonly expr = (expr: Expr): Expr => {
    this.#add(measureExpr(expr));
    return expr;
  };

  readonly relation = (relation: Relation): Relation => {
    this.#add(measureRelation(relation));
    return relation;
  };

  #add({ nodes, subqueries }: TreeMeasure): void {
    this.nodes += nodes;
    if (subqueries > this.subqueries) this.subqueries = subqueries;
  }
}
