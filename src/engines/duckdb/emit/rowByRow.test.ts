import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../core/concurrency/turns.ts';
import { mayFailUnseen } from './rowByRow.ts';
import { statementOf } from './statementOf.fixture.ts';

const logs = 'sources.edge_logs as t';
const isByRow = (sql: string) => statementOf(sql).includes('list_extract(["event_message"], 1)');

describe('columns are read row by row', () => {
  it.each([
    `select net.safe_ip_from_string(t.event_message) from ${logs}`,
    `select regexp_replace('x', t.event_message, 'y') from ${logs}`,
    `select regexp_extract('x', t.event_message) from ${logs}`,
    `select left('x', length(t.event_message)) from ${logs}`,
    `select repeat('x', length(t.event_message)) from ${logs}`,
    `select array(select cast(c as int64) from unnest(split(t.event_message, '')) as c) from ${logs}`,
    `select parse_timestamp('%Y', t.event_message) from ${logs}`,
    `select json_value(t.event_message, '$.a') from ${logs}`,
  ])('if a function may fail on a text: %s', (sql) => {
    expect(isByRow(sql)).toBe(true);
  });

  it.each([
    `select t.event_message, t.timestamp from ${logs} where t.event_message like '%a%'`,
    `select regexp_contains(t.event_message, 'a+'), concat(t.event_message, 'x'), upper(t.event_message) from ${logs}`,
    `select t.metadata.request.method as m, t.event_message as e, count(*) from ${logs} group by m, e`,
    `select cast(t.event_message as int64), length(t.event_message), substr(t.event_message, 1, 3) from ${logs}`,
  ])('not if none can: %s', (sql) => {
    expect(isByRow(sql)).toBe(false);
  });
});

it('reads a long statement in steps', () => {
  const steps = [...mayFailUnseen('concat(t1.x, t1.y), '.repeat(20_000))];
  expect(steps.length).toBeGreaterThan(5);
});

it.each([
  ["regexp_matches(x, 'a,(b')", false],
  ["regexp_matches('a', t1.x)", true],
  ["regexp_matches('a', lower(t1.x))", true],
  ['left(x, 3)', false],
  ["left('x', t1.n)", true],
  ["error('a')", false],
  ['error(t1.x)', true],
  ["generate_series(make_timestamp(1), make_timestamp(2), to_minutes(CAST('1' AS BIGINT)))", false],
  ['to_minutes(t1.n)', true],
  ["strftime(t1.c, '%Y')", false],
  ['strftime(t1.c, t1.f)', true],
  ['json_extract("metadata", \'$.a\')', false],
  ["json_extract_string(json_extract(\"metadata\", '$.a'), '$.b')", false],
  ["json_extract(t1.x, '$.a')", true],
  ['\'unknown(\' || "lambda"', false],
  ['unknown(x)', true],
  ['list_transform([x], lambda y: y)', true],
])('%s: %s', (sql, expected) => {
  expect(atOnce(mayFailUnseen(sql))).toBe(expected);
});
