import { nearestName } from '../../core/nearestName.ts';
import type { Shape } from '../../sources/shape.ts';
import type { FromItem, Identifier, Join, Position, TableReference, Unnest } from '../syntax/nodes.ts';
import { INT64, NESTED_JSON, STRING, TIMESTAMP, typeName } from '../types.ts';
import { coerce } from './coercion.ts';
import type { ExpressionContext, TableEnvironment } from './context.ts';
import { condition, resolveExpr } from './expressions.ts';
import { informationSchemaView } from './informationSchema.ts';
import { crossJoin, joinTables } from './joins.ts';
import { named } from './named.ts';
import { type NamedColumn, NameScope, type RangeTable, type RangeVariable, sameName } from './nameScope.ts';
import { columnExpr, fieldOf, findName, quote } from './names.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation, outputColumns } from './traverse.ts';
import type { Column, Expr, Relation, UnnestArrayRelation, UnnestRecordRelation } from './tree.ts';
import { variableOf } from './variables.ts';

/** Resolves an item of FROM. An UNNEST in it may read the columns of `left`. */
export function resolveFrom(item: FromItem, context: ExpressionContext, left: RangeTable | null): RangeTable {
  switch (item.kind) {
    case 'TableReference':
      return resolveTable(item, context, left);
    case 'TableSubquery': {
      const query = context.resolveQuery(item.query, context.environment, context.scope);
      return crossed(left, query.relation, [variableOf(query, item.alias?.name ?? null, context.session)], item.pos);
    }
    case 'TableFunction': {
      const name = item.name.map((part) => part.name).join('.');
      throw sqlError(
        'sandbox.function',
        `Table functions are not available, so ${quote(name)} does not exist`,
        item.pos,
        {
          token: name.slice(0, 80),
          rule: 'sandbox.table_function',
          allowed: tableNames(context.environment),
        },
      );
    }
    case 'Unnest':
      return resolveUnnest(item, context, left, { isLeft: false, on: undefined });
    case 'Join':
      return resolveJoin(resolveFrom(item.left, context, left), item, context);
    case 'ParenthesizedJoin':
      return resolveFrom(item.item, context, left);
  }
}

/** The cross join of `left` and `right`, or `right` alone. */
function crossed(
  left: RangeTable | null,
  right: Relation,
  variables: readonly RangeVariable[],
  pos: Position,
): RangeTable {
  if (left === null) return { relation: right, variables };
  return { relation: crossJoin(left.relation, right, pos), variables: [...left.variables, ...variables] };
}

/** The context of an expression in FROM, which sees the tables to its left. */
function lateral(context: ExpressionContext, left: RangeTable | null): ExpressionContext {
  if (left === null) return { ...context, clause: 'FROM', aggregates: null, windows: null };
  const scope = new NameScope(context.scope, left.variables);
  return { ...context, scope, clause: 'FROM', aggregates: null, windows: null };
}

function resolveTable(item: TableReference, context: ExpressionContext, left: RangeTable | null): RangeTable {
  const path = item.path.flatMap(splitQuoted);
  const [first, second] = path;
  if (first === undefined) throw new Error('a table reference without a name');
  const alias = item.alias?.name ?? path.at(-1)?.name ?? '';
  const known = path.length === 1 ? findTable(first, context.environment) : null;
  if (known !== null && item.withOffset === undefined) {
    const columns = known.table.columns.map((column) => copyColumn(column, context));
    const outputs = columns.map((column, i) => ({ name: known.columnNames[i] ?? '', column }));
    const variable = variableOf({ outputs, isValueTable: known.isValueTable }, alias, context.session);
    return crossed(left, { kind: 'withReference', table: known.table, columns }, [variable], item.pos);
  }
  const source =
    second !== undefined && path.length === 2 && sameName(first.name, 'sources') ? findSource(second, context) : null;
  if (source !== null)
    return crossed(left, source.relation, [{ kind: 'table', name: alias, columns: source.columns }], item.pos);
  const array = arrayPath(path, context, left);
  if (array !== null) {
    const unnest = { alias: item.alias ?? path.at(-1), withOffset: item.withOffset, pos: item.pos };
    return unnestValue(array, unnest, context, left, { isLeft: false, on: undefined });
  }
  const view = item.withOffset === undefined ? informationSchemaView(path, context, item.pos) : null;
  if (view !== null) return crossed(left, view.relation, [variableOf(view, alias, context.session)], item.pos);
  throw unknownTable(path, item, context);
}

/** Splits a backticked name that holds a whole path. */
function splitQuoted(part: Identifier): readonly Identifier[] {
  if (!part.quoted || !part.name.includes('.')) return [part];
  return part.name.split('.').map((name) => ({ ...part, name }));
}

function findTable(name: Identifier, environment: TableEnvironment) {
  for (let at: TableEnvironment | null = environment; at !== null; at = at.parent) {
    const table = at.tables.get(name.name.toLowerCase());
    if (table !== undefined) return table;
  }
  return null;
}

export function tableNames(environment: TableEnvironment): readonly string[] {
  const names = new Set<string>();
  for (let at: TableEnvironment | null = environment; at !== null; at = at.parent) {
    for (const { table } of at.tables.values()) names.add(table.name);
  }
  return [...names];
}

function copyColumn(column: Column, context: ExpressionContext): Column {
  return context.session.columnFor(column.name, columnExpr(column));
}

/** Finds a source, which only a stored query can name. */
function findSource(
  name: Identifier,
  context: ExpressionContext,
): { relation: Relation; columns: readonly NamedColumn[] } | null {
  const { session } = context;
  if (session.sources === null) return null;
  const source = [...session.sources.values()].find((each) => sameName(each.name, name.name));
  if (source === undefined) {
    const allowed = [...session.sources.keys()];
    const nearest = nearestName(name.name, allowed);
    throw sqlError('sql.unknown_name', `Unknown source ${quote(name.name)}`, name.pos, {
      token: name.name,
      allowed,
      ...(nearest !== undefined && { nearest }),
    });
  }
  const columns = {
    id: session.newColumn('id', STRING),
    timestamp: session.newColumn('timestamp', TIMESTAMP),
    event_message: session.newColumn('event_message', STRING),
    metadata: session.newColumn('metadata', NESTED_JSON),
    project: session.newColumn('project', STRING),
  };
  session.setShape(columns.metadata, source.shape);
  session.markWholeMetadata(columns.metadata);
  const order = [columns.timestamp, columns.id, columns.event_message, columns.metadata, columns.project];
  return {
    relation: { kind: 'scan', source, columns },
    columns: order.map((column) => ({ name: column.name, expr: columnExpr(column) })),
  };
}

/** The array that a path such as `t.items` in `FROM t, t.items` reads from an alias to the left or of an enclosing query, or null. */
function arrayPath(path: readonly Identifier[], context: ExpressionContext, left: RangeTable | null): Expr | null {
  const [first, ...fields] = path;
  if (first === undefined || fields.length === 0) return null;
  const meaning = findName(first, lateral(context, left).scope);
  if (meaning === null) return null;
  let at: Expr | null = meaning.kind === 'value' ? meaning.expr : null;
  for (const field of fields) {
    if (at === null) {
      if (meaning.kind !== 'table') return null;
      const column = named(meaning.variable.columns, field.name)[0];
      if (column === undefined) return null;
      at = column.expr;
    } else at = fieldOf(at, field, context.session);
  }
  return at;
}

function unknownTable(path: readonly Identifier[], item: TableReference, context: ExpressionContext): Error {
  const name = path.map((part) => part.name).join('.');
  const allowed = tableNames(context.environment);
  const isStored = context.session.sources !== null;
  const sources = [...(context.session.sources?.keys() ?? [])];
  const last = path.at(-1)?.name ?? name;
  // `sources.edge_logs` usually means `edge_logs`; in a stored query it is the other way round.
  const source = nearestName(last, sources);
  const nearest =
    nearestName(name, allowed) ??
    nearestName(last, allowed) ??
    (source === undefined ? undefined : `sources.${source}`);
  const sentence = isStored
    ? `Unknown table ${quote(name)}; a stored query reads sources.<name> and its own WITH tables`
    : `Table ${quote(name)} is not one of this endpoint's tables`;
  return sqlError(isStored ? 'sql.unknown_name' : 'sandbox.table', sentence, item.pos, {
    token: name.slice(0, 120),
    allowed: [...allowed, ...sources.map((each) => `sources.${each}`)],
    rule: 'sandbox.table',
    ...(nearest !== undefined && { nearest }),
  });
}

interface JoinMode {
  readonly isLeft: boolean;
  readonly on: Join['on'];
}

function resolveUnnest(item: Unnest, context: ExpressionContext, left: RangeTable | null, mode: JoinMode): RangeTable {
  const value = resolveExpr(withoutEmptyFallback(item.expression), lateral(context, left));
  return unnestValue(value, item, context, left, mode);
}

/** Replaces `coalesce(x, [])` with `x`, which unnests to the same rows because a missing value counts as an empty array. */
function withoutEmptyFallback(node: Unnest['expression']): Unnest['expression'] {
  if (node.kind !== 'FunctionCall' || node.name.length !== 1 || node.args.length !== 2) return node;
  const name = node.name[0]?.name.toLowerCase();
  const [value, fallback] = node.args;
  if (name !== 'coalesce' && name !== 'ifnull') return node;
  if (fallback?.kind !== 'ArrayConstructor' || fallback.elements.length > 0) return node;
  return value === undefined || value.kind === 'StarArgument' || value.kind === 'NamedArgument' ? node : value;
}

function unnestValue(
  value: Expr,
  item: Pick<Unnest, 'withOffset' | 'pos'> & { readonly alias: Identifier | undefined },
  context: ExpressionContext,
  left: RangeTable | null,
  mode: JoinMode,
): RangeTable {
  const { session } = context;
  const input: Relation = left?.relation ?? { kind: 'oneRow' };
  const offset =
    item.withOffset === undefined ? null : session.newColumn(item.withOffset.alias?.name ?? 'offset', INT64);
  const added: RangeVariable[] = [];
  let make: (on: Expr | null) => UnnestRecordRelation | UnnestArrayRelation;
  if (value.type.kind === 'JSON') {
    const shape = elementShape(session.shapeOf(value));
    const alias = session.newColumn(item.alias?.name ?? 'unnest', value.type);
    session.setShape(alias, shape);
    session.markObject(alias);
    if (session.isWholeMetadata(value)) session.markWholeMetadata(alias);
    added.push({ kind: 'record', name: item.alias?.name ?? null, column: alias, shape });
    make = (on) => ({ kind: 'unnestRecord', input, value, alias, offset, left: mode.isLeft, on, pos: item.pos });
  } else if (value.type.kind === 'ARRAY' || value.type.kind === 'NULL') {
    const elementType = value.type.kind === 'ARRAY' ? value.type.element : INT64;
    const element = session.newColumn(item.alias?.name ?? 'unnest', elementType);
    added.push({ kind: 'value', name: item.alias?.name ?? null, column: element });
    const array = value.type.kind === 'ARRAY' ? value : coerce(value, { kind: 'ARRAY', element: INT64 }, item.pos);
    make = (on) => ({ kind: 'unnestArray', input, value: array, element, offset, left: mode.isLeft, on });
  } else {
    throw sqlError(
      'sql.type',
      `UNNEST requires an array or a nested object, but this is ${typeName(value.type)}`,
      item.pos,
    );
  }
  if (offset !== null) added.push({ kind: 'value', name: offset.name, column: offset });
  const variables = [...(left?.variables ?? []), ...added];
  let on: Expr | null = null;
  if (mode.on !== undefined) {
    const scope = new NameScope(context.scope, variables);
    const resolved = condition(mode.on, { ...context, scope, clause: 'ON', aggregates: null, windows: null });
    on = resolved.kind === 'literal' && resolved.value === true ? null : resolved;
  }
  if (on !== null && !mode.isLeft) {
    return { relation: { kind: 'filter', input: make(null), condition: on }, variables };
  }
  return { relation: make(on), variables };
}

function elementShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === 'array' ? shape.element : shape;
}

/** A JOIN in FROM, or the pipe operator JOIN. */
export interface JoinStep {
  readonly type: Join['type'];
  readonly right: FromItem;
  readonly on: Join['on'];
  readonly using: Join['using'];
  readonly pos: Position;
}

/** Joins `left` as the step says. */
export function resolveJoin(left: RangeTable, join: JoinStep, context: ExpressionContext): RangeTable {
  const unnest = unnestOf(join.right, context, left);
  if (unnest === null) return joinTables(left, resolveFrom(join.right, context, null), join, context);
  const isLateral = join.type !== 'right' && join.type !== 'full' && join.using.length === 0;
  if (!isLateral) {
    const value = unnest.kind === 'Unnest' ? resolveExpr(unnest.expression, lateral(context, left)) : unnest.value;
    if (!reads(value, left.relation)) return joinTables(left, resolveFrom(join.right, context, null), join, context);
    const reason =
      join.using.length > 0
        ? 'must be joined with ON, not USING'
        : `cannot be on the right of ${join.type.toUpperCase()} JOIN`;
    throw sqlError('sql.type', `UNNEST of a value from the left side ${reason}`, join.pos);
  }
  const mode = { isLeft: join.type === 'left', on: join.on };
  return unnest.kind === 'Unnest'
    ? resolveUnnest(unnest, context, left, mode)
    : unnestValue(unnest.value, unnest.item, context, left, mode);
}

/** Whether the value reads a column of the relation. */
function reads(value: Expr, relation: Relation): boolean {
  const produced = new Set(outputColumns(relation));
  let found = false;
  const mapper: Mapper = {
    relation: (below) => mapRelation(below, mapper),
    expr: (expr) => {
      if (expr.kind === 'column' && produced.has(expr.column)) found = true;
      return mapExpr(expr, mapper);
    },
  };
  mapper.expr(value);
  return found;
}

/** The right side if it is an UNNEST or an array path of the left, also in parentheses; otherwise null. */
function unnestOf(item: FromItem, context: ExpressionContext, left: RangeTable) {
  if (item.kind === 'ParenthesizedJoin') return unnestOf(item.item, context, left);
  if (item.kind === 'Unnest') return item;
  if (item.kind !== 'TableReference') return null;
  const path = item.path.flatMap(splitQuoted);
  if (path.length < 2) return null;
  const [first] = path;
  if (first !== undefined && sameName(first.name, 'sources') && context.session.sources !== null) return null;
  const value = arrayPath(path, context, left);
  if (value === null) return null;
  const alias = item.alias ?? path.at(-1);
  return { kind: 'path' as const, value, item: { alias, withOffset: item.withOffset, pos: item.pos } };
}
