import { beforeAll, expect, test } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import { rowsStatement } from '../emit/emitStatement.ts';
import { openCaseDatabase } from './functionCases.contract.ts';

let run: Awaited<ReturnType<typeof openCaseDatabase>>;
beforeAll(async () => {
  run = await openCaseDatabase();
});

const nested = (form: string, depth: number): string =>
  depth === 0 ? "upper('a')" : form.replace('#', nested(form, depth - 1));

async function processorMs(expression: string): Promise<number> {
  const query = compileStored(`select ${expression} as x`, { sources: new Map(), parameters: new Map() });
  const limits = { rowsMax: 1, bytesMax: 100_000, nowMicros: 0, profile: 'plain' } as const;
  const plan = new QueryPlanner().plan({ query, parameters: new Map(), projects: null, redaction: null, ...limits });
  const { sql } = rowsStatement(plan, new Map(), plan.bounds, 'plain', 1);
  const before = process.cpuUsage();
  expect(await run(sql)).toHaveLength(1);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Each step once took two and a half times as long as the one before. */
test.each([
  ['to_json(struct(# as a))'],
  ['to_json([#])'],
  ['to_json_string(struct(# as a))'],
  ["json_object('a', #)"],
  ["json_query(to_json(struct(# as a)), '$.a')"],
  ['parse_json(to_json_string(#))'],
  ["array_to_string([#], ',')"],
  ["nullif(#, 'b')"],
  ["format('%T', struct(# as a))"],
])('a call inside a call is prepared in its own time: %s', async (form) => {
  await processorMs(nested(form, 2));
  const few = await processorMs(nested(form, 4));
  expect(await processorMs(nested(form, 12))).toBeLessThan(50 * few + 1000);
});
