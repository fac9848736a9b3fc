import { expect, it } from 'vitest';
import { statementOf } from './statementOf.fixture.ts';

const tags = `from sources.edge_logs t cross join unnest(split(t.event_message, ',')) e`;

it('carries metadata past the elements as the text that is stored', () => {
  expect(statementOf(`select t.metadata, e ${tags} where e = 'x'`)).not.toContain('AS JSON)');
  expect(statementOf(`select t.metadata, e, d ${tags} cross join unnest([e]) d where e = 'x'`)).not.toContain(
    'AS JSON)',
  );
});

it('makes JSON of metadata where something asks for it above the elements', () => {
  const sql = `select to_json_string(t.metadata) as j, t.metadata, e ${tags} where e = 'x'`;
  expect(statementOf(sql)).toContain('AS JSON)');
});

it.each([
  ['of named projects stand in the select list', `select e ${tags}`, ['a'], false],
  ['of events that are chosen beside them are joined', `select e ${tags}`, null, true],
  [
    'of the project that the query names stand in the select list',
    `select e ${tags} where t.project = 'a'`,
    null,
    false,
  ],
  [
    'of a table that is read twice are joined',
    `with w as (select * ${tags}) select f from w a join w b on a.id = b.id cross join unnest([a.id]) f`,
    ['a'],
    true,
  ],
] as const)('elements %s', (_, sql, projects, isJoined) => {
  expect(statementOf(sql, [], projects).includes('LATERAL')).toBe(isJoined);
});
