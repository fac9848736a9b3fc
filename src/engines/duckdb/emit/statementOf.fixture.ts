import { atOnce } from '../../../core/concurrency/turns.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { rowsInSteps } from './emitStatement.ts';
import type { Statement } from './emittedStatement.ts';
import type { ScanChoice } from './scanChoice.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/**
 * The engine's statement for a query over a sealed and an active segment. Paths that are irregular there are read from
 * stored metadata.
 */
export function statementOf(...given: Parameters<typeof statementInSteps>): string {
  return atOnce(statementInSteps(...given)).sql;
}

/** Like `statementOf`, in the steps in which it is written. */
export function statementInSteps(
  sql: string,
  irregular: readonly string[] = [],
  projects: readonly string[] | null = ['a'],
): Generator<undefined, Statement> {
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
  return rowsInSteps(plan, choices, plan.bounds, 'plain', 10);
}
