import { assertNever } from '../../core/assertNever.ts';
import type {
  AggregateCall,
  CallArgument,
  Column,
  Computed,
  Expr,
  FrameBound,
  Relation,
  ScanRelation,
  SortKey,
  WindowCall,
} from './tree.ts';

/**
 * The columns that a relation hands to the relation above it, in order. `scanned` says what a scan
 * hands over, where an engine has it give more than its five columns.
 */
export function outputColumns(
  relation: Relation,
  scanned: (scan: ScanRelation) => readonly Column[] = (scan) => Object.values(scan.columns),
): readonly Column[] {
  switch (relation.kind) {
    case 'scan':
      return scanned(relation);
    case 'oneRow':
      return [];
    case 'filter':
    case 'distinct':
    case 'sort':
    case 'limit':
      return outputColumns(relation.input, scanned);
    case 'project':
      return relation.items.map((item) => item.column);
    case 'join':
      return [...outputColumns(relation.left, scanned), ...outputColumns(relation.right, scanned)];
    case 'unnestRecord':
      return [...outputColumns(relation.input, scanned), relation.alias, ...(relation.offset ? [relation.offset] : [])];
    case 'unnestArray':
      return [
        ...outputColumns(relation.input, scanned),
        relation.element,
        ...(relation.offset ? [relation.offset] : []),
      ];
    case 'aggregate':
      return [...relation.keys.map((key) => key.column), ...relation.aggregates.map((call) => call.column)];
    case 'window':
      return [...outputColumns(relation.input, scanned), ...relation.calls.map((call) => call.column)];
    case 'setOperation':
    case 'withReference':
      return relation.columns;
    case 'with':
      return outputColumns(relation.body, scanned);
    default:
      return assertNever(relation);
  }
}

/** What `mapRelation` and `mapExpr` do to the nodes below the one they are given. */
export interface Mapper {
  expr(expr: Expr): Expr;
  relation(relation: Relation): Relation;
}

/** The expression with its direct children replaced; itself when nothing changed. */
export function mapExpr(expr: Expr, map: Mapper): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'now':
    case 'column':
      return expr;
    case 'pathRead':
      return { ...expr, base: map.expr(expr.base) };
    case 'call':
      return { ...expr, args: mapArguments(expr.args, map) };
    case 'cast':
    case 'structField':
      return { ...expr, value: map.expr(expr.value) };
    case 'case':
      return {
        ...expr,
        branches: expr.branches.map((branch) => ({ when: map.expr(branch.when), value: map.expr(branch.value) })),
        otherwise: expr.otherwise && map.expr(expr.otherwise),
      };
    case 'subquery':
      return { ...expr, query: map.relation(expr.query) };
    case 'inSubquery':
      return { ...expr, value: map.expr(expr.value), query: map.relation(expr.query) };
    case 'array':
      return { ...expr, elements: expr.elements.map((element) => map.expr(element)) };
    case 'struct':
      return { ...expr, values: expr.values.map((value) => map.expr(value)) };
    default:
      return assertNever(expr);
  }
}

function mapArguments(args: readonly CallArgument[], map: Mapper): readonly CallArgument[] {
  return args.map((arg) => (arg.kind === 'part' ? arg : map.expr(arg)));
}

function mapSortKeys(keys: readonly SortKey[], map: Mapper): readonly SortKey[] {
  return keys.map((key) => ({ ...key, expr: map.expr(key.expr) }));
}

function mapComputed(items: readonly Computed[], map: Mapper): readonly Computed[] {
  return items.map((item) => ({ column: item.column, expr: map.expr(item.expr) }));
}

function mapAggregate<C extends AggregateCall>(call: C, map: Mapper): C {
  return {
    ...call,
    args: mapArguments(call.args, map),
    modifiers: { ...call.modifiers, orderBy: mapSortKeys(call.modifiers.orderBy, map) },
  };
}

function mapBound<B extends FrameBound>(bound: B, map: Mapper): B {
  return bound.kind === 'offset' ? { ...bound, value: map.expr(bound.value) } : bound;
}

function mapWindow(call: WindowCall, map: Mapper): WindowCall {
  return {
    ...mapAggregate(call, map),
    partitionBy: call.partitionBy.map((expr) => map.expr(expr)),
    orderBy: mapSortKeys(call.orderBy, map),
    frame: call.frame && {
      unit: call.frame.unit,
      start: mapBound(call.frame.start, map),
      end: mapBound(call.frame.end, map),
    },
  };
}

/** The relation with its direct inputs and expressions replaced. Inputs are mapped before expressions. */
export function mapRelation(relation: Relation, map: Mapper): Relation {
  switch (relation.kind) {
    case 'scan':
    case 'oneRow':
      return relation;
    case 'filter': {
      const input = map.relation(relation.input);
      return { ...relation, input, condition: map.expr(relation.condition) };
    }
    case 'project': {
      const input = map.relation(relation.input);
      return { ...relation, input, items: mapComputed(relation.items, map) };
    }
    case 'join': {
      const left = map.relation(relation.left);
      const right = map.relation(relation.right);
      return { ...relation, left, right, on: relation.on && map.expr(relation.on) };
    }
    case 'unnestRecord':
    case 'unnestArray': {
      const input = map.relation(relation.input);
      return { ...relation, input, value: map.expr(relation.value), on: relation.on && map.expr(relation.on) };
    }
    case 'aggregate': {
      const input = map.relation(relation.input);
      return {
        ...relation,
        input,
        keys: mapComputed(relation.keys, map),
        aggregates: relation.aggregates.map((call) => mapAggregate(call, map)),
      };
    }
    case 'window': {
      const input = map.relation(relation.input);
      return { ...relation, input, calls: relation.calls.map((call) => mapWindow(call, map)) };
    }
    case 'distinct':
      return { ...relation, input: map.relation(relation.input) };
    case 'sort': {
      const input = map.relation(relation.input);
      return { ...relation, input, keys: mapSortKeys(relation.keys, map) };
    }
    case 'limit': {
      const input = map.relation(relation.input);
      return {
        ...relation,
        input,
        limit: relation.limit && map.expr(relation.limit),
        offset: relation.offset && map.expr(relation.offset),
      };
    }
    case 'setOperation':
      return {
        ...relation,
        inputs: relation.inputs.map((input) => ({ ...input, relation: map.relation(input.relation) })),
      };
    case 'with': {
      const tables = relation.tables.map((table) => ({ ...table, relation: map.relation(table.relation) }));
      return { ...relation, tables, body: map.relation(relation.body) };
    }
    case 'withReference':
      return relation;
    default:
      return assertNever(relation);
  }
}

/** Calls `visit` for every expression (outermost first) and relation below and including `relation`. */
export function walkRelation(
  relation: Relation,
  visit: { readonly expr?: (expr: Expr) => void; readonly relation?: (relation: Relation) => void },
): void {
  const map: Mapper = {
    expr(expr) {
      visit.expr?.(expr);
      mapExpr(expr, map);
      return expr;
    },
    relation(below) {
      visit.relation?.(below);
      mapRelation(below, map);
      return below;
    },
  };
  map.relation(relation);
}
