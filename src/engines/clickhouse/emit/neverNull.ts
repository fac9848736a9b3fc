import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../../../googlesql/resolve/traverse.ts';
import type { CallExpr, Column, Expr, Relation } from '../../../googlesql/resolve/tree.ts';
import { BOOL } from '../../../googlesql/types.ts';

/**
 * Takes away the tests for NULL of columns that every event in ClickHouse has: its time, project and arrival number. Queries
 * over pages test whether a number is there, because the embedded engine may hold events without one, and ClickHouse cannot
 * follow its index through such a test.
 */
export function withoutNullTests(
  relation: Relation,
  outputs: readonly Expr[],
  arrivals: Iterable<Column>,
): { readonly relation: Relation; readonly outputs: readonly Expr[] } {
  // An outer join makes them NULL. An output that has a subquery may have one.
  if (hasOuterJoin(relation) || outputs.some(holdsSubquery)) return { relation, outputs };
  const never = neverNull(relation, arrivals);
  const mapper: Mapper = {
    relation: (below) => mapRelation(below, mapper),
    expr: (expr) => folded(mapExpr(expr, mapper), never),
  };
  return { relation: mapper.relation(relation), outputs: outputs.map((output) => mapper.expr(output)) };
}

function hasOuterJoin(relation: Relation): boolean {
  let found = false;
  walkRelation(relation, {
    relation: (below) => {
      found ||= below.kind === 'join' && below.type !== 'inner';
    },
  });
  return found;
}

function neverNull(relation: Relation, arrivals: Iterable<Column>): ReadonlySet<Column> {
  const never = new Set(arrivals);
  const renamed: (readonly [from: Column, to: Column])[] = [];
  walkRelation(relation, {
    relation: (below) => {
      if (below.kind === 'scan') for (const name of ['timestamp', 'project'] as const) never.add(below.columns[name]);
      if (below.kind !== 'project') return;
      for (const { column, expr } of below.items) if (expr.kind === 'column') renamed.push([expr.column, column]);
    },
  });
  for (let before = -1; before < never.size; ) {
    before = never.size;
    for (const [from, to] of renamed) if (never.has(from)) never.add(to);
  }
  return never;
}

const truth = (value: boolean): Expr => ({ kind: 'literal', type: BOOL, value });
const isTruth = (expr: Expr, value: boolean): boolean => expr.kind === 'literal' && expr.value === value;

/** Only what may hold such a test is folded: everything else was, before the query was split. */
function folded(expr: Expr, never: ReadonlySet<Column>): Expr {
  if (expr.kind === 'case') {
    const branches = expr.branches.filter(({ when }) => !isTruth(when, false));
    if (branches.length === expr.branches.length) return expr;
    if (branches.length > 0) return { ...expr, branches };
    return expr.otherwise ?? { kind: 'literal', type: expr.type, value: null };
  }
  return expr.kind === 'call' ? foldedCall(expr, never) : expr;
}

function foldedCall(call: CallExpr, never: ReadonlySet<Column>): Expr {
  const [first] = call.args;
  switch (call.fn) {
    case '$is_null':
      return first?.kind === 'column' && never.has(first.column) ? truth(false) : call;
    case '$not':
      if (first?.kind !== 'literal' || typeof first.value !== 'boolean') return call;
      return truth(!first.value);
    case '$and':
      return withoutArgs(call, true);
    case '$or':
      return withoutArgs(call, false);
    default:
      return call;
  }
}

/** AND or OR without the arguments that do not decide it. */
function withoutArgs(call: CallExpr, neutral: boolean): Expr {
  const args = call.args.filter((arg) => arg.kind === 'part' || !isTruth(arg, neutral));
  if (args.length === call.args.length) return call;
  const [only] = args;
  if (only === undefined) return truth(neutral);
  return args.length === 1 && only.kind !== 'part' ? only : { ...call, args };
}
