import { nearestName } from '../../core/nearestName.ts';
import type { Identifier, Position } from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parser.ts';
import { STRING, typeName } from '../types.ts';
import type { ExpressionContext, ResolvedSubquery } from './context.ts';
import { sameName } from './nameScope.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Expr, WithTable } from './tree.ts';

/**
 * The STRING parameter with the rows of `INFORMATION_SCHEMA.FIELDS`, a JSON array. GoogleSQL text cannot name it, and
 * definitions cannot declare it. Bind it when running a query that uses it.
 */
export const fieldsParameter = '$fields';

/** Stands in the texts below for the rows of a view. */
const placeholder = '$rows';

/** The views, as queries over their rows, which are JSON objects. */
const views = {
  TABLES: `select json_value(field, '$.table_name') as table_name, 'TABLE' as table_type
    from unnest(json_query_array('${placeholder}')) as field`,
  COLUMNS: `select json_value(field, '$.table_name') as table_name, json_value(field, '$.column_name') as column_name,
      cast(json_value(field, '$.ordinal_position') as int64) as ordinal_position,
      json_value(field, '$.data_type') as data_type
    from unnest(json_query_array('${placeholder}')) as field`,
  FIELDS: `select json_value(field, '$.table_name') as table_name, json_value(field, '$.column_name') as column_name,
      json_value(field, '$.field_path') as field_path, json_value(field, '$.data_type') as data_type,
      cast(json_value(field, '$.row_count') as int64) as row_count, cast(json_value(field, '$.share') as float64) as share,
      cast(json_value(field, '$.distinct_count') as int64) as distinct_count,
      json_value_array(field, '$.frequent_values') as frequent_values,
      cast(json_value(field, '$.is_personal') as bool) as is_personal,
      cast(json_value(field, '$.first_seen') as timestamp) as first_seen,
      cast(json_value(field, '$.last_seen') as timestamp) as last_seen
    from unnest(json_query_array('${placeholder}')) as field`,
} as const;

/**
 * A view of `INFORMATION_SCHEMA`, which describes the tables of the sandbox and nothing else (googlesql.md, section 5).
 * Null if the path is none, or if the query has no sandbox: only caller queries have one.
 */
export function informationSchemaView(
  path: readonly Identifier[],
  context: ExpressionContext,
  pos: Position,
): ResolvedSubquery | null {
  const { session } = context;
  const [schema, view, ...more] = path;
  if (session.sandboxTables === null || schema === undefined || view === undefined || more.length > 0) return null;
  if (!sameName(schema.name, 'information_schema')) return null;
  const names = Object.keys(views) as (keyof typeof views)[];
  const name = names.find((each) => sameName(each, view.name));
  if (name === undefined) throw unknownView(view.name, names, pos);
  const { query } = parseQuery(views[name]);
  const resolved = context.resolveQuery(query, { parent: null, tables: new Map() }, context.scope);
  const rows = rowsOf(name, session.sandboxTables);
  if (name === 'FIELDS') {
    session.usedParameters.add(fieldsParameter);
    // Its rows follow the events, but no scan of the query shows which.
    session.isVolatile = true;
  }
  const mapper: Mapper = {
    relation: (below) => mapRelation(below, mapper),
    expr: (expr) => (expr.kind === 'literal' && expr.value === placeholder ? rows : mapExpr(expr, mapper)),
  };
  return { ...resolved, relation: mapper.relation(resolved.relation) };
}

function unknownView(view: string, names: readonly string[], pos: Position): Error {
  const allowed = names.map((name) => `INFORMATION_SCHEMA.${name}`);
  const token = `information_schema.${view}`.slice(0, 120);
  const nearest = nearestName(view, names);
  return sqlError('sandbox.table', `INFORMATION_SCHEMA has no view \`${view.slice(0, 80)}\``, pos, {
    token,
    allowed,
    rule: 'sandbox.table',
    ...(nearest !== undefined && { nearest: `INFORMATION_SCHEMA.${nearest}` }),
  });
}

function rowsOf(view: keyof typeof views, tables: readonly WithTable[]): Expr {
  switch (view) {
    case 'FIELDS':
      return { kind: 'parameter', type: STRING, name: fieldsParameter };
    case 'TABLES':
      return textOf(tables.map(({ name }) => ({ table_name: name })));
    case 'COLUMNS':
      return textOf(
        tables.flatMap(({ name, columns }) =>
          columns.map((column, i) => ({
            table_name: name,
            column_name: column.name,
            ordinal_position: i + 1,
            data_type: typeName(column.type),
          })),
        ),
      );
  }
}

function textOf(rows: readonly object[]): Expr {
  return { kind: 'literal', type: STRING, value: JSON.stringify(rows) };
}
