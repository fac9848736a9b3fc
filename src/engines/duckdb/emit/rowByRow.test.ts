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
    `select timestamp_trunc(t.timestamp, day, t.event_message) from ${logs}`,
    `select sha512(t.event_message) from ${logs}`,
  ])('if a function may fail on a text: %s', (sql) => {
    expect(isByRow(sql)).toBe(true);
  });

  it.each([
    `select t.event_message, t.timestamp from ${logs} where t.event_message like '%a%'`,
    `select regexp_contains(t.event_message, 'a+'), concat(t.event_message, 'x'), upper(t.event_message) from ${logs}`,
    `select t.metadata.request.method as m, t.event_message as e, count(*) from ${logs} group by m, e`,
    `select cast(t.event_message as int64), length(t.event_message), substr(t.event_message, 1, 3) from ${logs}`,
    `select json_value(t.event_message, '$.a'), split(t.event_message, ','), to_hex(md5(t.event_message)) from ${logs}`,
    `select regexp_extract(t.event_message, '/(a+)'), t.metadata.unknown.member > 3 from ${logs}`,
    `select timestamp from unnest(generate_timestamp_array(timestamp '2026-05-01', timestamp '2026-05-02', interval 1 hour)) as timestamp, ${logs} where t.event_message = 'a'`,
  ])('not if none can: %s', (sql) => {
    expect(isByRow(sql)).toBe(false);
  });
});

describe('columns of a join', () => {
  const joined = 'sources.edge_logs as t join sources.auth_logs as a on a.timestamp = t.timestamp';

  it('are read row by row if a function may fail on a text', () => {
    const sql = statementOf(`select if(a.id = '(', null, regexp_replace('x', a.id, 'y')) from ${joined}`);
    expect(sql).toMatch(/regexp_replace\('x', list_extract\(\[t\d+\.c\d+\], 1\), 'y', 'g'\)/);
    // The engine would not join by hash on anything else.
    expect(sql).toMatch(/ON \(\(+t\d+\.c\d+ = t\d+\.c\d+\)+/);
  });

  it('are compared as they are, also under other names', () => {
    const sql = statementOf(
      `select regexp_replace('x', m, 'y') from (select a.id as m, a.timestamp as u, t.timestamp as v from sources.edge_logs as t cross join sources.auth_logs as a) where u = v`,
    );
    expect(sql).toMatch(/WHERE .*\(t\d+\.c\d+ = t\d+\.c\d+\)/);
    expect(sql).toMatch(/regexp_replace\('x', list_extract\(\[t\d+\.c\d+\], 1\), 'y', 'g'\)/);
  });

  it('are read as they are if no function may fail', () => {
    expect(statementOf(`select lower(a.id) from ${joined}`)).toMatch(/lower\(t\d+\.c\d+\)/);
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
  ['generate_series(1, t1.n)', true],
  ["timezone('UTC', t1.c)", false],
  ['timezone(t1.z, t1.c)', true],
  ["date_trunc('day', t1.c)", false],
  ['date_trunc(t1.p, t1.c)', true],
  ["x LIKE 'a!%' ESCAPE '!'", false],
  ["'x' LIKE t1.p ESCAPE '!'", true],
  ["strftime(t1.c, '%Y')", false],
  ['strftime(t1.c, t1.f)', true],
  ['json_extract("metadata", \'$.a\')', false],
  ["json_extract_string(json_extract(\"metadata\", '$.a'), '$.b')", false],
  ["json_extract(t1.x, '$.a')", false],
  ['\'unknown(\' || "lambda"', false],
  ['unknown(x)', true],
  ['list_transform([x], lambda y: y)', true],
  ['list_transform([struct_pack(a0 := t1.x)], lambda lm: unknown(lm.a0))', false],
  ['(list_transform([struct_pack(a0 := t1.x)], lambda lm: CASE WHEN lm.a0 THEN 1 END)[1])', false],
  [
    "list_transform([struct_pack(a0 := split(t1.x, ','))], lambda lm: list_transform(lm.a0, lambda c: CAST(c AS BIGINT)))",
    true,
  ],
  [
    "list_transform([struct_pack(a0 := string_split(t1.x, ','))], lambda lm: list_transform(lm.a0, lambda c: CAST(c AS BIGINT)))",
    false,
  ],
  ['list_transform([struct_pack(a0 := t1.x)], lambda lm: unknown(t1.y))', true],
  ['list_transform([struct_pack(a0 := t1.x)], lambda lm: unknown("y"))', true],
  ['unknown(list_transform([struct_pack(a0 := t1.x)], lambda lm: lm.a0)[1])', true],
  ['list_transform([struct_pack(a0 := t1.x), t1.y], lambda lm: lm.a0)', true],
  ['list_transform([struct_pack(a0 := t1.x).a0], lambda lm: lm.a0)', true],
  ['list_transform([struct_pack(a0 := t1.x)] || t1.y, lambda lm: lm.a0)', true],
  ['list_transform([struct_pack(a0 := t1.x)], lambda lm: lm.a0) || list_transform(t1.y, lambda z: z)', true],
  ["logmill_redact_text(t1.x, '[]', 1)", true],
])('%s: %s', (sql, expected) => {
  expect(atOnce(mayFailUnseen(sql))).toBe(expected);
});
