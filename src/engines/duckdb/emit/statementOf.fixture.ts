import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { rowsStatement } from './emitStatement.ts';
import type { ScanChoice } from './scanChoice.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/**
 * The engine's statement for a query over a sealed and an active segment. Paths that are irregular there are read from
 * stored metadata.
 */
export function statementOf(
  sql: string,
  irregular: readonly string[] = [],
  projects: readonly string[] | null = ['a'],
): string {
  const plan = new QueryPlanner().plan({
    query: compileStored(sql, { sources, parameters: new Map() }),
    parameters: new Map(),
    projects,
    redaction: null,
    nowMicros: 0,
  });
  const choice: ScanChoice = {
    databases: ['sealed_1', 'active_2'],
    ordinals: new Map(),
    irregular: new Set(irregular),
    kept: new Map(),
    unnumbered: new Map(),
  };
  const choices = new Map<Column, ScanChoice>([...plan.bounds.keys()].map((timestamp) => [timestamp, choice]));
  return rowsStatement(plan, choices, plan.bounds, 'plain', 10).sql;
}
