import { builtinSources } from '../../sources/builtin.ts';
import { compileCaller, compileStored } from '../compile.ts';
import { defaultEngineLimits } from '../engineLimits.ts';
import type { ParameterType, ParameterValue } from '../resolve/parameterValue.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { Column, Expr, Relation, ResolvedQuery } from '../resolve/tree.ts';
import { countRows } from './countedRows.ts';
import { foldConstants } from './fold.ts';
import { inlineTables } from './inline.ts';
import { withoutUnreadColumns } from './unreadColumns.ts';

export const nowMicros = Date.UTC(2026, 4, 1, 12, 34, 56) * 1000;

const sources = new Map(builtinSources.map((source) => [source.name, source]));

export const context = {
  sources,
  parameters: new Map<string, ParameterType>([
    ['project', 'string'],
    ['start', 'timestamp'],
    ['interval', 'enum'],
  ]),
};

export const stored = (sql: string): ResolvedQuery => compileStored(sql, context);

/** Compiles a caller query over the WITH tables of a stored query. */
export const caller = (sql: string, tables: string): ResolvedQuery => compileCaller(sql, `${tables} select 1`, context);

export type Values = Readonly<Record<string, ParameterValue>>;

/** Runs the passes of planning in order (queryPlan.ts). */
export function planned(query: ResolvedQuery, values: Values = {}): { relation: Relation; outputs: readonly Expr[] } {
  let id = 1_000_000;
  const newColumn = (like: Column): Column => {
    id += 1;
    return { ...like, id };
  };
  const folded = foldConstants(query.relation, new Map(Object.entries(values)), nowMicros);
  const wanted = query.columns.map(({ column }) => folded.resolve({ kind: 'column', type: column.type, column }));
  const { relation, resolve } = inlineTables(
    withoutUnreadColumns(countRows(folded.relation), wanted),
    newColumn,
    defaultEngineLimits,
  );
  return { relation, outputs: wanted.map(resolve) };
}

export const plan = (query: ResolvedQuery, values: Values = {}): Relation => planned(query, values).relation;

/** The kinds of all relations, outermost first. */
export function kinds(relation: Relation): readonly string[] {
  const found: string[] = [];
  walkRelation(relation, { relation: (below) => found.push(below.kind) });
  return found;
}
