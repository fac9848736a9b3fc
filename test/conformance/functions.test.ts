import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { rowsStatement } from '../../src/engines/duckdb/emit/emitStatement.ts';
import { caseNowMicros, openCaseDatabase } from '../../src/engines/duckdb/functions/functionCases.contract.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { QueryPlanner } from '../../src/googlesql/plan/queryPlan.ts';
import { expressionDeviations } from './deviations.ts';

/** `json`: what the reference evaluator's TO_JSON_STRING of the expression is; `error`: it fails. */
interface Recorded {
  readonly expression: string;
  readonly json?: string | null;
  readonly error?: true;
}

const recorded = JSON.parse(
  readFileSync(new URL('./data/functions.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

describe('functions answer as the reference evaluator does', () => {
  let run: Awaited<ReturnType<typeof openCaseDatabase>>;
  beforeAll(async () => {
    run = await openCaseDatabase();
    await run("SET TimeZone = 'UTC'");
  });

  const answerTo = async (expression: string): Promise<unknown> => {
    const query = compileStored(`select to_json_string(${expression}) as v`, {
      sources: new Map(),
      parameters: new Map(),
    });
    const plan = new QueryPlanner().plan({
      query,
      parameters: new Map(),
      projects: null,
      redaction: null,
      nowMicros: caseNowMicros,
    });
    const { sql } = rowsStatement(plan, new Map(), plan.bounds, 'plain', 1);
    const [row] = await run(`SELECT decode(row) FROM (${sql})`);
    return (JSON.parse(String(row?.[0])) as { v: unknown }).v;
  };

  for (const { expression, json } of recorded) {
    const reason = expressionDeviations.get(expression);
    if (reason !== undefined) {
      it(`${expression} differs: ${reason}`, async () => {
        const answer = await answerTo(expression).catch(() => undefined);
        expect(answer).not.toBe(json);
      });
      continue;
    }
    it(expression, async () => {
      if (json === undefined) await expect(answerTo(expression)).rejects.toThrow();
      else expect(await answerTo(expression)).toBe(json);
    });
  }
});
