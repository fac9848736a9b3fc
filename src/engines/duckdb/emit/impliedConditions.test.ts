import { expect, it } from 'vitest';
import { pathKey } from '../../../sources/source.ts';
import { statementOf } from './statementOf.fixture.ts';

const table = 'sources.edge_logs as t cross join unnest(t.metadata) as m';

const timesSaid = (sql: string, what: string): number => sql.split(what).length - 1;

it('asks for the innermost object alone', () => {
  const sql = statementOf(`select count(*) from ${table} cross join unnest(m.request) as rq cross join unnest(rq.cf)`);
  expect(sql).not.toContain('"has_metadata"');
  expect(sql).not.toContain('"has_request"');
  expect(timesSaid(sql, 'IS NOT NULL')).toBe(1);
});

it.each([
  ['rs.status_code = 1'],
  ['rs.status_code between 1 and 2'],
  ['rs.status_code in (1, null)'],
  ['2 > rs.status_code'],
])('asks for no object where a typed column inside it is compared: %s', (condition) => {
  const sql = statementOf(`select count(*) from ${table} cross join unnest(m.response) as rs where ${condition}`);
  expect(sql).not.toContain('has_');
});

it.each([
  ['rs.status_code is null'],
  ['rs.status_code = 1 or event_message = "x"'],
  ['coalesce(rs.status_code, 1) = 1'],
  ['1 in (rs.status_code, 1)'],
  ['m.request.method = "GET"'],
])('asks for an object where nothing inside it must be there: %s', (condition) => {
  const sql = statementOf(`select count(*) from ${table} cross join unnest(m.response) as rs where ${condition}`);
  expect(sql).toContain('"has_response"');
});

it('asks for an object where the member inside it is read from stored metadata', () => {
  const path = pathKey(['response', 'status_code']);
  const sql = `select count(*) from ${table} cross join unnest(m.response) as rs where rs.status_code = 1`;
  expect(statementOf(sql, [path])).toContain('"has_response"');
});

it('says bounds on the time once for each file, and the project twice', () => {
  const sql = statementOf(
    `select count(*) from sources.edge_logs where timestamp > '2026-01-01' and timestamp <= '2026-01-02' and project = 'a'`,
  );
  expect(timesSaid(sql, 'make_timestamp')).toBe(4);
  expect(timesSaid(sql, `"timestamp"`)).toBe(4);
  expect(timesSaid(sql, `= 'a'`)).toBe(3);
});

it('keeps a condition on the time that is not above the scan itself', () => {
  const sql = statementOf(
    `select count(*) from sources.auth_logs as a left join sources.edge_logs as e on a.id = e.id where e.timestamp > '2026-01-01'`,
  );
  expect(sql).toMatch(/WHERE [^"]*t\d+\.c\d+ > make_timestamp/);
});

it('takes thousands of conditions at once, and keeps the plan as low as it was', () => {
  const terms = Array.from({ length: 2900 }, (_, n) => `id!='${n.toString(36)}'`);
  const sql = statementOf(`select count(*) from ${table} where m.request is not null and ${terms.join(' and ')}`);
  expect(timesSaid(sql, '<>')).toBe(2900);
  expect(sql).not.toContain('"has_metadata"');
  expect(sql).toContain('"has_request"');
});
