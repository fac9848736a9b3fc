import { describe, expect, it } from 'vitest';
import { boolText, floatText, integerText } from '../emit/textCasts.ts';
import { fetchBreach } from './fetchCheck.ts';

const tables = new Set(['logmill.edge_logs']);
const breach = (sql: string, projects: readonly string[] | null = ['a', 'b']) => fetchBreach(sql, tables, projects);
const select = 'SELECT `id` AS out_id, toUnixTimestamp64Micro(timestamp) AS out_timestamp FROM `logmill`.`edge_logs`';

describe('the isolation check of fetches', () => {
  it.each([
    `${select} WHERE project = 'a'`,
    `${select} WHERE project IN ('a', 'b') AND timestamp >= fromUnixTimestamp64Micro(toInt64(5), 'UTC')`,
    `${select} WHERE timestamp >= fromUnixTimestamp64Micro(toInt64(-5), 'UTC') AND project = 'b'\nORDER BY timestamp DESC LIMIT 5 WITH TIES`,
    `${select} WHERE project = 'a' AND (status = 1 OR status IN (-1, 2)) ORDER BY timestamp DESC, arrival_number DESC LIMIT 5`,
    "SELECT 1 AS out_one FROM `logmill`.`edge_logs` WHERE project = 'a' AND (event_message = 'x\\' OR 1 FROM -- /*')",
    "SELECT CAST(`id` AS String) AS out_id, count() AS out_n FROM `logmill`.`edge_logs` WHERE project = 'a' GROUP BY `id`",
  ])('passes a SELECT that is held to projects of its call: %s', (sql) => {
    expect(breach(sql)).toBeNull();
  });

  it.each([
    "toInt64(1), toInt64(-2), 'x', -3",
    'reinterpretAsFloat64(toUInt64(4609434218613702656)), toFloat64(2)',
    "fromUnixTimestamp64Micro(toInt64(5), 'UTC')",
    'true, false',
  ])('passes IN with literals and their types: %s', (list) => {
    expect(breach(`${select} WHERE project = 'a' AND x IN (${list})`)).toBeNull();
  });

  it.each([
    'toInt64(id)',
    'toInt64(toString(1))',
    'toInt64((1))',
    'toInt64(1), edge_logs',
    'toInt64(1) + 1',
    'toInt64',
    'true + 1',
    'truename',
    '`logmill`.`edge_logs`',
    'toInt64(',
    '',
  ])('refuses IN with anything else: %s', (list) => {
    expect(breach(`${select} WHERE project = 'a' AND x IN (${list})`)).not.toBeNull();
  });

  it.each([integerText, floatText, boolText])('passes a cast of text: %o', (cast) => {
    const sql = `SELECT ${cast('`event_message`')} AS out_0 FROM \`logmill\`.\`edge_logs\` WHERE project = 'a'`;
    expect(breach(sql)).toBeNull();
  });

  it.each([
    select,
    `${select} WHERE project = 'c'`,
    `${select} WHERE project IN ('a', 'c')`,
    `${select} WHERE project IN ()`,
    `${select} WHERE project != 'a'`,
    `${select} WHERE NOT project = 'a'`,
    `${select} WHERE (project = 'a')`,
    `${select} WHERE project = 'a' OR 1`,
    `${select} WHERE project = 'a' AND 1 OR 1`,
    `${select} WHERE 1 OR project = 'a' AND 1`,
    `${select} WHERE project = 'a' = 0`,
    `${select} WHERE project = 'a' || ''`,
    `${select} WHERE x BETWEEN 1 AND project = 'a'`,
    `${select} WHERE project = 'a' ? 1 : 1`,
    `${select} WHERE id = 'project = \\'a\\''`,
    `${select} GROUP BY id HAVING project = 'a'`,
    `${select} ORDER BY project = 'a'`,
    `${select} WHERE project = 'a' UNION ALL ${select}`,
    `${select} WHERE project = 'a' AND id IN (SELECT id FROM \`logmill\`.\`edge_logs\`)`,
    `${select} WHERE project = 'a' AND id IN edge_logs`,
    `${select} WHERE project = 'a' AND id IN (edge_logs)`,
    `${select} WHERE project = 'a' AND globalIn(id, edge_logs)`,
    `${select} WHERE project = 'a' AND in(id, edge_logs)`,
    `${select} WHERE project = 'a' SETTINGS additional_table_filters = 1`,
    `${select} WHERE project = 'a' -- x`,
    `${select} WHERE project = 'a' /* x */`,
    `${select} WHERE project = 'a'; SELECT 1`,
    `${select} WHERE project = "a"`,
    `${select} WHERE project = $x$a$x$`,
    `${select} WHERE project = 'a\\x'`,
    `${select} WHERE project = 'a''`,
    `${select} t WHERE project = 'a'`,
    `${select}, \`logmill\`.\`auth_logs\` WHERE project = 'a'`,
    `${select} ARRAY JOIN irregular AS project WHERE project = 'a'`,
    `${select} CROSS JOIN \`logmill\`.\`auth_logs\` WHERE project = 'a'`,
    `WITH 'a' AS project ${select} WHERE project = 'a'`,
    "SELECT 'a' AS project FROM `logmill`.`edge_logs` WHERE project = 'a'",
    "SELECT (1, 'a' AS project) AS out_x FROM `logmill`.`edge_logs` WHERE project = 'a'",
    "SELECT id FROM `logmill`.`auth_logs` WHERE project = 'a'",
    "SELECT id FROM edge_logs WHERE project = 'a'",
    "SELECT id FROM merge('logmill', '.*') WHERE project = 'a'",
    "SELECT id FROM (SELECT * FROM `logmill`.`edge_logs`) WHERE project = 'a'",
    "SELECT dictGet('d', 'x', id) AS out_x FROM `logmill`.`edge_logs` WHERE project = 'a'",
    "SELECT joinGet('logmill.x', 'y', id) AS out_x FROM `logmill`.`edge_logs` WHERE project = 'a'",
    "SELECT file('/etc/passwd') AS out_x FROM `logmill`.`edge_logs` WHERE project = 'a'",
    "INSERT INTO `logmill`.`edge_logs` SELECT id FROM `logmill`.`edge_logs` WHERE project = 'a'",
  ])('refuses: %s', (sql) => {
    expect(breach(sql)).not.toBeNull();
  });

  const side = (alias: string, sql = `SELECT event_message AS ${alias}0, arrival_number AS ${alias}1 ${held}`) =>
    `(${sql}) AS ${alias}`;
  const held = "FROM `logmill`.`edge_logs` WHERE project = 'a' AND id IN ('x')";
  const join = (left = side('in_l'), right = side('in_r'), rest = 'ON in_l0 = in_r0', head = 'in_l0 AS out_0') =>
    `SELECT ${head}\nFROM ${left}\nFULL JOIN ${right}\n${rest}`;

  it.each([
    join(),
    join().replace('FULL', 'INNER'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0 AND in_l1 = in_r1 WHERE (isNotNull(in_l0) OR in_r1 > 5)'),
    join(
      side('in_l'),
      side('in_r'),
      'ON in_l0 = in_r0\nGROUP BY in_l1 HAVING count() > 1 ORDER BY in_l1 DESC NULLS LAST LIMIT 5',
      "CAST(in_l1, 'Nullable(Int64)') AS out_0, toInt64(count()) AS out_1",
    ),
  ])('passes a join of two SELECTs that are held to projects of its call: %s', (sql) => {
    expect(breach(sql)).toBeNull();
  });

  const other = (sql: string) => [
    join(side('in_l', sql)),
    join(side('in_l'), side('in_r', sql.replaceAll('in_l', 'in_r'))),
  ];

  it.each([
    ...other('SELECT id AS in_l0 FROM `logmill`.`edge_logs`'),
    ...other("SELECT id AS in_l0 FROM `logmill`.`edge_logs` WHERE project = 'c'"),
    ...other("SELECT id AS in_l0 FROM `logmill`.`edge_logs` WHERE project = 'a' OR 1"),
    ...other("SELECT id AS in_l0 FROM `logmill`.`auth_logs` WHERE project = 'a'"),
    ...other("SELECT 'a' AS project, id AS in_l0 FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...other("SELECT id AS out_0 FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...other("SELECT id AS in_l0x FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...other(`SELECT id AS in_l0 ${held} UNION ALL SELECT id ${held}`),
    ...other(`SELECT id AS in_l0 FROM (SELECT id ${held})`),
    ...other(`SELECT id AS in_l0 ${held} AND id IN (SELECT id ${held})`),
    ...other(`SELECT in_l0 FROM ${side('in_l')} FULL JOIN ${side('in_r')} ON in_l0 = in_r0`),
    join('`logmill`.`edge_logs` AS in_l'),
    join(side('in_l'), '`logmill`.`edge_logs` AS in_r'),
    join(side('in_l'), "merge('logmill', '.*') AS in_r"),
    join(side('in_r'), side('in_l')),
    join(side('in_l'), side('in_r'), 'USING in_l0'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0, `logmill`.`auth_logs`'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0, logmill.auth_logs'),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0, ${side('in_l')}`),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0, numbers(5)`),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0, zeros(5)`),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0 FULL JOIN ${side('in_r')} ON in_l0 = in_r0`),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0 CROSS JOIN \`logmill\`.\`auth_logs\``),
    join(side('in_l'), side('in_r'), `ON in_l0 = in_r0 WHERE in_l0 IN (SELECT id ${held})`),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0 WHERE in_l0 IN edge_logs'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0 UNION ALL SELECT 1'),
    join(side('in_l'), side('in_r'), "ON in_l0 = in_r0 SETTINGS additional_table_filters = ''"),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0 ARRAY JOIN in_l1'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', 'project AS out_0'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', '`in_l0` AS out_0'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', '* EXCEPT in_l0'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', 'in_l0 AS in_r0'),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', "dictGet('d', 'x', in_l0) AS out_0"),
    join(side('in_l'), side('in_r'), 'ON in_l0 = in_r0', `(SELECT max(id) ${held}) AS out_0`),
    `${join()} -- x`,
    `WITH in_l AS (SELECT 1) ${join()}`,
    join().replace('FULL', 'ASOF'),
    join().replace('FULL', 'GLOBAL FULL'),
    join().replace('FROM (', 'FROM remote('),
  ])('refuses a join: %s', (sql) => {
    expect(breach(sql)).not.toBeNull();
  });

  const arm = (
    rest = '',
    sql = `SELECT event_message AS in_u0, arrival_number AS in_u1, 1 AS in_check, 1 AS in_events ${held}`,
  ) => `(${sql}${rest})`;
  const union = (arms = [arm(), arm()], rest = '', head = 'in_u0 AS out_0') =>
    `SELECT ${head}\nFROM (\n${arms.join('\nUNION ALL\n')}\n) AS in_u${rest}`;

  it.each([
    union(),
    union([arm(' ORDER BY arrival_number DESC LIMIT 5'), arm(' GROUP BY id HAVING in_check != 0 LIMIT 5'), arm()]),
    union(
      [arm(), arm(), arm(), arm()],
      '\nORDER BY out_check DESC, in_u1 DESC NULLS LAST, in_u0 LIMIT 5 OFFSET 3',
      "in_u0 AS out_0, concat('x', in_u1) AS out_1, in_check AS out_check, in_events AS out_events",
    ),
    union([arm()], '\nGROUP BY in_u0 HAVING count() > 1 LIMIT 2', "CAST(in_u0, 'Nullable(String)') AS out_0"),
  ])('passes a UNION ALL of SELECTs that are held to projects of its call: %s', (sql) => {
    expect(breach(sql)).toBeNull();
  });

  const inEach = (sql: string) => [
    union([arm('', sql), arm()]),
    union([arm(), arm('', sql)]),
    union([arm(), arm('', sql), arm()]),
  ];

  it.each([
    ...inEach('SELECT id AS in_u0 FROM `logmill`.`edge_logs`'),
    ...inEach("SELECT id AS in_u0 FROM `logmill`.`edge_logs` WHERE project = 'c'"),
    ...inEach("SELECT id AS in_u0 FROM `logmill`.`edge_logs` WHERE project = 'a' OR 1"),
    ...inEach("SELECT id AS in_u0 FROM `logmill`.`auth_logs` WHERE project = 'a'"),
    ...inEach("SELECT 'a' AS project, id AS in_u0 FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...inEach("SELECT id AS out_0 FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...inEach("SELECT id AS in_u0x FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...inEach("SELECT id AS in_l0 FROM `logmill`.`edge_logs` WHERE project = 'a'"),
    ...inEach(`SELECT id AS in_u0 ${held} UNION ALL SELECT id ${held}`),
    ...inEach(`SELECT id AS in_u0 ${held}) UNION DISTINCT (SELECT id ${held}`),
    ...inEach(`SELECT id AS in_u0 ${held}) EXCEPT (SELECT id ${held}`),
    ...inEach(`SELECT id AS in_u0 ${held}) UNION ALL SELECT id AS in_u0 ${held} UNION ALL (SELECT id AS in_u0 ${held}`),
    ...inEach(`SELECT id AS in_u0 FROM (SELECT id ${held})`),
    ...inEach(`(SELECT id AS in_u0 ${held})`),
    ...inEach(`SELECT id AS in_u0 ${held} AND id IN (SELECT id ${held})`),
    ...inEach(`SELECT id AS in_u0 ${held} SETTINGS additional_table_filters = {}`),
    ...inEach(''),
    union().replace('SELECT in_u0', 'SELECT id'),
    union().replace(') AS in_u', ') AS in_x'),
    union().replace(') AS in_u', ')'),
    union().replace('UNION ALL', 'UNION DISTINCT'),
    union().replace('UNION ALL', 'UNION'),
    union().replace('UNION ALL', ','),
    union().replace('UNION ALL', ''),
    union().replace('FROM (', 'FROM view('),
    union().replace(') AS in_u', 'UNION ALL SELECT id FROM x) AS in_u'),
    union().replace('FROM (', 'FROM (SELECT id UNION ALL '),
    union(undefined, ', `logmill`.`auth_logs`'),
    union(undefined, ', logmill.auth_logs'),
    union(undefined, ', numbers(5)'),
    union(undefined, `, ${arm()} AS in_u`),
    union(undefined, ' CROSS JOIN logmill.auth_logs'),
    union(undefined, ` INNER JOIN ${side('in_r')} ON in_u0 = in_r0`),
    union(undefined, ' ARRAY JOIN in_u0'),
    union(undefined, ' FINAL'),
    union(undefined, ' (in_u0)'),
    union(undefined, ' UNION ALL SELECT 1'),
    union(undefined, " SETTINGS additional_table_filters = ''"),
    union(undefined, ` ORDER BY in_u0 IN (SELECT id ${held})`),
    union(undefined, ' ORDER BY in_u0 IN edge_logs'),
    union(undefined, ' ORDER BY project'),
    union(undefined, '', 'project AS out_0'),
    union(undefined, '', '`in_u0` AS out_0'),
    union(undefined, '', '* EXCEPT in_u0'),
    union(undefined, '', 'in_u0 AS in_u1'),
    union(undefined, '', "dictGet('d', 'x', in_u0) AS out_0"),
    union(undefined, '', `(SELECT max(id) ${held}) AS out_0`),
    `${union()} -- x`,
    `WITH in_u AS (SELECT 1) ${union()}`,
    `${union()} UNION ALL ${union()}`,
  ])('refuses a UNION ALL: %s', (sql) => {
    expect(breach(sql)).not.toBeNull();
  });

  it('demands one of the tables in each arm of a UNION ALL where the call may read all', () => {
    expect(breach(union(), null)).toBeNull();
    expect(breach(union([arm(), arm('', 'SELECT 1 AS in_u0 FROM `system`.`tables`')]), null)).not.toBeNull();
  });

  it('demands one of the tables on both sides of a join where the call may read all', () => {
    expect(breach(join(), null)).toBeNull();
    expect(breach(join(side('in_l'), side('in_r', 'SELECT 1 AS in_r0 FROM `system`.`tables`')), null)).not.toBeNull();
  });

  it('demands no project where the call may read all, but one of the tables', () => {
    expect(breach(select, null)).toBeNull();
    expect(breach('SELECT 1 AS out_one FROM `system`.`tables`', null)).not.toBeNull();
    expect(breach(`${select} UNION ALL ${select}`, null)).not.toBeNull();
  });

  it('reads a project with quotes, backslashes and NUL as ClickHouse does', () => {
    const project = "a'\\\u0000 OR 1";
    expect(breach(`${select} WHERE project = 'a\\'\\\\\\0 OR 1'`, [project])).toBeNull();
    expect(breach(`${select} WHERE project = 'a\\'\\\\\\0 OR 1'`, ['a'])).not.toBeNull();
  });
});
