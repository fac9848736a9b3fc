import { expect, it } from 'vitest';
import { compileStored } from '../compile.ts';

const compile = (sql: string) => compileStored(sql, { sources: new Map(), parameters: new Map() });

it.each([
  [
    'select 1 as a, 2 as b union all by name select 3 as b',
    /Arm 2 has no column a, which another arm has.*line 1, column 41/,
  ],
  ['select 1 as a union all by name select 3 as a, 4 as c', /Arm 1 has no column c/],
  ['select 1 as a union all corresponding select 2 as b', /no column name in common/],
  ['select 1 as a left union all by name select 2 as b', /no column name in common/],
  ['select 1 as a, 2 as A union all by name select 2 as a', /two columns in arm 1 are named A/],
  ['select 1 as a, 2 union all by name select 2 as a', /column 2 in arm 1 has none; give it an alias/],
  ['select as struct 1 as a union all by name select 2 as a', /the value table in arm 1/],
  ['select 1 as a union all by name on (a, A) select 2 as a', /names A twice/],
  ['select 1 as alpha union all by name on (alpho) select 2 as alpha', /Not every arm has a column alpho/],
  ['select 1 as a left union all by name on (b) select 2 as b', /The first arm has no column b/],
  ['select 1 as a full union all by name on (c) select 2 as b', /No arm has a column c/],
  [
    "select 1 as a, 'x' as b union all by name select 'y' as a, 'z' as b",
    /Column 1 \(a\) has types in the arms that have no common type/,
  ],
])('refuses %s', (sql, message) => {
  expect(() => compile(sql)).toThrow(message);
});

it('gives each column the type that the arms that have it agree on', () => {
  const { columns } = compile("select 1 as a, 'x' as b full union all by name select 2.5 as a, null as b, true as c");
  expect(columns.map(({ name, column }) => `${name} ${column.type.kind}`)).toEqual(['a FLOAT64', 'b STRING', 'c BOOL']);
});
