import { nearestName } from '../../core/nearestName.ts';
import type { Expression, GroupBy, OrderingItem, Position, Select } from '../syntax/nodes.ts';
import { typeName } from '../types.ts';
import { checkAggregateDepth } from './aggregateDepth.ts';
import type { ExpressionContext, ResolvedSubquery, SubqueryOutput } from './context.ts';
import { condition, impliedName, resolveExpr } from './expressions.ts';
import { type ExprKey, exprKey } from './exprKey.ts';
import { resolveFrom } from './from.ts';
import { isGroupable } from './groupable.ts';
import { holdsCall } from './holdsCall.ts';
import { named } from './named.ts';
import { type Aliases, NameScope, type RangeTable } from './nameScope.ts';
import { ambiguousAlias, columnExpr, findName, quote } from './names.ts';
import { resolveOrdering } from './ordering.ts';
import { Regrouper } from './requireGrouped.ts';
import { sqlError } from './sqlError.ts';
import { expandStar } from './star.ts';
import { outputColumns } from './traverse.ts';
import type { AggregateCall, Column, Computed, Expr, Relation, SortKey, WindowCall } from './tree.ts';
import { underivedKeys } from './underivedKeys.ts';
import { namedWindowsOf } from './windows.ts';

interface Item {
  readonly name: string;
  readonly expr: Expr;
  readonly pos: Position;
}

/** The context around a SELECT. */
export type OuterContext = Omit<ExpressionContext, 'aggregates' | 'windows' | 'namedWindows' | 'clause'>;

/**
 * Resolves one SELECT and the ORDER BY after it. GoogleSQL evaluates in this order: FROM, WHERE, GROUP BY, HAVING, windows,
 * QUALIFY, select list, DISTINCT, ORDER BY.
 */
export function resolveSelect(select: Select, orderBy: readonly OrderingItem[], outer: OuterContext): ResolvedSubquery {
  if (select.from === undefined) {
    refuseWithoutFrom(select, orderBy);
    return selectFrom({ relation: { kind: 'oneRow' }, variables: [] }, select, [], outer, withoutFromRules);
  }
  const context = { ...outer, aggregates: null, windows: null, namedWindows: new Map(), clause: 'FROM' };
  return selectFrom(resolveFrom(select.from, context, null), select, orderBy, outer);
}

/** Refuses clauses that need a table: a SELECT without FROM is one row (GoogleSQL, "SELECT list"). */
function refuseWithoutFrom(select: Select, orderBy: readonly OrderingItem[]): void {
  const clauses: readonly (readonly [string, Position | undefined])[] = [
    ['DISTINCT', select.isDistinct ? select.pos : undefined],
    ['WHERE', select.where?.pos],
    ['GROUP BY', select.groupBy?.pos],
    ['HAVING', select.having?.pos],
    ['QUALIFY', select.qualify?.pos],
    ['WINDOW', select.windows[0]?.pos],
    ['ORDER BY', orderBy[0]?.pos],
  ];
  for (const [clause, pos] of clauses) {
    if (pos !== undefined)
      throw sqlError('sql.type', `SELECT without FROM does not accept ${clause}`, pos, { token: clause });
  }
}

/** What a select list may contain, and the order that its rows keep. */
export interface SelectRules {
  /** The clause, for messages. */
  readonly clause: string;
  readonly hasAggregates: boolean;
  readonly hasWindows: boolean;
  /** Sort keys over the rows of FROM. If there are any, the resulting relation is sorted by them. */
  readonly order: readonly SortKey[];
}

const withoutFromRules: SelectRules = {
  clause: 'SELECT without FROM',
  hasAggregates: false,
  hasWindows: false,
  order: [],
};

const standardRules: SelectRules = { clause: 'SELECT', hasAggregates: true, hasWindows: true, order: [] };

/** Resolves a SELECT over the rows of `from`; its own FROM clause is ignored. */
export function selectFrom(
  from: RangeTable,
  select: Select,
  orderBy: readonly OrderingItem[],
  outer: OuterContext,
  rules: SelectRules = standardRules,
): ResolvedSubquery {
  const rowContext: ExpressionContext = {
    ...outer,
    aggregates: null,
    windows: null,
    namedWindows: new Map(),
    clause: 'FROM',
  };
  const scope = new NameScope(outer.scope, from.variables);
  let relation = from.relation;
  if (select.where !== undefined) {
    const where = condition(select.where, { ...rowContext, scope, clause: 'WHERE' });
    relation = { kind: 'filter', input: relation, condition: where };
  }
  const aggregates: AggregateCall[] = [];
  const windows: WindowCall[] = [];
  const context: ExpressionContext = {
    ...rowContext,
    scope,
    aggregates: rules.hasAggregates ? aggregates : null,
    windows: rules.hasWindows ? windows : null,
    namedWindows: namedWindowsOf(select.windows),
    clause: rules.clause,
  };
  const items = select.items.flatMap((item): Item[] => {
    if (item.kind === 'SelectStar') return expandStar(item, context).map((each) => ({ ...each, pos: item.pos }));
    const expr = resolveExpr(item.expression, context);
    return [{ name: item.alias?.name ?? impliedName(item.expression), expr, pos: item.pos }];
  });
  const aliasScope = scope.withAliases(aliasesOf(items));
  // These clauses may use aggregates, but an aggregate in them does not make the query grouped.
  const hasGroups = select.groupBy !== undefined || aggregates.length > 0;
  if (select.having !== undefined && !hasGroups) {
    const sentence = 'HAVING requires GROUP BY or an aggregate in the select list; to filter rows, use WHERE';
    throw sqlError('sql.type', sentence, select.having.pos);
  }
  const having =
    select.having === undefined
      ? null
      : condition(select.having, { ...context, scope: aliasScope, windows: null, clause: 'HAVING' });
  const qualify =
    select.qualify === undefined
      ? null
      : condition(select.qualify, { ...context, scope: aliasScope, clause: 'QUALIFY' });
  const keys = [
    ...orderBy.map((item) => ({
      key: resolveOrderItem(item, items, {
        ...context,
        scope: aliasScope,
        ...(hasGroups
          ? { clause: 'ORDER BY' }
          : { clause: 'ORDER BY of a query that is not grouped', aggregates: null }),
      }),
      pos: item.pos,
    })),
    ...rules.order.map((key) => ({ key, pos: select.pos })),
  ];

  const isGrouped = hasGroups || aggregates.length > 0;
  let rewrite = (expr: Expr, _pos: Position): Expr => expr;
  if (isGrouped) {
    const callColumns = new Set([...aggregates, ...windows].map((call) => call.column));
    const isLeaf = (expr: Expr) => !holdsCall(expr, callColumns);
    const groups = groupKeys(select.groupBy, select, items, isLeaf, {
      ...context,
      aggregates: null,
      windows: null,
      clause: 'GROUP BY',
    });
    const rollup = select.groupBy?.items.some((item) => item.kind === 'Rollup') ?? false;
    const calls = aggregates.map((aggregate) => boundGrouping(aggregate, groups));
    const regrouper = new Regrouper(rollup ? underivedKeys(groups) : groups, new Set(outputColumns(relation)));
    const rollupSteps = rollupStepsOf(select.groupBy);
    const steps = rollupSteps === null ? {} : { rollupSteps };
    relation = { kind: 'aggregate', input: relation, keys: groups, rollup, ...steps, aggregates: calls };
    checkAggregateDepth(relation, select.pos, context.session.limits);
    rewrite = (expr, pos) => regrouper.rewrite(expr, pos);
  }
  if (having !== null) relation = { kind: 'filter', input: relation, condition: rewrite(having, select.pos) };
  if (windows.length > 0) {
    relation = { kind: 'window', input: relation, calls: windows.map((call) => rewriteWindow(call, rewrite)) };
  }
  if (qualify !== null) relation = { kind: 'filter', input: relation, condition: rewrite(qualify, select.pos) };
  return project(relation, items, keys, select, rewrite, context);
}

function aliasesOf(items: readonly Item[]): Aliases {
  const aliases = new Map<string, Expr[]>();
  for (const item of items) {
    const name = item.name.toLowerCase();
    if (name === '') continue;
    const known = aliases.get(name);
    if (known === undefined) aliases.set(name, [item.expr]);
    else known.push(item.expr);
  }
  return aliases;
}

function resolveOrderItem(item: OrderingItem, items: readonly Item[], context: ExpressionContext): SortKey {
  const ordinal =
    item.expression.kind === 'IntegerLiteral' ? itemAt(item.expression.value, items, item.pos, 'ORDER BY') : null;
  return resolveOrdering(item, ordinal?.expr ?? resolveExpr(item.expression, context));
}

function itemAt(ordinal: bigint, items: readonly Item[], pos: Position, clause: string): Item {
  const item = ordinal >= 1n ? items[Number(ordinal) - 1] : undefined;
  if (item !== undefined) return item;
  throw sqlError(
    'sql.unknown_name',
    `${clause} ${ordinal} is not a column number; the last column is ${items.length}`,
    pos,
    {
      token: String(ordinal),
    },
  );
}

/**
 * The grouping expressions. A name means the select alias if there is one without an aggregate (googlesql.md, section 3:
 * `GROUP BY timestamp`), otherwise the column. A number means the select item.
 */
function groupKeys(
  groupBy: GroupBy | undefined,
  select: Select,
  items: readonly Item[],
  isLeaf: (expr: Expr) => boolean,
  context: ExpressionContext,
): readonly Computed[] {
  const exprs: Expr[] = [];
  const add = (node: Expression): void => {
    const expr = groupExpr(node, items, isLeaf, context);
    if (!isGroupable(expr.type)) {
      throw sqlError('sql.type', `GROUP BY cannot compare values of type ${typeName(expr.type)}`, node.pos);
    }
    exprs.push(expr);
  };
  const addToRollup = (node: Expression): void => {
    if (node.kind === 'Tuple') node.elements.forEach(add);
    else add(node);
  };
  if (groupBy?.isAll === true) exprs.push(...items.map((item) => item.expr).filter(isLeaf));
  const rollups = groupBy?.items.filter((item) => item.kind === 'Rollup') ?? [];
  if (rollups.length > 0 && (groupBy?.items.length ?? 0) > 1) {
    throw sqlError(
      'sql.unsupported',
      'ROLLUP cannot be combined with other groupings; write one ROLLUP(…)',
      select.pos,
    );
  }
  for (const item of groupBy?.items ?? []) {
    if (item.kind === 'Rollup') item.expressions.forEach(addToRollup);
    else add(item.expression);
  }
  return exprs.map((expr) => ({ column: context.session.columnFor(nameOf(expr, items), expr), expr }));
}

/** The keys that each step of ROLLUP removes: `ROLLUP((a, b), c)` removes c first, then a and b together. Null if each step has one key. */
function rollupStepsOf(groupBy: GroupBy | undefined): readonly number[] | null {
  const [item] = groupBy?.items ?? [];
  if (item?.kind !== 'Rollup' || !item.expressions.some((node) => node.kind === 'Tuple')) return null;
  return item.expressions.map((node) => (node.kind === 'Tuple' ? node.elements.length : 1));
}

function groupExpr(
  node: Expression,
  items: readonly Item[],
  isLeaf: (expr: Expr) => boolean,
  context: ExpressionContext,
): Expr {
  if (node.kind === 'IntegerLiteral') {
    const item = itemAt(node.value, items, node.pos, 'GROUP BY');
    if (isLeaf(item.expr)) return item.expr;
    throw sqlError('sql.type', `GROUP BY ${node.value} refers to an aggregate`, node.pos, {
      token: String(node.value),
    });
  }
  if (node.kind === 'Name') {
    const [alias, ...others] = named(items, node.name.name);
    if (others.length > 0) throw ambiguousAlias(node.name, others.length + 1);
    if (alias !== undefined && isLeaf(alias.expr)) return alias.expr;
    if (alias !== undefined && findName(node.name, context.scope) === null) {
      throw sqlError('sql.type', `GROUP BY ${node.name.name} refers to an aggregate`, node.pos, {
        token: node.name.name,
      });
    }
    if (alias === undefined && findName(node.name, context.scope) === null) {
      const allowed = items.map((item) => item.name).filter((name) => name !== '');
      const nearest = nearestName(node.name.name, allowed);
      if (nearest !== undefined) {
        throw sqlError('sql.unknown_name', `Unknown column or alias \`${node.name.name}\` in GROUP BY`, node.pos, {
          token: node.name.name,
          allowed,
          nearest,
        });
      }
    }
  }
  return resolveExpr(node, context);
}

/** Binds GROUPING to the grouping expression that its argument repeats. */
function boundGrouping(call: AggregateCall, groups: readonly Computed[]): AggregateCall {
  if (call.fn !== 'grouping') return call;
  const [asked] = call.args;
  const key = asked === undefined || asked.kind === 'part' ? null : exprKey(asked);
  const keyIndex = groups.findIndex((group) => exprKey(group.expr) === key);
  if (keyIndex >= 0) return { ...call, keyIndex };
  throw sqlError('sql.type', 'The argument of GROUPING must be one of the expressions in GROUP BY', call.pos, {
    token: 'GROUPING',
  });
}

function nameOf(expr: Expr, items: readonly Item[]): string {
  return items.find((item) => item.expr === expr)?.name ?? 'key';
}

function rewriteWindow(call: WindowCall, rewrite: (expr: Expr, pos: Position) => Expr): WindowCall {
  const key = (sort: SortKey): SortKey => ({ ...sort, expr: rewrite(sort.expr, call.pos) });
  return {
    ...call,
    args: call.args.map((arg) => (arg.kind === 'part' ? arg : rewrite(arg, call.pos))),
    modifiers: { ...call.modifiers, orderBy: call.modifiers.orderBy.map(key) },
    partitionBy: call.partitionBy.map((expr) => rewrite(expr, call.pos)),
    orderBy: call.orderBy.map(key),
  };
}

/** Resolves the select list, DISTINCT and ORDER BY; sort keys that are not selected become extra columns. */
function project(
  input: Relation,
  items: readonly Item[],
  order: readonly { readonly key: SortKey; readonly pos: Position }[],
  select: Select,
  rewrite: (expr: Expr, pos: Position) => Expr,
  context: ExpressionContext,
): ResolvedSubquery {
  const { session } = context;
  const computed: Computed[] = [];
  let outputs: SubqueryOutput[] = [];
  const columnByExpr = new Map<ExprKey, Column>();
  for (const item of items) {
    const expr = rewrite(item.expr, item.pos);
    const column = session.columnFor(item.name, expr);
    computed.push({ column, expr });
    outputs.push({ name: item.name, column });
    if (order.length === 0) continue;
    const key = exprKey(item.expr);
    if (!columnByExpr.has(key)) columnByExpr.set(key, column);
  }
  if (select.as === 'value') {
    const [only, ...others] = outputs;
    if (only === undefined || others.length > 0) {
      throw sqlError(
        'sql.type',
        `SELECT AS VALUE must have one column, but this one has ${outputs.length}`,
        select.pos,
      );
    }
    outputs = [{ name: '', column: only.column }];
  }
  if (select.as === 'struct') {
    const type = { kind: 'STRUCT' as const, fields: outputs.map(({ name, column }) => ({ name, type: column.type })) };
    const struct: Expr = { kind: 'struct', type, values: computed.map((each) => each.expr) };
    const column = session.columnFor('', struct);
    computed.splice(0, computed.length, { column, expr: struct });
    outputs = [{ name: '', column }];
  }
  // After DISTINCT, only the selected columns exist, and what can be computed from them.
  const distinct = select.isDistinct
    ? new Regrouper(
        [...computed],
        new Set(outputColumns(input)),
        (name) => `ORDER BY of SELECT DISTINCT can use only selected expressions; ${quote(name)} is not selected`,
      )
    : null;
  const keys = order.map(({ key, pos }): SortKey => {
    const selected = columnByExpr.get(exprKey(key.expr));
    if (selected !== undefined && select.as !== 'struct') return { ...key, expr: columnExpr(selected) };
    const expr = rewrite(key.expr, pos);
    if (distinct !== null) return { ...key, expr: distinct.rewrite(expr, pos) };
    const column = session.columnFor('sort_key', expr);
    computed.push({ column, expr });
    return { ...key, expr: columnExpr(column) };
  });
  let relation: Relation = { kind: 'project', input, items: computed };
  if (select.isDistinct) {
    for (const { column } of outputs) {
      if (!isGroupable(column.type)) {
        throw sqlError('sql.type', `DISTINCT cannot compare values of type ${typeName(column.type)}`, select.pos);
      }
    }
    relation = { kind: 'distinct', input: relation };
  }
  if (keys.length > 0) relation = { kind: 'sort', input: relation, keys };
  return { relation, outputs, isValueTable: select.as !== undefined };
}
