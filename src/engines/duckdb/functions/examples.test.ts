import { beforeAll, describe, expect, test } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { functionCatalogue } from '../../../googlesql/functions/catalogue.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import { rowsStatement } from '../emit/emitStatement.ts';
import { caseNowMicros, openCaseDatabase } from './functionCases.contract.ts';

describe('examples of the catalogue', () => {
  let run: Awaited<ReturnType<typeof openCaseDatabase>>;
  beforeAll(async () => {
    run = await openCaseDatabase();
  });

  test.each([...functionCatalogue.values()].map((f) => [f.name, f.example] as const))(
    '%s: %s',
    async (_name, example) => {
      const query = compileStored(example, { sources: new Map(), parameters: new Map() });
      const plan = new QueryPlanner().plan({
        query,
        parameters: new Map(),
        projects: null,
        redaction: null,
        nowMicros: caseNowMicros,
      });
      const { sql } = rowsStatement(plan, new Map(), plan.bounds, 'plain', 10);
      const rows = await run(sql);
      expect(rows.length, sql).toBeGreaterThan(0);
    },
  );
});
