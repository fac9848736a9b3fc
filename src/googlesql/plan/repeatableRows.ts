import { holdsSubquery } from '../resolve/holdsSubquery.ts';
import { outputColumns, walkRelation } from '../resolve/traverse.ts';
import type {
  AggregateCall,
  Column,
  Expr,
  Relation,
  ResolvedQuery,
  SortKey,
  WindowCall,
  WithReferenceRelation,
} from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';
import { isKeyType } from './pageKeys.ts';
import { around, topOf } from './pageQuery.ts';
import { pageRefusal } from './pageRefusal.ts';
import { withoutUnusedTables } from './usedTables.ts';

/**
 * Returns the sources whose events decide the rows of a query, if nothing else decides them: every run over the same events
 * returns the same rows in the same order, byte for byte (decision 103). Null if the query uses the clock or chance, or if
 * its rows may depend on the order in which an engine reads: rows without a complete order, sums of floats, a value that
 * stands for several equal values that are written differently.
 */
export function sourcesOfSameRows({ relation, usesNow, isVolatile }: ResolvedQuery): readonly string[] | null {
  if (usesNow || isVolatile) return null;
  const known = found.get(relation);
  if (known !== undefined) return known;
  const sources = isSameAtEachRun(relation) ? sourcesScanned(relation) : null;
  found.set(relation, sources);
  return sources;
}

/** Cached, because each call of a query needs it. */
const found = new WeakMap<Relation, readonly string[] | null>();

function sourcesScanned(relation: Relation): readonly string[] {
  const names = new Set<string>();
  walkRelation(withoutUnusedTables(relation), {
    relation: (below) => {
      if (below.kind === 'scan') names.add(below.source.name);
    },
  });
  return [...names];
}

function isSameAtEachRun(relation: Relation): boolean {
  const { tables, rows, keys } = topOf(relation);
  if (pageRefusal({ relation: around(tables, rows), isVolatile: false }, rows) !== null) return false;
  if (!isInOrder(rows, keys)) return false;
  let isExact = true;
  walkRelation(relation, {
    relation: (below) => {
      isExact &&= isExactRelation(below);
    },
    expr: (expr) => {
      // The elements of ARRAY(SELECT …) have no order of their own.
      isExact &&= !(expr.kind === 'subquery' && expr.mode === 'array');
    },
  });
  return isExact;
}

/**
 * What distinguishes the rows of a relation: `single`, at most one row; `arrivals`, which complete every ORDER BY
 * (arrivalOrder.ts); or the values of these columns, which complete no ORDER BY. Null if unknown.
 */
type Distinction = 'single' | 'arrivals' | readonly Column[] | null;

function isInOrder(rows: Relation, keys: readonly SortKey[]): boolean {
  const distinction = distinctionOf(rows);
  if (distinction === 'single') return true;
  if (distinction === null || keys.length === 0) return false;
  if (keys.some(({ expr }) => !isKeyType(expr.type) || holdsSubquery(expr))) return false;
  if (distinction === 'arrivals') return true;
  const sorted = new Set(keys.map(({ expr }) => columnOf(expr)));
  return distinction.every((column) => sorted.has(column));
}

const columnOf = (expr: Expr): Column | null => (expr.kind === 'column' ? expr.column : null);

function distinctionOf(relation: Relation): Distinction {
  switch (relation.kind) {
    case 'oneRow':
      return 'single';
    case 'scan':
      return 'arrivals';
    case 'filter':
    case 'window':
    case 'sort':
    case 'limit':
      return distinctionOf(relation.input);
    case 'project': {
      const columns = new Map(relation.items.map(({ column, expr }) => [columnOf(expr), column]));
      return renamed(distinctionOf(relation.input), (column) => columns.get(column));
    }
    case 'unnestRecord':
    case 'unnestArray':
      return distinctionOf(relation.input) === 'arrivals' ? 'arrivals' : null;
    case 'join': {
      const [left, right] = [distinctionOf(relation.left), distinctionOf(relation.right)];
      // A full join of two single rows returns both if they do not match.
      if (left === 'single' && right === 'single') return relation.type === 'full' ? null : 'single';
      const areKnown = [left, right].every((each) => each === 'arrivals' || each === 'single');
      return areKnown ? 'arrivals' : null;
    }
    case 'aggregate':
      if (relation.rollup) return null;
      return relation.keys.length === 0 ? 'single' : relation.keys.map(({ column }) => column);
    case 'distinct':
      return outputColumns(relation);
    case 'setOperation':
      return relation.all ? null : relation.columns;
    case 'with':
      return distinctionOf(relation.body);
    case 'withReference':
      return ofReference(relation);
  }
}

function ofReference({ table, columns }: WithReferenceRelation): Distinction {
  const own = new Map(table.columns.map((column, i) => [column, columns[i]]));
  return renamed(distinctionOf(table.relation), (column) => own.get(column));
}

/** The distinction in terms of the columns of a relation above; null if that relation lacks one. */
function renamed(distinction: Distinction, nameOf: (column: Column) => Column | undefined): Distinction {
  if (distinction === null || typeof distinction === 'string') return distinction;
  const columns = distinction.map(nameOf);
  return columns.every((column) => column !== undefined) ? columns : null;
}

/** Whether the relation itself, apart from its inputs, depends on no order of reading. `pageRefusal` checks the rest. */
function isExactRelation(relation: Relation): boolean {
  switch (relation.kind) {
    case 'limit':
      // An optimization barrier (optimizationBarrier.ts) leaves out nothing.
      if (relation.limit === null) return true;
      return relation.input.kind === 'sort' && isInOrder(relation.input.input, relation.input.keys);
    case 'aggregate': {
      const isByArrival = distinctionOf(relation.input) === 'arrivals';
      return (
        relation.keys.every(({ column }) => isExactType(column.type)) &&
        relation.aggregates.every((call) => isExactCall(call, isByArrival))
      );
    }
    case 'window': {
      const isByArrival = distinctionOf(relation.input) === 'arrivals';
      return relation.calls.every((call) => isExactCall(call, isByArrival) && (isByArrival || !countsRows(call)));
    }
    case 'distinct':
      return outputColumns(relation).every(({ type }) => isExactType(type));
    case 'setOperation':
      return (relation.op === 'union' && relation.all) || relation.columns.every(({ type }) => isExactType(type));
    default:
      return true;
  }
}

/** Whether equal values of the type are written alike: 0 and -0 are not, and JSON has many forms. */
const isExactType = (type: SqlType): boolean => isKeyType(type) && type.kind !== 'FLOAT64';

function isExactCall({ fn, column, modifiers }: AggregateCall, isByArrival: boolean): boolean {
  if (modifiers.orderBy.length > 0) {
    const isOrdered = modifiers.distinct ? isExactType(elementOf(column.type)) : isByArrival;
    if (!isOrdered) return false;
  }
  return (fn !== 'min' && fn !== 'max') || isExactType(column.type);
}

const elementOf = (type: SqlType): SqlType => (type.kind === 'ARRAY' ? type.element : type);

/** Window functions that do not depend on the order of rows that are equal in the ORDER BY. */
const ofPeers: ReadonlySet<string> = new Set([
  ...['count', 'countif', 'sum', 'min', 'max', 'logical_and', 'logical_or', 'bit_and', 'bit_or', 'bit_xor'],
  ...['rank', 'dense_rank', 'percent_rank', 'cume_dist'],
]);

/** Whether the call depends on the order of rows that are equal in its ORDER BY. */
const countsRows = ({ fn, frame }: WindowCall): boolean => frame?.unit === 'rows' || !ofPeers.has(fn);
