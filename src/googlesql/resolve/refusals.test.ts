import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { compileCaller, compileStored } from '../compile.ts';

const stored = `with
  n as (select 1 as id, 'a' as g, 10 as x, 1.5 as f),
  m as (select 1 as id, 'one' as y),
  arr as (select 1 as id, [1, 2] as xs)
select 1`;

/** What GoogleSQL refuses as well, each by a sentence that says what is wrong and where. */
const refusals: readonly (readonly [title: string, sql: string, code: string, message: string])[] = [
  [
    'a bare column of USING that a further table has too',
    'select id from n join m using (id), arr',
    'sql.ambiguous_name',
    '`id` is ambiguous: it could be id or arr.id; qualify it (line 1, column 8).',
  ],
  [
    'USING of a column that one side lacks',
    'select id from n join m using (g)',
    'sql.unknown_name',
    'USING requires the column `g` on both sides (line 1, column 32).',
  ],
  [
    'a join without condition',
    'select n.id from n join m',
    'sql.syntax',
    'INNER JOIN requires ON or USING (line 1, column 18).',
  ],
  [
    'UNNEST of the left behind RIGHT JOIN',
    'select id from arr a right join unnest(a.xs) v on true',
    'sql.type',
    'UNNEST of a value from the left side cannot be on the right of RIGHT JOIN (line 1, column 16).',
  ],
  [
    'UNNEST of the left with USING',
    'select id from arr a join unnest(a.xs) v using (v)',
    'sql.type',
    'UNNEST of a value from the left side must be joined with ON, not USING (line 1, column 16).',
  ],
  [
    'a STRUCT without fields',
    'select [struct()] as s',
    'sql.unsupported',
    'A STRUCT must have at least one field (line 1, column 9).',
  ],
  [
    'a value that its verb in FORMAT does not write',
    "select format('%s: %d', g, f) as t from n",
    'sql.type',
    'FORMAT cannot write a value of type FLOAT64 with %d, which requires INT64; use %f, or cast it to INT64 (line 1, column 8).',
  ],
  [
    'the same with SAFE., which is for data',
    "select safe.format('%d', g) as t from n",
    'sql.type',
    'FORMAT cannot write a value of type STRING with %d, which requires INT64; use %t, which accepts any value (line 1, column 8).',
  ],
  [
    'HAVING MAX in another aggregate than ANY_VALUE',
    'select sum(x having max f) as s from n',
    'sql.unsupported',
    'HAVING MAX is available only in ANY_VALUE; use it in ANY_VALUE, or MAX_BY (line 1, column 8).',
  ],
  [
    'HAVING MIN with OVER',
    'select any_value(x having min f) over () as s from n',
    'sql.type',
    'HAVING MIN cannot be combined with OVER; use MIN_BY (line 1, column 8).',
  ],
  [
    'a specifier that FORMAT does not have',
    "select format('%q', g) as t from n",
    'sql.type',
    'The specifier %q of FORMAT is unknown. Use %d %i %x %X %o %f %F %e %E %g %G %s %t %T %p or %%, with flags, width and precision (line 1, column 8).',
  ],
  [
    'fewer values than FORMAT has specifiers',
    "select format('%s %s', g) as t from n",
    'sql.type',
    'FORMAT has more specifiers than values: %s has no value (line 1, column 8).',
  ],
  [
    'NATURAL JOIN',
    'select * from n natural join m',
    'sql.unsupported',
    'NATURAL JOIN is not supported; name the columns with USING (line 1, column 17).',
  ],
  [
    'a selected name twice in GROUP BY',
    'select g as k, x as k from n group by k',
    'sql.ambiguous_name',
    '`k` is ambiguous: 2 selected columns have this name; give them different aliases (line 1, column 39).',
  ],
  [
    'a selected name twice in GROUP BY, of one value',
    'select g, g from n group by g',
    'sql.ambiguous_name',
    '`g` is ambiguous: 2 selected columns have this name; give them different aliases (line 1, column 29).',
  ],
  [
    'a selected name twice in ORDER BY',
    'select id, x as id from n order by id',
    'sql.ambiguous_name',
    '`id` is ambiguous: 2 selected columns have this name; give them different aliases (line 1, column 36).',
  ],
  [
    'a selected name twice in HAVING',
    "select g as k, max(x) as k from n group by g having k = 'a'",
    'sql.ambiguous_name',
    '`k` is ambiguous: 2 selected columns have this name; give them different aliases (line 1, column 53).',
  ],
  [
    'a selected name twice in QUALIFY',
    'select id as k, x as k from n qualify row_number() over (order by k) = 1',
    'sql.ambiguous_name',
    '`k` is ambiguous: 2 selected columns have this name; give them different aliases (line 1, column 67).',
  ],
  [
    'a column that a subquery has twice',
    'select a from (select 1 as a, 2 as a)',
    'sql.ambiguous_name',
    '`a` is ambiguous: 2 columns have this name; give them different aliases (line 1, column 8).',
  ],
  [
    'ORDER BY of SELECT DISTINCT by what is not selected',
    'select distinct g from n order by x + 1',
    'sql.type',
    'ORDER BY of SELECT DISTINCT can use only selected expressions; `x` is not selected (line 1, column 35).',
  ],
  [
    'HAVING without groups',
    'select g from n having count(*) > 1',
    'sql.type',
    'HAVING requires GROUP BY or an aggregate in the select list; to filter rows, use WHERE (line 1, column 24).',
  ],
  [
    'ORDER BY an aggregate without groups',
    'select g from n order by count(*)',
    'sql.type',
    'The aggregate COUNT is not allowed in ORDER BY of a query that is not grouped (line 1, column 26).',
  ],
  [
    'WHERE without FROM',
    'select 1 where true',
    'sql.type',
    'SELECT without FROM does not accept WHERE (line 1, column 16).',
  ],
  [
    'ORDER BY without FROM',
    'select 1 as a order by a',
    'sql.type',
    'SELECT without FROM does not accept ORDER BY (line 1, column 24).',
  ],
  [
    'DISTINCT without FROM',
    'select distinct 1',
    'sql.type',
    'SELECT without FROM does not accept DISTINCT (line 1, column 1).',
  ],
  [
    'an aggregate without FROM',
    'select count(*)',
    'sql.type',
    'The aggregate COUNT is not allowed in SELECT without FROM (line 1, column 8).',
  ],
  [
    'a window function without FROM',
    'select row_number() over ()',
    'sql.type',
    'The window function ROW_NUMBER is not allowed in SELECT without FROM (line 1, column 8).',
  ],
  [
    'EXCEPT and REPLACE of one column',
    'select * except (id) replace (1 as id) from n',
    'sql.ambiguous_name',
    'EXCEPT removes `id`, so REPLACE cannot replace it (line 1, column 36).',
  ],
  [
    'EXCEPT of what is not there',
    'select * except (xx) from n',
    'sql.unknown_name',
    'EXCEPT names `xx`, which * does not include (line 1, column 18). Did you mean x?',
  ],
  [
    'EXCEPT of everything',
    'select n.* except (id, g, x, f) from n',
    'sql.type',
    'EXCEPT removes every column of *; keep at least one (line 1, column 8).',
  ],
  [
    'SELECT AS VALUE of two columns',
    'select as value id, g from n',
    'sql.type',
    'SELECT AS VALUE must have one column, but this one has 2 (line 1, column 1).',
  ],
  [
    'a window that takes PARTITION BY twice',
    'select sum(x) over (w partition by g) from n window w as (order by id)',
    'sql.type',
    'A window that extends w cannot have its own PARTITION BY (line 1, column 20).',
  ],
  [
    'a window that takes ORDER BY twice',
    'select sum(x) over (w order by id) from n window w as (order by g)',
    'sql.type',
    'The window w already has ORDER BY, so a window that extends it cannot have its own (line 1, column 20).',
  ],
  [
    'a frame upon a frame',
    'select sum(x) over (w rows 2 preceding) from n window w as (order by id rows 1 preceding)',
    'sql.type',
    'The window w has a frame, so a window that extends it cannot add ORDER BY or a frame (line 1, column 20).',
  ],
  [
    'a window before its definition',
    'select sum(x) over a from n window a as b, b as (order by id)',
    'sql.unknown_name',
    'Unknown window b (line 1, column 41).',
  ],
  [
    'two windows of one name',
    'select sum(x) over a from n window a as (order by id), a as (order by g)',
    'sql.ambiguous_name',
    'WINDOW defines a twice (line 1, column 56).',
  ],
  [
    'a frame that ends before it starts',
    'select sum(x) over (order by id rows between current row and 1 preceding) from n',
    'sql.type',
    'The frame ends before it starts (line 1, column 33).',
  ],
  [
    'a frame that starts behind the last row',
    'select sum(x) over (order by id rows between unbounded following and current row) from n',
    'sql.type',
    'The frame ends before it starts (line 1, column 33).',
  ],
  [
    'a frame that ends before the first row',
    'select sum(x) over (order by id rows between current row and unbounded preceding) from n',
    'sql.type',
    'The frame ends before it starts (line 1, column 33).',
  ],
  [
    'a frame with only a start, behind the current row',
    'select sum(x) over (order by id rows 1 following) from n',
    'sql.type',
    'A frame without an end ends at the current row, so it must start at or before the current row (line 1, column 33).',
  ],
  [
    'a negative frame bound',
    'select sum(x) over (order by id rows -1 preceding) from n',
    'sql.type',
    'A frame bound must not be negative or NULL (line 1, column 38).',
  ],
  [
    'a NULL frame bound',
    'select sum(x) over (order by id rows null preceding) from n',
    'sql.type',
    'A frame bound must not be negative or NULL (line 1, column 38).',
  ],
  [
    'a fraction of rows',
    'select sum(x) over (order by id rows 1.5 preceding) from n',
    'sql.type',
    'A frame bound must be an integer or a parameter (line 1, column 38).',
  ],
  [
    'a fraction along whole numbers',
    'select sum(x) over (order by id range 1.5 preceding) from n',
    'sql.type',
    'A frame bound must be an integer or a parameter (line 1, column 39).',
  ],
  [
    'a distance along text',
    'select sum(x) over (order by g range 1 preceding) from n',
    'sql.type',
    'RANGE with an offset requires ORDER BY of exactly one number, for example unix_seconds(timestamp) (line 1, column 20).',
  ],
  [
    'a distance along two keys',
    'select sum(x) over (order by id, x range 1 preceding) from n',
    'sql.type',
    'RANGE with an offset requires ORDER BY of exactly one number, for example unix_seconds(timestamp) (line 1, column 20).',
  ],
  [
    'RANK without ORDER BY',
    'select rank() over (partition by g) from n',
    'sql.type',
    'RANK requires ORDER BY in its window (line 1, column 8).',
  ],
  [
    'LAG with a frame',
    'select lag(x) over (order by id rows 1 preceding) from n',
    'sql.type',
    'The window of LAG cannot have a frame (line 1, column 8).',
  ],
  [
    'PERCENTILE_CONT with ORDER BY',
    'select percentile_cont(x, 0.5) over (order by id) from n',
    'sql.type',
    'The window of PERCENTILE_CONT cannot have ORDER BY (line 1, column 8).',
  ],
  [
    'DISTINCT with ORDER BY in the window',
    'select count(distinct x) over (order by id) from n',
    'sql.type',
    'The window of COUNT with DISTINCT cannot have ORDER BY (line 1, column 8).',
  ],
  [
    'DISTINCT with a frame',
    'select count(distinct x) over (rows 1 preceding) from n',
    'sql.type',
    'The window of COUNT with DISTINCT cannot have a frame (line 1, column 8).',
  ],
  [
    'ORDER BY among the arguments of a window function',
    'select array_agg(x order by id) over () from n',
    'sql.type',
    'ARRAY_AGG with OVER does not accept ORDER BY or LIMIT among its arguments (line 1, column 8).',
  ],
  [
    'ROLLUP beside other groupings',
    'select g, x from n group by g, rollup(x)',
    'sql.unsupported',
    'ROLLUP cannot be combined with other groupings; write one ROLLUP(…) (line 1, column 1).',
  ],
  [
    'GROUPING of what is not grouped by',
    'select g, grouping(x) from n group by rollup(g)',
    'sql.type',
    'The argument of GROUPING must be one of the expressions in GROUP BY (line 1, column 11).',
  ],
  [
    'a scalar subquery with two columns',
    'select (select id, g from n)',
    'sql.type',
    'A subquery used as a value must have one column, but this one has 2 (line 1, column 9).',
  ],
  [
    'IN with a subquery of two columns',
    'select 1 in (select id, g from n)',
    'sql.type',
    'A subquery used as a value must have one column, but this one has 2 (line 1, column 14).',
  ],
  [
    'arms of different widths',
    'select id from n union all select id, g from n',
    'sql.type',
    'Arm 2 has 2 columns, but the first arm has 1 (line 1, column 28).',
  ],
  [
    'arms of different types',
    'select id from n union all select g from n',
    'sql.type',
    'Column 1 (id) has types in the arms that have no common type: INT64, STRING (line 1, column 1).',
  ],
  [
    'different set operations without parentheses',
    'select id from n union all select 1 union distinct select 2',
    'sql.syntax',
    'Different set operations need parentheses: UNION ALL is followed by UNION DISTINCT (line 1, column 37).',
  ],
  [
    'WITH that names a table twice',
    'with a as (select 1), a as (select 2) select * from a',
    'sql.ambiguous_name',
    'WITH defines `a` twice (line 1, column 23).',
  ],
  [
    'a WITH table before its definition',
    'with a as (select * from b), b as (select 1) select * from a',
    'sandbox.table',
    "Table `b` is not one of this endpoint's tables (line 1, column 26). Did you mean m?",
  ],
  [
    'LIMIT of an expression',
    'select id from n limit 1 + 1',
    'sql.type',
    'LIMIT must be an integer of 0 or more, or an int64 parameter (line 1, column 24).',
  ],
  [
    'a row number beyond the columns',
    'select id from n order by 2',
    'sql.unknown_name',
    'ORDER BY 2 is not a column number; the last column is 1 (line 1, column 27).',
  ],
  [
    'a column that a table has twice, behind its alias',
    'select t.a from (select 1 as a, 2 as A) t',
    'sql.ambiguous_name',
    '`a` is ambiguous: 2 columns have this name; give them different aliases (line 1, column 10).',
  ],
  [
    'a text compared with a number',
    'select id from n where g = 5',
    'sql.type',
    'STRING cannot be compared with INT64; write the number in quotes to compare strings, or convert the string to a number (line 1, column 24).',
  ],
  [
    'a cast to a decimal type',
    "select cast('0.1' as numeric)",
    'sql.unsupported',
    'The type NUMERIC is not available; write FLOAT64, or INT64 for integers (line 1, column 22).',
  ],
  [
    'an array of a decimal type',
    'select array<bignumeric>[1]',
    'sql.unsupported',
    'The type BIGNUMERIC is not available; write FLOAT64, or INT64 for integers (line 1, column 14).',
  ],
  [
    'a type with parameters',
    "select safe_cast('abc' as string(2))",
    'sql.unsupported',
    'Type parameters are not available; write STRING, and use ROUND or LEFT to shorten values (line 1, column 27).',
  ],
  [
    'a type with parameters behind a double colon',
    'select 1.005::numeric(10, 2)',
    'sql.unsupported',
    'Type parameters are not available; write NUMERIC, and use ROUND or LEFT to shorten values (line 1, column 15).',
  ],
];

describe('shapes of queries that do not exist', () => {
  it.each(refusals)('%s', (_title, sql, code, message) => {
    const compile = () => compileCaller(sql, stored, { sources: new Map(), parameters: new Map() });
    expect(compile).toThrow(ServiceError);
    expect(compile).toThrow(expect.objectContaining({ code, message }));
  });
});

it.each(['edge_logs', 'edge_log', 'logs.edge_logs'])('a stored query of %s is told the source', (table) => {
  const sources = new Map(builtinSources.map((source) => [source.name, source]));
  const compile = () => compileStored(`select id from ${table}`, { sources, parameters: new Map() });
  expect(compile).toThrow(/Unknown table .* Did you mean sources\.edge_logs\?$/);
});
