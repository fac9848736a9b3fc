import { nearestName } from '../../core/nearestName.ts';
import type { Shape } from '../../sources/shape.ts';
import type { FromItem, Identifier, Join, TableReference, Unnest } from '../syntax/nodes.ts';
import { INT64, JSON_TYPE, STRING, TIMESTAMP, typeName } from '../types.ts';
import { coerce, commonType } from './coercion.ts';
import type { ExpressionContext, TableEnvironment } from './context.ts';
import { condition, resolveExpr } from './expressions.ts';
import { holdsSubquery } from './holdsSubquery.ts';
import { columnExpr, fieldOf, findName, quote } from './names.ts';
import { type NamedColumn, type RangeVariable, Scope, sameName } from './scope.ts';
import { sqlError } from './sqlError.ts';
import type { Column, Expr, JoinRelation, Relation, UnnestArrayRelation, UnnestRecordRelation } from './tree.ts';

/** What FROM gives: rows, and the names for their columns. */
export interface ResolvedFrom {
  readonly relation: Relation;
  readonly variables: readonly RangeVariable[];
  readonly merged: ReadonlyMap<string, Expr>;
}

/** `left` is what stands to the left: an UNNEST may read it. */
export function resolveFrom(item: FromItem, context: ExpressionContext, left: ResolvedFrom | null): ResolvedFrom {
  switch (item.kind) {
    case 'TableReference':
      return resolveTable(item, context, left);
    case 'TableSubquery': {
      const { relation, outputs } = context.resolveQuery(item.query, context.environment, context.scope);
      const columns = outputs.map(({ name, column }) => ({ name, column }));
      return crossed(left, relation, [{ kind: 'table', name: item.alias?.name ?? null, columns }]);
    }
    case 'TableFunction': {
      const name = item.name.map((part) => part.name).join('.');
      throw sqlError(
        'sandbox.function',
        `There are no table functions here, so ${quote(name)} does not exist`,
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
      return resolveJoin(item, context, left);
    case 'ParenthesizedJoin':
      return resolveFrom(item.item, context, left);
  }
}

/** The rows of `right` beside every row to the left, if there is one. */
function crossed(left: ResolvedFrom | null, right: Relation, variables: readonly RangeVariable[]): ResolvedFrom {
  if (left === null) return { relation: right, variables, merged: new Map() };
  return {
    relation: { kind: 'join', type: 'inner', left: left.relation, right, on: null },
    variables: [...left.variables, ...variables],
    merged: left.merged,
  };
}

/** The context in which an expression of FROM sees what stands to its left. */
function lateral(context: ExpressionContext, left: ResolvedFrom | null): ExpressionContext {
  if (left === null) return { ...context, clause: 'FROM', aggregates: null, windows: null };
  const scope = new Scope(context.scope, left.variables, left.merged);
  return { ...context, scope, clause: 'FROM', aggregates: null, windows: null };
}

function resolveTable(item: TableReference, context: ExpressionContext, left: ResolvedFrom | null): ResolvedFrom {
  const path = item.path.flatMap(splitQuoted);
  const [first, second] = path;
  if (first === undefined) throw new Error('a table reference without a name');
  const alias = item.alias?.name ?? path.at(-1)?.name ?? '';
  const known = path.length === 1 ? findTable(first, context.environment) : null;
  if (known !== null && item.withOffset === undefined) {
    const columns = known.table.columns.map((column) => copyColumn(column, context));
    const named = columns.map((column, i): NamedColumn => ({ name: known.columnNames[i] ?? '', column }));
    return crossed(left, { kind: 'withReference', table: known.table, columns }, [
      { kind: 'table', name: alias, columns: named },
    ]);
  }
  const source =
    second !== undefined && path.length === 2 && sameName(first.name, 'sources') ? findSource(second, context) : null;
  if (source !== null) return crossed(left, source.relation, [{ kind: 'table', name: alias, columns: source.columns }]);
  const array = arrayPath(path, context, left);
  if (array !== null) {
    const unnest = { alias: item.alias ?? path.at(-1), withOffset: item.withOffset, pos: item.pos };
    return unnestValue(array, unnest, context, left, { isLeft: false, on: undefined });
  }
  throw unknownTable(path, item, context);
}

/** A backticked part may hold the whole path. */
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

/** A stream, which only a stored query can name. */
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
    throw sqlError('sql.unknown_name', `There is no source ${quote(name.name)}`, name.pos, {
      token: name.name,
      allowed,
      ...(nearest !== undefined && { nearest }),
    });
  }
  const columns = {
    id: session.newColumn('id', STRING),
    timestamp: session.newColumn('timestamp', TIMESTAMP),
    event_message: session.newColumn('event_message', STRING),
    metadata: session.newColumn('metadata', JSON_TYPE),
    project: session.newColumn('project', STRING),
  };
  session.setShape(columns.metadata, source.shape);
  const order = [columns.timestamp, columns.id, columns.event_message, columns.metadata, columns.project];
  return {
    relation: { kind: 'scan', source, columns },
    columns: order.map((column) => ({ name: column.name, column })),
  };
}

/** `FROM t, t.items`: an array path of an alias to the left, or of an enclosing query. */
function arrayPath(path: readonly Identifier[], context: ExpressionContext, left: ResolvedFrom | null): Expr | null {
  const [first, ...fields] = path;
  if (first === undefined || fields.length === 0) return null;
  const meaning = findName(first, lateral(context, left).scope);
  if (meaning === null) return null;
  let at: Expr | null = meaning.kind === 'value' ? meaning.expr : null;
  for (const field of fields) {
    if (at === null) {
      if (meaning.kind !== 'table') return null;
      const column = meaning.variable.columns.find(({ name }) => sameName(name, field.name));
      if (column === undefined) return null;
      at = columnExpr(column.column);
    } else at = fieldOf(at, field, context.session);
  }
  return at;
}

function unknownTable(path: readonly Identifier[], item: TableReference, context: ExpressionContext): Error {
  const name = path.map((part) => part.name).join('.');
  const allowed = tableNames(context.environment);
  // `sources.edge_logs` is most often meant as `edge_logs`.
  const nearest = nearestName(name, allowed) ?? nearestName(path.at(-1)?.name ?? name, allowed);
  const isStored = context.session.sources !== null;
  const sources = isStored ? [...(context.session.sources?.keys() ?? [])].map((each) => `sources.${each}`) : [];
  const sentence = isStored
    ? `There is no table ${quote(name)}; a stored query reads sources.<name> and its own WITH tables`
    : `Table ${quote(name)} is not one of this endpoint's tables`;
  return sqlError(isStored ? 'sql.unknown_name' : 'sandbox.table', sentence, item.pos, {
    token: name.slice(0, 120),
    allowed: [...allowed, ...sources],
    rule: 'sandbox.table',
    ...(nearest !== undefined && { nearest }),
  });
}

interface JoinMode {
  readonly isLeft: boolean;
  readonly on: Join['on'];
}

function resolveUnnest(
  item: Unnest,
  context: ExpressionContext,
  left: ResolvedFrom | null,
  mode: JoinMode,
): ResolvedFrom {
  const value = resolveExpr(withoutEmptyFallback(item.expression), lateral(context, left));
  return unnestValue(value, item, context, left, mode);
}

/** `coalesce(x, [])` unnests to the same rows as `x`: what is missing is an empty array. */
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
  left: ResolvedFrom | null,
  mode: JoinMode,
): ResolvedFrom {
  const { session } = context;
  const input: Relation = left?.relation ?? { kind: 'oneRow' };
  const offset =
    item.withOffset === undefined ? null : session.newColumn(item.withOffset.alias?.name ?? 'offset', INT64);
  const added: RangeVariable[] = [];
  let make: (on: Expr | null) => UnnestRecordRelation | UnnestArrayRelation;
  if (value.type.kind === 'JSON') {
    const shape = elementShape(session.shapeOf(value));
    const alias = session.newColumn(item.alias?.name ?? 'unnest', JSON_TYPE);
    session.setShape(alias, shape);
    session.markObject(alias);
    added.push({ kind: 'record', name: item.alias?.name ?? null, column: alias, shape });
    make = (on) => ({ kind: 'unnestRecord', input, value, alias, offset, left: mode.isLeft, on, pos: item.pos });
  } else if (value.type.kind === 'ARRAY' || value.type.kind === 'NULL') {
    const elementType = value.type.kind === 'ARRAY' ? value.type.element : INT64;
    const element = session.newColumn(item.alias?.name ?? 'unnest', elementType);
    added.push({ kind: 'value', name: item.alias?.name ?? null, column: element });
    const array = value.type.kind === 'ARRAY' ? value : coerce(value, { kind: 'ARRAY', element: INT64 }, item.pos);
    make = (on) => ({ kind: 'unnestArray', input, value: array, element, offset, left: mode.isLeft, on });
  } else {
    throw sqlError('sql.type', `UNNEST needs an array or a nested object, this is ${typeName(value.type)}`, item.pos);
  }
  if (offset !== null) added.push({ kind: 'value', name: offset.name, column: offset });
  const variables = [...(left?.variables ?? []), ...added];
  const merged = left?.merged ?? new Map();
  let on: Expr | null = null;
  if (mode.on !== undefined) {
    const scope = new Scope(context.scope, variables, merged);
    const resolved = condition(mode.on, { ...context, scope, clause: 'ON', aggregates: null, windows: null });
    on = resolved.kind === 'literal' && resolved.value === true ? null : resolved;
  }
  if (on !== null && !mode.isLeft) {
    return { relation: { kind: 'filter', input: make(null), condition: on }, variables, merged };
  }
  return { relation: make(on), variables, merged };
}

function elementShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === 'array' ? shape.element : shape;
}

function resolveJoin(join: Join, context: ExpressionContext, outer: ResolvedFrom | null): ResolvedFrom {
  const left = resolveFrom(join.left, context, outer);
  const isPlain = join.type === 'cross' || join.type === 'comma';
  const unnest = unnestOf(join.right, context, left);
  if (unnest !== null) {
    if (join.type === 'right' || join.type === 'full') {
      throw sqlError(
        'sql.type',
        `UNNEST of a value to the left cannot stand right of ${join.type.toUpperCase()} JOIN`,
        join.pos,
      );
    }
    if (join.using.length > 0) throw sqlError('sql.unsupported', 'UNNEST is joined with ON, not with USING', join.pos);
    const mode = { isLeft: join.type === 'left', on: join.on };
    return unnest.kind === 'Unnest'
      ? resolveUnnest(unnest, context, left, mode)
      : unnestValue(unnest.value, unnest.item, context, left, mode);
  }
  const right = resolveFrom(join.right, context, null);
  const variables = [...left.variables, ...right.variables];
  const merged = new Map([...left.merged, ...right.merged]);
  const type: JoinRelation['type'] = isPlain || join.type === 'inner' ? 'inner' : (join.type as JoinRelation['type']);
  if (join.using.length > 0) return joinUsing(join, type, left, right);
  if (join.on === undefined) {
    if (!isPlain)
      throw sqlError('sql.syntax', `${join.type.toUpperCase()} JOIN needs ON or USING`, join.pos, { expected: 'ON' });
    return {
      relation: { kind: 'join', type: 'inner', left: left.relation, right: right.relation, on: null },
      variables,
      merged,
    };
  }
  const scope = new Scope(context.scope, variables, merged);
  const on = condition(join.on, { ...context, scope, clause: 'ON', aggregates: null, windows: null });
  if (type !== 'inner' && holdsSubquery(on)) {
    throw sqlError(
      'sql.unsupported',
      `A subquery in the ON of ${join.type.toUpperCase()} JOIN is not available; compute it in a WITH table and join on its column`,
      join.on.pos,
    );
  }
  return { relation: { kind: 'join', type, left: left.relation, right: right.relation, on }, variables, merged };
}

/** The right side where it is an UNNEST or an array path of the left; it may stand in parentheses. */
function unnestOf(item: FromItem, context: ExpressionContext, left: ResolvedFrom) {
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

function joinUsing(join: Join, type: JoinRelation['type'], left: ResolvedFrom, right: ResolvedFrom): ResolvedFrom {
  const merged = new Map([...left.merged, ...right.merged]);
  const conditions: Expr[] = [];
  for (const name of join.using) {
    const l = sideColumn(name, left);
    const r = sideColumn(name, right);
    const common = commonType([l, r]);
    if (common === null) throw sqlError('sql.type', `The two columns ${quote(name.name)} cannot be compared`, name.pos);
    const [a, b] = [coerce(l, common, name.pos), coerce(r, common, name.pos)];
    conditions.push({ kind: 'call', type: { kind: 'BOOL' }, fn: '$eq', args: [a, b], safe: false, pos: name.pos });
    const both: Expr = { kind: 'call', type: common, fn: 'coalesce', args: [a, b], safe: false, pos: name.pos };
    merged.set(name.name.toLowerCase(), type === 'full' ? both : type === 'right' ? b : a);
  }
  const [only] = conditions;
  const on: Expr =
    conditions.length === 1 && only !== undefined
      ? only
      : { kind: 'call', type: { kind: 'BOOL' }, fn: '$and', args: conditions, safe: false, pos: join.pos };
  const relation: Relation = { kind: 'join', type, left: left.relation, right: right.relation, on };
  return { relation, variables: [...left.variables, ...right.variables], merged };
}

function sideColumn(name: Identifier, side: ResolvedFrom): Expr {
  const meaning = findName(name, new Scope(null, side.variables, side.merged));
  if (meaning?.kind === 'value') return meaning.expr;
  throw sqlError('sql.unknown_name', `USING needs the column ${quote(name.name)} on both sides`, name.pos, {
    token: name.name,
    allowed: side.variables.flatMap((variable) =>
      variable.kind === 'table' ? variable.columns.map((c) => c.name) : [],
    ),
  });
}
