import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasClickHouse, startClickHouse, type TestClickHouse } from '../startClickHouse.ts';
import { type GivenEvent, PushdownStore } from './pushdownStore.ts';

const event = (id: string, metadata: string): GivenEvent => ({
  ...{ id, project: 'p', eventMessage: 'm', metadata },
  timestampMicros: Date.UTC(2026, 4, 1) * 1000,
});

const status = 't.metadata.response.status_code';
const rows = (condition: string, value = "'e'", other = "'a'") =>
  `select t.id, ${value} as v from sources.edge_logs as t where ${condition} union all select t.id, ${other} from sources.auth_logs as t`;

const withoutCheck = (sql: string): string => sql.replaceAll(/in_check AS out_check/g, 'toInt64(0) AS out_check');
const withoutCheckOfGroups = (sql: string): string => sql.replaceAll('max(in_check)', 'max(toInt64(0) * in_check)');
const withoutFirstOfArm = (sql: string): string => sql.replaceAll('ORDER BY in_check DESC, ', 'ORDER BY ');
const withoutFirst = (sql: string): string => sql.replaceAll('ORDER BY out_check DESC, ', 'ORDER BY ');
const withoutFailed = (sql: string): string => sql.replaceAll(/ OR \(?hot_columns < \d+ OR .*?'\]\)\)\)/g, '');

describe.skipIf(!hasClickHouse)('a UNION ALL of events that fail a check', () => {
  let server: TestClickHouse;
  let store: PushdownStore;

  beforeAll(async () => {
    server = await startClickHouse();
    store = await PushdownStore.open(server, await server.createDatabase());
    await store.store('edge_logs', [
      event('1', '{"response":{"status_code":404}}'),
      event('2', '{"response":{"status_code":"999"}}'),
      event('3', '{"response":{"status_code":100}}'),
      event('6', '{"response":{"status_code":300}}'),
      event('7', '{"response":{"status_code":"404"}}'),
    ]);
    await store.store('auth_logs', [event('4', '{}'), event('5', '{}')]);
  });
  afterAll(async () => await server?.close());

  const byMember = `${rows('true', `safe_cast(${status} as float64)`, '150.0')} order by v desc, id limit 1 offset 1`;
  const groups = `select v, count(*) as n from (${rows(`${status} = 404`)}) as u group by v order by v`;

  test.each([
    ['the column of a check', `${rows(`${status} = 404`)} order by id limit 9`, withoutCheck],
    [
      'a filter of an arm that leaves none of them out',
      `${rows(`${status} = 404`)} order by id limit 9`,
      withoutFailed,
    ],
    ['the order of an arm', byMember, withoutFirstOfArm],
    ['the order of all arms', byMember, withoutFirst],
    ['the check of groups', groups, withoutCheckOfGroups],
  ])('only %s tells a query of them', async (_, text, mutate) => {
    const expected = (await store.reference(text)).rows;
    const { rows: answer, fetches } = await store.pushed(text);
    expect(answer).toEqual(expected);
    expect(fetches).toHaveLength(1);
    expect((await store.pushed(text, { mutate })).rows).not.toEqual(expected);
  });

  test.each([
    ['an irregular event', `${status} = 404`, "'e'"],
    ['a sum beyond INT64', "t.id > '1'", 'sum(9223372036854775807)'],
    ['an object as a key', 't.metadata.response is not null', 't.metadata.response'],
  ])('the checks of arms have numbers of their own: %s', async (_, condition, value) => {
    const grouped = (source: string, of: string, where: string) =>
      `select '${source}' as s, max(t.id) as m, ${of} as v from sources.${source} as t where ${where}`;
    const isKey = value.startsWith('t.');
    const group = isKey ? ' group by v' : '';
    const text = `select s, m, ${isKey ? "ifnull(to_json_string(v), '')" : 'v'} as v from (${grouped('edge_logs', isKey ? value : value.startsWith("'") ? 'count(*)' : value, condition)}${group} union all ${grouped('auth_logs', isKey ? value : value.startsWith("'") ? 'count(*)' : value, 'true')}${group}) as u order by s, m limit 9`;
    expect((await store.pushed(text)).rows).toEqual((await store.reference(text)).rows);
  });
});
