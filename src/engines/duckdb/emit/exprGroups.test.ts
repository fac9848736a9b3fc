import { afterEach, describe, expect, test, vi } from 'vitest';
import { atOnce } from '../../../core/concurrency/turns.ts';
import { Emission } from './emission.ts';
import { statementInSteps } from './statementOf.fixture.ts';

const repeated = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join('');
const where = (condition: string) => `select id from sources.edge_logs where ${condition}`;

const queries: Readonly<Record<string, string>> = {
  'a list of LIKE ANY': where(`event_message like any ('x'${repeated(2500, (n) => `,'%${n}'`)})`),
  'an array of LIKE ANY': where(`event_message like any unnest(['x'${repeated(2500, (n) => `,'%${n}'`)}])`),
  'conditions of one or another': where(`true${repeated(1500, (n) => ` or id='${n}'`)}`),
  'conditions with BETWEEN': where(`true${repeated(1000, (n) => ` and length(id) between ${n} and ${n + 1}`)}`),
  'a CASE': `select case${repeated(1500, (n) => ` when id='${n}' then ${n}`)} end as x from sources.edge_logs`,
  'calls in one another': `select ${'abs(1+'.repeat(60)}length(id)${')'.repeat(60)} as x from sources.edge_logs`,
  'keys of groups': `select count(*) as n from sources.edge_logs group by id${repeated(200, (n) => `,length(id)+${n}`)}`,
  'a step of ROLLUP': `select count(*) as n from sources.edge_logs group by rollup((id${repeated(200, (n) => `,length(id)+${n}`)}))`,
  'a union': `select id from sources.edge_logs${repeated(50, () => ' union all select id from sources.edge_logs')}`,
  'subqueries of one or another': where(
    `true${repeated(200, (n) => ` or id in (select id from sources.auth_logs where length(id) > ${n})`)}`,
  ),
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(queries))('the statement of %s', (_, sql) => {
  test('is written in steps of bounded size', () => {
    const written = vi.spyOn(Emission.prototype, 'expr');
    const counts: number[] = [];
    const steps = statementInSteps(sql);
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      counts.push(written.mock.calls.length);
      written.mockClear();
    }
    // What is around the parts asks for the text of each part once more.
    expect(Math.max(...counts)).toBeLessThan(4000);
    const inner = counts.filter((count) => count > 1100);
    expect(inner.length).toBeLessThan(2);
  });

  test('is the same as one that is written at once', () => {
    const inSteps = atOnce(statementInSteps(sql)).sql;
    vi.spyOn(Emission.prototype, 'exprInSteps').mockImplementation(function* (this: Emission, expr) {
      yield;
      return this.expr(expr);
    });
    expect(inSteps).toBe(atOnce(statementInSteps(sql)).sql);
  });
});
