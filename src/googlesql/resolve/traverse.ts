import { assertNever } from '../../core/assertNever.ts';
import type {
  AggregateCall,
  CallArgument,
  CaseExpr,
  Column,
  Expr,
  FrameBound,
  JoinRelation,
  Relation,
  ScanRelation,
  SetOperationRelation,
  WindowCall,
  WithTable,
} from './tree.ts';

/**
 * The columns that a relation produces, in order. `scanned` gives those of a scan, for an engine whose scans produce more
 * than the five columns.
 */
export function outputColumns(
  relation: Relation,
  scanned: (scan: ScanRelation) => readonly Column[] = scannedColumns,
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

/** The columns of a scan in the resolved tree. */
export function scannedColumns({ columns, arrival }: ScanRelation): readonly Column[] {
  return arrival === undefined ? Object.values(columns) : [...Object.values(columns), arrival];
}

/** The columns that are NULL in the unmatched rows of an outer join. */
export function columnsMadeUp({ type, left, right }: JoinRelation): readonly Column[] {
  return [
    ...(type === 'right' || type === 'full' ? outputColumns(left) : []),
    ...(type === 'left' || type === 'full' ? outputColumns(right) : []),
  ];
}

/** Applied by `mapRelation` and `mapExpr` to the direct children of a node. */
export interface Mapper {
  expr(expr: Expr): Expr;
  relation(relation: Relation): Relation;
}

/**
 * Maps each member of a list; returns the list itself if none changes. `mapItem` is shared by all lists of a kind: a
 * closure for each node was a fifth of the garbage of a call (decision 44).
 */
function mapList<T>(list: readonly T[], mapItem: (item: T, map: Mapper) => T, map: Mapper): readonly T[] {
  let mapped: T[] | null = null;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as T;
    const other = mapItem(item, map);
    if (mapped === null && other !== item) mapped = list.slice(0, i);
    mapped?.push(other);
  }
  return mapped ?? list;
}

/** The expression with its direct children mapped, or itself if none changes. */
export function mapExpr(expr: Expr, map: Mapper): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'now':
    case 'column':
      return expr;
    case 'pathRead': {
      const base = map.expr(expr.base);
      return base === expr.base ? expr : { ...expr, base };
    }
    case 'call': {
      const args = mapArguments(expr.args, map);
      return args === expr.args ? expr : { ...expr, args };
    }
    case 'cast':
    case 'structField': {
      const value = map.expr(expr.value);
      return value === expr.value ? expr : { ...expr, value };
    }
    case 'case': {
      const branches = mapList(expr.branches, mapBranch, map);
      const otherwise = expr.otherwise && map.expr(expr.otherwise);
      return branches === expr.branches && otherwise === expr.otherwise ? expr : { ...expr, branches, otherwise };
    }
    case 'subquery': {
      const query = map.relation(expr.query);
      return query === expr.query ? expr : { ...expr, query };
    }
    case 'inSubquery': {
      const value = map.expr(expr.value);
      const query = map.relation(expr.query);
      return value === expr.value && query === expr.query ? expr : { ...expr, value, query };
    }
    case 'array': {
      const elements = mapList(expr.elements, mapMember, map);
      return elements === expr.elements ? expr : { ...expr, elements };
    }
    case 'struct': {
      const values = mapList(expr.values, mapMember, map);
      return values === expr.values ? expr : { ...expr, values };
    }
    default:
      return assertNever(expr);
  }
}

function mapMember(expr: Expr, map: Mapper): Expr {
  return map.expr(expr);
}

function mapBranch(branch: CaseExpr['branches'][number], map: Mapper): CaseExpr['branches'][number] {
  const when = map.expr(branch.when);
  const value = map.expr(branch.value);
  return when === branch.when && value === branch.value ? branch : { when, value };
}

function mapArgument(arg: CallArgument, map: Mapper): CallArgument {
  return arg.kind === 'part' ? arg : map.expr(arg);
}

function mapArguments(args: readonly CallArgument[], map: Mapper): readonly CallArgument[] {
  return mapList(args, mapArgument, map);
}

function mapHolder<T extends { readonly expr: Expr }>(holder: T, map: Mapper): T {
  const expr = map.expr(holder.expr);
  return expr === holder.expr ? holder : { ...holder, expr };
}

/** Maps the expressions of members that hold one each. */
function mapHolders<T extends { readonly expr: Expr }>(holders: readonly T[], map: Mapper): readonly T[] {
  return mapList<T>(holders, mapHolder, map);
}

function mapAggregate<C extends AggregateCall>(call: C, map: Mapper): C {
  const args = mapArguments(call.args, map);
  const orderBy = mapHolders(call.modifiers.orderBy, map);
  if (args === call.args && orderBy === call.modifiers.orderBy) return call;
  return { ...call, args, modifiers: { ...call.modifiers, orderBy } };
}

function mapBound<B extends FrameBound>(bound: B, map: Mapper): B {
  if (bound.kind !== 'offset') return bound;
  const value = map.expr(bound.value);
  return value === bound.value ? bound : { ...bound, value };
}

function mapWindow(call: WindowCall, map: Mapper): WindowCall {
  const mapped = mapAggregate(call, map);
  const partitionBy = mapList(call.partitionBy, mapMember, map);
  const orderBy = mapHolders(call.orderBy, map);
  const start = call.frame && mapBound(call.frame.start, map);
  const end = call.frame && mapBound(call.frame.end, map);
  const isSameFrame = start === (call.frame?.start ?? null) && end === (call.frame?.end ?? null);
  if (mapped === call && partitionBy === call.partitionBy && orderBy === call.orderBy && isSameFrame) return call;
  const frame = call.frame && start && end && { unit: call.frame.unit, start, end };
  return { ...mapped, partitionBy, orderBy, frame };
}

function mapArm(arm: SetOperationRelation['inputs'][number], map: Mapper): SetOperationRelation['inputs'][number] {
  const relation = map.relation(arm.relation);
  return relation === arm.relation ? arm : { ...arm, relation };
}

function mapTable(table: WithTable, map: Mapper): WithTable {
  const relation = map.relation(table.relation);
  return relation === table.relation ? table : { ...table, relation };
}

/** The relation with its direct inputs and expressions mapped, or itself if none changes. Inputs are mapped before expressions. */
export function mapRelation(relation: Relation, map: Mapper): Relation {
  switch (relation.kind) {
    case 'scan':
    case 'oneRow':
      return relation;
    case 'filter': {
      const input = map.relation(relation.input);
      const condition = map.expr(relation.condition);
      return input === relation.input && condition === relation.condition
        ? relation
        : { ...relation, input, condition };
    }
    case 'project': {
      const input = map.relation(relation.input);
      const items = mapHolders(relation.items, map);
      return input === relation.input && items === relation.items ? relation : { ...relation, input, items };
    }
    case 'join': {
      const left = map.relation(relation.left);
      const right = map.relation(relation.right);
      const on = relation.on && map.expr(relation.on);
      const isSame = left === relation.left && right === relation.right && on === relation.on;
      return isSame ? relation : { ...relation, left, right, on };
    }
    case 'unnestRecord':
    case 'unnestArray': {
      const input = map.relation(relation.input);
      const value = map.expr(relation.value);
      const on = relation.on && map.expr(relation.on);
      const isSame = input === relation.input && value === relation.value && on === relation.on;
      return isSame ? relation : { ...relation, input, value, on };
    }
    case 'aggregate': {
      const input = map.relation(relation.input);
      const keys = mapHolders(relation.keys, map);
      const aggregates = mapList<AggregateCall>(relation.aggregates, mapAggregate, map);
      const isSame = input === relation.input && keys === relation.keys && aggregates === relation.aggregates;
      return isSame ? relation : { ...relation, input, keys, aggregates };
    }
    case 'window': {
      const input = map.relation(relation.input);
      const calls = mapList(relation.calls, mapWindow, map);
      return input === relation.input && calls === relation.calls ? relation : { ...relation, input, calls };
    }
    case 'distinct': {
      const input = map.relation(relation.input);
      return input === relation.input ? relation : { ...relation, input };
    }
    case 'sort': {
      const input = map.relation(relation.input);
      const keys = mapHolders(relation.keys, map);
      return input === relation.input && keys === relation.keys ? relation : { ...relation, input, keys };
    }
    case 'limit': {
      const input = map.relation(relation.input);
      const limit = relation.limit && map.expr(relation.limit);
      const offset = relation.offset && map.expr(relation.offset);
      const isSame = input === relation.input && limit === relation.limit && offset === relation.offset;
      return isSame ? relation : { ...relation, input, limit, offset };
    }
    case 'setOperation': {
      const inputs = mapList(relation.inputs, mapArm, map);
      return inputs === relation.inputs ? relation : { ...relation, inputs };
    }
    case 'with': {
      const tables = mapList(relation.tables, mapTable, map);
      const body = map.relation(relation.body);
      return tables === relation.tables && body === relation.body ? relation : { ...relation, tables, body };
    }
    case 'withReference':
      return relation;
    default:
      return assertNever(relation);
  }
}

/** Calls `visit` for `relation` and every expression (outermost first) and relation below it. */
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
