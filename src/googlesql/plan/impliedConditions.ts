import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { CallArgument, Column, Expr, Relation, ScanRelation } from '../resolve/tree.ts';
import { BOOL } from '../types.ts';
import type { ScanRead } from './attachScans.ts';
import { conjunctsOf } from './rowFacts.ts';
import type { BoundsDecisions, ScanBounds } from './scanBounds.ts';

/**
 * Removes redundant conditions directly above a scan. Each one costs planning time in the engine, and perhaps a column that
 * nothing else reads. It removes
 *
 * - conditions on the event's time that the bounds of the scan imply;
 * - tests for an object, if another condition needs a typed column inside the object (`HotColumn`);
 * - tests for NULL of a column that another condition compares with a value.
 *
 * It never removes conditions on the project, which are in the scan and above it (decision 20).
 */
export function withoutImplied(
  relation: Relation,
  reads: ReadonlyMap<Column, readonly ScanRead[]>,
  decisions: BoundsDecisions,
): Relation {
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => {
      const filtered = filteredScan(below);
      if (filtered === null) return mapRelation(below, mapper);
      const { scan, conjuncts } = filtered;
      const { timestamp } = scan.columns;
      const there = columnsThere(conjuncts, reads.get(timestamp) ?? []);
      const kept = conjuncts
        .filter((each) => !isWithinBounds(each, timestamp, decisions) && !there.isImplied(each))
        .map(mapper.expr);
      return kept.length === 0 ? scan : { kind: 'filter', input: scan, condition: allOf(kept) };
    },
  };
  return mapper.relation(relation);
}

/** The scan below a chain of filters, and their conditions, innermost first; null if something else is below. */
function filteredScan(relation: Relation): { scan: ScanRelation; conjuncts: readonly Expr[] } | null {
  const conditions: Expr[] = [];
  let at = relation;
  for (; at.kind === 'filter'; at = at.input) conditions.push(at.condition);
  return at.kind === 'scan' && conditions.length > 0
    ? { scan: at, conjuncts: conditions.toReversed().flatMap(conjunctsOf) }
    : null;
}

/** Combines conditions with AND, so that thousands of them make one filter: every later pass recurses over relations. */
export function allOf(conjuncts: readonly Expr[]): Expr {
  const [first] = conjuncts;
  if (first !== undefined && conjuncts.length === 1) return first;
  return { kind: 'call', type: BOOL, fn: '$and', args: conjuncts, safe: false, pos: { offset: 0, line: 1, column: 1 } };
}

/** Whether the condition is true for all events within the bounds. */
function isWithinBounds(conjunct: Expr, timestamp: Column, decisions: BoundsDecisions): boolean {
  const isWithin = conjunct.kind === 'call' ? orders[conjunct.fn] : undefined;
  if (conjunct.kind !== 'call' || isWithin === undefined) return false;
  const [value, literal] = conjunct.args;
  if (value?.kind !== 'column' || value.column !== timestamp || conjunct.args.length !== 2) return false;
  if (literal?.kind !== 'literal') return false;
  return decisions.decide((bounds) => {
    const found = bounds.get(timestamp);
    return found !== undefined && typeof literal.value === 'bigint' && isWithin(found, literal.value);
  });
}

/** For each comparison with a time, whether it is true for all events within the bounds. */
const orders: Readonly<Record<string, (bounds: ScanBounds, time: bigint) => boolean>> = {
  $gt: ({ fromMicros }, time) => fromMicros !== null && fromMicros > time,
  $ge: ({ fromMicros }, time) => fromMicros !== null && fromMicros >= time,
  $lt: ({ toMicros }, time) => toMicros !== null && toMicros < time,
  $le: ({ toMicros }, time) => toMicros !== null && toMicros <= time,
};

/** Which tests for NULL the other conditions imply. */
function columnsThere(conjuncts: readonly Expr[], reads: readonly ScanRead[]) {
  const compared = new Set(conjuncts.flatMap(columnsCompared));
  const tested = new Set(conjuncts.flatMap((conjunct) => testedForNull(conjunct) ?? []));
  const isThere = (column: Column): boolean => compared.has(column) || tested.has(column);
  const inside = reads.filter(({ column, hot }) => hot !== null && isThere(column));
  const needless = new Set(
    reads.flatMap(({ column, path, hot }) =>
      hot?.kind === 'presence' && inside.some((read) => isInside(path, read.path)) ? [column] : [],
    ),
  );
  return {
    isImplied: (conjunct: Expr): boolean => {
      const column = testedForNull(conjunct);
      return column !== null && (compared.has(column) || needless.has(column));
    },
  };
}

function isInside(object: readonly string[], member: readonly string[]): boolean {
  return member.length > object.length && object.every((step, i) => step === member[i]);
}

/** The column of `NOT column IS NULL`; null for any other condition. */
export function testedForNull(expr: Expr): Column | null {
  const [negated] = expr.kind === 'call' && expr.fn === '$not' ? expr.args : [];
  const [value] = negated?.kind === 'call' && negated.fn === '$is_null' ? negated.args : [];
  return value?.kind === 'column' ? value.column : null;
}

const comparisons: ReadonlySet<string> = new Set(['$eq', '$ne', '$lt', '$le', '$gt', '$ge', '$between', '$in']);

/** Columns that cannot be NULL if the comparison is true. */
function columnsCompared(expr: Expr): readonly Column[] {
  if (expr.kind !== 'call' || !comparisons.has(expr.fn)) return [];
  const operands = expr.fn === '$in' ? expr.args.slice(0, 1) : expr.args;
  return operands.flatMap(columnOf);
}

function columnOf(operand: CallArgument): readonly Column[] {
  // A converted typed column is NULL if the column is (jsonRead.ts).
  const value = operand.kind === 'pathRead' && operand.path.length === 0 ? operand.base : operand;
  return value.kind === 'column' ? [value.column] : [];
}
