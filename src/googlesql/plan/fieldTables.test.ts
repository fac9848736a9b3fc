import { expect, it, test } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileCaller } from '../compile.ts';
import type { ParameterValue } from '../resolve/parameterValue.ts';
import { fieldTables } from './fieldTables.ts';

const stored = 'with a as (select 1 as x), b as (select 2 as y), c as (select 3 as z) select 1 as one';
const sources = new Map(builtinSources.map((source) => [source.name, source]));

function asked(sql: string, wanted?: ParameterValue) {
  const query = compileCaller(sql, stored, { sources, parameters: new Map([['wanted', 'string' as const]]) });
  const names = fieldTables(query.relation, new Map(wanted === undefined ? [] : [['wanted', wanted]]));
  return names === null ? null : [...names].sort();
}

test.each([
  ["select * from information_schema.fields where table_name = 'a'", ['a']],
  ["select * from information_schema.fields where 'a' = table_name and share > 0.5", ['a']],
  ["select * from information_schema.fields where table_name in ('a', 'b') limit 10", ['a', 'b']],
  ["select * from information_schema.fields where table_name in unnest(['a', 'b'])", ['a', 'b']],
  ["select * from information_schema.fields where table_name = 'a' or table_name = 'c'", ['a', 'c']],
  ["select field_path from (select * from information_schema.fields) where table_name = 'b'", ['b']],
  ["with f as (select table_name as t, share from information_schema.fields) select share from f where t = 'b'", ['b']],
  [
    "select table_name, count(*) as n from information_schema.fields group by table_name having table_name = 'c'",
    ['c'],
  ],
  [
    `select p.field_path from information_schema.fields as p join information_schema.fields as q using (field_path)
     where p.table_name = 'a' and q.table_name = 'b'`,
    ['a', 'b'],
  ],
  [
    "select x from a where exists (select 1 from information_schema.fields where table_name = 'a' and share = x)",
    ['a'],
  ],
  ["from information_schema.fields |> where table_name = 'a' |> select field_path", ['a']],
  // A name that no table has: there are no such rows.
  ["select * from information_schema.fields where table_name = 'nothing'", ['nothing']],
])('of %s only the named tables are read', (sql, names) => {
  expect(asked(sql)).toEqual(names);
});

test.each([
  'select * from information_schema.fields',
  "select * from information_schema.fields where table_name != 'a'",
  "select * from information_schema.fields where starts_with(table_name, 'a')",
  "select * from information_schema.fields where lower(table_name) = 'a'",
  "select * from information_schema.fields where table_name = 'a' or share > 0.5",
  "select * from information_schema.fields where field_path = 'a'",
  "select * from (select * from information_schema.fields limit 3) where table_name = 'a'",
  "select count(*) as n, (select count(*) from information_schema.fields where table_name = 'a') as m from information_schema.fields",
  "select * from a left join information_schema.fields as f on true and f.share > 0 where x = 1 or f.table_name = 'a'",
  "select row_number() over (order by share) as r from information_schema.fields qualify table_name = 'a'",
  "select * from information_schema.fields where table_name = 'a' union all select * from information_schema.fields",
])('of %s all tables are read', (sql) => {
  expect(asked(sql)).toBeNull();
});

it('knows the table that a parameter names, once it has a value', () => {
  const sql = 'select * from information_schema.fields where table_name = @wanted';
  expect(asked(sql, { kind: 'string', value: 'b' })).toEqual(['b']);
  expect(asked(sql, { kind: 'null' })).toBeNull();
  expect(asked(sql)).toBeNull();
});
