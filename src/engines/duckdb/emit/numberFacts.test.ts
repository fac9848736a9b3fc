import { describe, expect, it } from 'vitest';
import { statementOf } from './statementOf.fixture.ts';

const table = 'sources.edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.response) as r';
const checksZero = (sql: string): boolean => statementOf(sql).includes('Division by zero');
const looksForInfinities = (sql: string): boolean => /isfinite|isnan/.test(statementOf(sql));

describe('a division by the number of rows in a group', () => {
  it.each([
    `select project, countif(r.status_code >= 500) / count(*) as rate from ${table} group by project`,
    `select project, sum(length(id)) / count(id) as mean from ${table} group by project order by mean`,
    `select project, 100.0 * countif(r.status_code >= 500) / count(*) as percent from ${table} group by 1`,
    `with g as (select project, count(*) as n from ${table} group by project) select 1 / n as x from g where 1 / n > 0.5`,
  ])('cannot be one by zero, and needs no look at what comes out: %s', (sql) => {
    expect(checksZero(sql)).toBe(false);
    expect(looksForInfinities(sql)).toBe(false);
  });

  it('fails on no event of another project, and so needs no guard', () => {
    const rate = `select project, countif(r.status_code >= 500) / count(*) as rate from ${table} group by project`;
    expect(statementOf(rate)).not.toContain('list_extract');
  });

  it.each([
    ['without keys there is a group without rows', `select 1 / count(*) as x from ${table}`],
    ['so there is in the total of a ROLLUP', `select 1 / count(*) as x from ${table} group by rollup (project)`],
    ['of values that are there', `select 1 / count(r.status_code) as x from ${table} group by project`],
    ['of a condition', `select 1 / countif(r.status_code = 1) as x from ${table} group by project`],
    [
      'in a frame',
      `select 1 / count(*) over (order by id rows between 2 preceding and 1 preceding) as x from ${table}`,
    ],
    ['less one', `select 1 / (count(*) - 1) as x from ${table} group by project`],
    ['MOD of it', `select 1 / mod(count(*), 2) as x from ${table} group by project`],
  ])('may be one by zero otherwise: %s', (_, sql) => {
    expect(checksZero(sql)).toBe(true);
  });
});

describe('arithmetic of numbers that are finite', () => {
  it.each([
    `select 1 / (count(*) - 1) as x from ${table}`,
    `select r.origin_time * 2.5 + 1 as x from ${table}`,
    `select safe_divide(countif(r.status_code = 1), count(*)) as x from ${table}`,
    `select -(r.origin_time / 3) as x from ${table}`,
  ])('gives a finite number or an error: %s', (sql) => {
    expect(statementOf(sql)).not.toContain('isnan(r.o0)');
    expect(statementOf(sql)).not.toContain('isfinite(r.o0)');
  });

  it.each([
    `select cast(id as float64) * 2 as x from ${table}`,
    `select ieee_divide(r.origin_time, 0) as x from ${table}`,
    `select ieee_divide(1, 0) + r.origin_time as x from ${table}`,
  ])('may give others where one of them is none: %s', (sql) => {
    expect(statementOf(sql)).toContain('isnan(r.o0)');
  });
});
