import { beforeAll, describe, expect, test } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import { rowsStatement } from '../emit/emitStatement.ts';
import { caseNowMicros, openCaseDatabase } from './functionCases.contract.ts';

/** The clock is read before anything is written: its functions are tried as whole queries. */
describe('functions of the clock', () => {
  let run: Awaited<ReturnType<typeof openCaseDatabase>>;
  beforeAll(async () => {
    run = await openCaseDatabase();
  });

  const statementOf = (expression: string): string => {
    const plan = new QueryPlanner().plan({
      query: compileStored(`select string(x) as x from (select ${expression} as x)`, {
        sources: new Map(),
        parameters: new Map(),
      }),
      parameters: new Map(),
      projects: null,
      redaction: null,
      nowMicros: caseNowMicros,
    });
    return rowsStatement(plan, new Map(), plan.bounds, 'plain', 10).sql;
  };

  test.each([
    ['current_timestamp()', '2026-05-01 10:20:30.123456+00'],
    ['current_timestamp', '2026-05-01 10:20:30.123456+00'],
    ['current_datetime()', '2026-05-01 10:20:30.123456'],
    ["current_datetime('Europe/Helsinki')", '2026-05-01 13:20:30.123456'],
    ['current_date()', '2026-05-01'],
    ["current_date('Pacific/Kiritimati')", '2026-05-02'],
    ['current_time()', '10:20:30.123456'],
    ["current_time('+14:00')", '00:20:30.123456'],
  ])('%s', async (expression, expected) => {
    expect(JSON.stringify(await run(statementOf(expression)))).toContain(expected);
  });

  test('a zone that is not known', async () => {
    await expect(run(statementOf("current_date('Nowhere/City')"))).rejects.toThrow(/time zone is not known/);
  });
});
