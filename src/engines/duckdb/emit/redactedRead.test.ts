import { expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { statementShape } from '../process/isolation/statementShape.ts';
import { rowsStatement } from './emitStatement.ts';
import type { ScanChoice } from './scanChoice.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

it('writes the tag of a run so that the isolation check recognises the statement of another run', () => {
  const query = compileStored('select id, event_message, metadata, metadata.request.path from sources.edge_logs', {
    sources,
    parameters: new Map(),
  });
  const statementOf = (tag: number): string => {
    const limits = { rowsMax: 10, bytesMax: 1000, nowMicros: 0, profile: 'plain' } as const;
    const request = { query, parameters: new Map(), projects: ['a'], redaction: 'all', ...limits };
    const plan = new QueryPlanner().plan(request, { tag, personalNumbers: () => new Set() });
    const files = {
      databases: ['sealed_1'],
      ordinals: new Map(),
      irregular: new Set<string>(),
      kept: new Map(),
      unnumbered: new Map(),
    };
    const choices = new Map<Column, ScanChoice>([...plan.bounds.keys()].map((timestamp) => [timestamp, files]));
    return rowsStatement(plan, choices, plan.bounds, 'plain', 10).sql;
  };
  const one = statementOf(1);
  const other = statementOf(23);
  expect(one).toContain("CAST('1' AS BIGINT)");
  expect(other).toBe(one.replaceAll("CAST('1' AS BIGINT)", "CAST('23' AS BIGINT)"));
  expect(statementShape(other)).toBe(statementShape(one));
});
