import { describe, expect, it } from 'vitest';
import { conditionsBelowUnnests } from '../../../googlesql/plan/conditionsBelowUnnests.ts';
import { kinds, plan, stored } from '../../../googlesql/plan/plan.fixture.ts';
import type { Relation } from '../../../googlesql/resolve/tree.ts';

const lowered = (sql: string): Relation =>
  conditionsBelowUnnests(plan(stored(sql)), ({ columns }) => Object.values(columns));
/** The kinds of all relations but projections, outermost first. */
const shape = (sql: string): string =>
  kinds(lowered(sql))
    .filter((kind) => kind !== 'project')
    .join(' ');

const tags = `from sources.edge_logs t cross join unnest(split(t.event_message, ',')) e`;
const isNumber = 'cast(t.event_message as int64) > 0';

describe('a condition that reads no element stands below the UNNEST', () => {
  it.each([
    ['of an array', `select e ${tags} where ${isNumber}`, 'unnestArray filter scan'],
    [
      'of a nested value',
      `select r from sources.edge_logs t, unnest(t.metadata.request) r where ${isNumber}`,
      'unnestRecord filter scan',
    ],
    [
      'of several, each below those that it does not read',
      `select e, d ${tags} cross join unnest([e]) d where ${isNumber} and e = 'x' and d = 'y'`,
      'filter unnestArray filter unnestArray filter scan',
    ],
    [
      'of LEFT JOIN',
      `select e from sources.edge_logs t left join unnest(split(t.event_message, ',')) e where ${isNumber}`,
      'unnestArray filter scan',
    ],
    [
      'beside other conditions there, in one filter',
      `select e from (select * from sources.edge_logs where id = 'a') t cross join unnest(split(t.event_message, ',')) e where ${isNumber} and ${isNumber}`,
      'unnestArray filter scan',
    ],
    [
      'below columns that are called otherwise',
      `select f from (select t.event_message as m, e as f ${tags}) where cast(m as int64) > 0 and f = 'x'`,
      'filter unnestArray filter scan',
    ],
    [
      'on the side of a join',
      `select e from sources.auth_logs a join (select t.* , e ${tags}) t on a.id = t.id where ${isNumber}`,
      'join scan unnestArray filter scan',
    ],
    [
      'in a subquery',
      `select (select max(e) ${tags} where ${isNumber}) as m from sources.auth_logs`,
      'scan aggregate unnestArray filter scan',
    ],
  ])('%s', (_, sql, expected) => {
    expect(shape(sql)).toBe(expected);
  });
});

describe('a condition stays above the UNNEST', () => {
  it.each([
    ['that reads the element', `select e ${tags} where e = t.id`, 'filter unnestArray scan'],
    ['that reads the offset', `select e ${tags} with offset o where o < length(t.id)`, 'filter unnestArray scan'],
    [
      'that gives another answer each time',
      `select e ${tags} where length(t.id) * rand() < 0.5`,
      'filter unnestArray scan',
    ],
    [
      'that looks at other rows',
      `select e ${tags} where t.id in (select id from sources.auth_logs)`,
      'filter unnestArray scan scan',
    ],
    [
      'on a side of a join that makes up rows',
      `select e from sources.auth_logs a left join (select t.*, e ${tags}) t on a.id = t.id where t.event_message is null`,
      'filter join scan unnestArray scan',
    ],
    [
      'below a LIMIT',
      `select e from (select t.event_message, e ${tags} limit 5) t where ${isNumber}`,
      'filter limit unnestArray scan',
    ],
    [
      'over what is computed of its elements',
      `select u from (select t.id, upper(e) u ${tags}) where id = 'a'`,
      'filter unnestArray scan',
    ],
  ])('%s', (_, sql, expected) => {
    expect(shape(sql)).toBe(expected);
  });
});

it('puts thousands of conditions into one filter', () => {
  const conditions = Array.from({ length: 1900 }, (_, i) => `t.id <> 'a${i}'`).join(' and ');
  expect(shape(`select e ${tags} where ${conditions} and e <> ''`)).toBe('filter unnestArray filter scan');
});
