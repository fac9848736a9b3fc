import { describe, expect, it } from 'vitest';
import { outlineOfFrom, refusalOf } from './testing/expectations.ts';

describe('tables', () => {
  it.each([
    ['edge_logs', 'TableReference([edge_logs])'],
    ['edge_logs as t', 'TableReference([edge_logs] alias=t)'],
    ['edge_logs t', 'TableReference([edge_logs] alias=t)'],
    ['a.b.c t', 'TableReference([a b c] alias=t)'],
    ['a.`b.c`.select', 'TableReference([a `b.c` select])'],
    ['`a.b`', 'TableReference([`a.b`])'],
    ['my-project.d.t', 'TableReference([my-project d t])'],
    ['my-project-12.d.t x', 'TableReference([my-project-12 d t] alias=x)'],
    ['t pivot', 'TableReference([t] alias=pivot)'],
    ['(t)', 'ParenthesizedJoin(TableReference([t]))'],
    ['(t x)', 'ParenthesizedJoin(TableReference([t] alias=x))'],
    ["f(1, 'x') t", 'TableFunction([f] [1 "x"] alias=t)'],
    ["read_csv('file')", 'TableFunction([read_csv] ["file"])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('subqueries', () => {
  it.each([
    ['(select 1)', 'TableSubquery(Query(Select([SelectExpression(1)])))'],
    ['(select 1) as x', 'TableSubquery(Query(Select([SelectExpression(1)])) alias=x)'],
    ['((select 1))', 'TableSubquery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)])))))'],
    [
      '(((select 1)))',
      'TableSubquery(Query(ParenthesizedQuery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)])))))))',
    ],
    [
      '((select 1) union all (select 2)) u',
      'TableSubquery(Query(SetOperation(union all [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) ParenthesizedQuery(Query(Select([SelectExpression(2)])))])) alias=u)',
    ],
    [
      '((select 1) order by 1)',
      'TableSubquery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))) orderBy=[OrderingItem(1 asc)]))',
    ],
    ['(from t |> where a)', 'TableSubquery(Query(FromQuery(TableReference([t])) pipes=[PipeWhere(a)]))'],
    [
      '(with a as (select 1) select * from a) b',
      'TableSubquery(Query(withEntries=[WithEntry(a Query(Select([SelectExpression(1)])))] Select([SelectStar()] TableReference([a]))) alias=b)',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('UNNEST with its aliases and offsets', () => {
  it.each([
    ['unnest([1, 2])', 'Unnest(ArrayConstructor([1 2]))'],
    ['unnest(t.metadata) m', 'Unnest(FieldAccess(t metadata) alias=m)'],
    ['unnest(x) as e with offset as o', 'Unnest(x alias=e withOffset=WithOffset(alias=o))'],
    ['unnest(x) with offset', 'Unnest(x withOffset=WithOffset())'],
    ['unnest(x) with offset o', 'Unnest(x withOffset=WithOffset(alias=o))'],
    [
      't, t.items i with offset as o',
      'Join(type=comma TableReference([t]) TableReference([t items] alias=i withOffset=WithOffset(alias=o)))',
    ],
    ['unnest(coalesce(x, []))', 'Unnest(FunctionCall([coalesce] [x ArrayConstructor()]))'],
    ['unnest(array(select 1))', 'Unnest(ArraySubquery(Query(Select([SelectExpression(1)]))))'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('joins', () => {
  it.each([
    ['a, b', 'Join(type=comma TableReference([a]) TableReference([b]))'],
    ['a join b on x', 'Join(type=inner TableReference([a]) TableReference([b]) on=x)'],
    ['a inner join b using (id)', 'Join(type=inner TableReference([a]) TableReference([b]) using=[id])'],
    ['a cross join b', 'Join(type=cross TableReference([a]) TableReference([b]))'],
    ['a left join b on x', 'Join(type=left TableReference([a]) TableReference([b]) on=x)'],
    ['a left outer join b using (id, k)', 'Join(type=left TableReference([a]) TableReference([b]) using=[id k])'],
    ['a right join b on x', 'Join(type=right TableReference([a]) TableReference([b]) on=x)'],
    ['a full outer join b on x', 'Join(type=full TableReference([a]) TableReference([b]) on=x)'],
    [
      'a, b cross join c, d',
      'Join(type=comma Join(type=cross Join(type=comma TableReference([a]) TableReference([b])) TableReference([c])) TableReference([d]))',
    ],
    [
      't cross join unnest(t.m) as m left join unnest(m.r) as r on true',
      'Join(type=left Join(type=cross TableReference([t]) Unnest(FieldAccess(t m) alias=m)) Unnest(FieldAccess(m r) alias=r) on=TRUE)',
    ],
    [
      't left join unnest(m) a left join unnest(n) b',
      'Join(type=left Join(type=left TableReference([t]) Unnest(m alias=a)) Unnest(n alias=b))',
    ],
    [
      'a left join unnest(x) left join b on c',
      'Join(type=left Join(type=left TableReference([a]) Unnest(x)) TableReference([b]) on=c)',
    ],
    [
      'a join b on x join c on y',
      'Join(type=inner Join(type=inner TableReference([a]) TableReference([b]) on=x) TableReference([c]) on=y)',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('a condition too many closes the join before', () => {
  it.each([
    [
      'a join b join c on x on y',
      'Join(type=inner TableReference([a]) ParenthesizedJoin(Join(type=inner TableReference([b]) TableReference([c]) on=x)) on=y)',
    ],
    [
      'a join b join c using (k) on y join d on z',
      'Join(type=inner Join(type=inner TableReference([a]) ParenthesizedJoin(Join(type=inner TableReference([b]) TableReference([c]) using=[k])) on=y) TableReference([d]) on=z)',
    ],
    [
      'a cross join b join c on x',
      'Join(type=inner Join(type=cross TableReference([a]) TableReference([b])) TableReference([c]) on=x)',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('join trees in parentheses', () => {
  it.each([
    ['(a join b on x)', 'ParenthesizedJoin(Join(type=inner TableReference([a]) TableReference([b]) on=x))'],
    [
      '(t cross join unnest(t.m) m)',
      'ParenthesizedJoin(Join(type=cross TableReference([t]) Unnest(FieldAccess(t m) alias=m)))',
    ],
    [
      '((a join b on x) join c on y)',
      'ParenthesizedJoin(Join(type=inner ParenthesizedJoin(Join(type=inner TableReference([a]) TableReference([b]) on=x)) TableReference([c]) on=y))',
    ],
    [
      '((select 1) as a join b on true)',
      'ParenthesizedJoin(Join(type=inner TableSubquery(Query(Select([SelectExpression(1)])) alias=a) TableReference([b]) on=TRUE))',
    ],
    [
      '((select 1) join b on true)',
      'ParenthesizedJoin(Join(type=inner TableSubquery(Query(Select([SelectExpression(1)]))) TableReference([b]) on=TRUE))',
    ],
    [
      'a join (b join c on x) on y',
      'Join(type=inner TableReference([a]) ParenthesizedJoin(Join(type=inner TableReference([b]) TableReference([c]) on=x)) on=y)',
    ],
    [
      'a, (b left join unnest(c))',
      'Join(type=comma TableReference([a]) ParenthesizedJoin(Join(type=left TableReference([b]) Unnest(c))))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfFrom(text)).toBe(tree);
  });
});

describe('a condition where none can be', () => {
  it.each([
    [
      'select 1 from a cross join b on x',
      'sql.syntax',
      'Expecting a join, a clause or the end of the query; got `on` at line 1, column 30. CROSS JOIN and comma joins have no condition; other joins have one.',
    ],
    [
      'select 1 from a, b on x',
      'sql.syntax',
      'Expecting a join, a clause or the end of the query; got `on` at line 1, column 20. CROSS JOIN and comma joins have no condition; other joins have one.',
    ],
    [
      'select 1 from a join b on x on y',
      'sql.syntax',
      'Expecting a join, a clause or the end of the query; got `on` at line 1, column 29. CROSS JOIN and comma joins have no condition; other joins have one.',
    ],
    ['select 1 from a join b using id', 'sql.syntax', 'Expecting (; got `id` at line 1, column 30.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('RIGHT and FULL JOIN behind a comma would be read in two ways', () => {
  it.each([
    [
      'select 1 from a, b right join c on x',
      'sql.syntax',
      'Expecting another kind of join; got `right` at line 1, column 20. Put RIGHT JOIN or FULL JOIN after a comma in parentheses.',
    ],
    [
      'select 1 from a, b full join c on x',
      'sql.syntax',
      'Expecting another kind of join; got `full` at line 1, column 20. Put RIGHT JOIN or FULL JOIN after a comma in parentheses.',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('operators of GoogleSQL that the dialect lacks are refused by name', () => {
  it.each([
    [
      'select 1 from a natural join b',
      'sql.unsupported',
      'NATURAL JOIN is not supported; name the columns with USING (line 1, column 17).',
    ],
    [
      'select 1 from a join lateral b',
      'sql.unsupported',
      'LATERAL is not supported; use UNNEST, or a correlated subquery in the select list (line 1, column 22).',
    ],
    [
      'select 1 from t tablesample system (10 percent)',
      'sql.unsupported',
      'TABLESAMPLE is not supported (line 1, column 17).',
    ],
    [
      'select 1 from t pivot(sum(x) for y in (1))',
      'sql.unsupported',
      'PIVOT is not supported; use countif or sum(if(…)) per column (line 1, column 17).',
    ],
    [
      'select 1 from t x pivot(sum(x) for y in (1))',
      'sql.unsupported',
      'PIVOT is not supported; use countif or sum(if(…)) per column (line 1, column 19).',
    ],
    [
      'select 1 from (select 1) unpivot (x for y in (z))',
      'sql.unsupported',
      'UNPIVOT is not supported (line 1, column 26).',
    ],
    [
      'select 1 from t unpivot include nulls (a for b in (c))',
      'sql.unsupported',
      'UNPIVOT is not supported (line 1, column 17).',
    ],
    ['select 1 from t match_recognize(x)', 'sql.unsupported', 'MATCH_RECOGNIZE is not supported (line 1, column 17).'],
    [
      'select 1 from t for system_time as of x',
      'sql.unsupported',
      'FOR SYSTEM_TIME AS OF is not supported (line 1, column 17).',
    ],
    ['select 1 from unnest(a, b)', 'sql.unsupported', 'UNNEST accepts only one array (line 1, column 23).'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    [
      'select 1 from',
      'sql.syntax',
      'Expecting a table name, UNNEST or (; got the end of the query at line 1, column 14.',
    ],
    [
      "select 1 from 'file.csv'",
      'sql.syntax',
      "Expecting a table name, UNNEST or (; got `'file.csv'` at line 1, column 15.",
    ],
    ['select 1 from 1', 'sql.syntax', 'Expecting a table name, UNNEST or (; got `1` at line 1, column 15.'],
    [
      'select 1 from where',
      'sql.syntax',
      'Expecting a table name, UNNEST or (; got `where` at line 1, column 15. `where` is a reserved word; to use it as a name, put it in backticks.',
    ],
    [
      'select 1 from a.',
      'sql.syntax',
      'Expecting a field name after the dot; got the end of the query at line 1, column 17.',
    ],
    ['select 1 from a inner b', 'sql.syntax', 'Expecting JOIN; got `b` at line 1, column 23.'],
    ['select 1 from a left b', 'sql.syntax', 'Expecting JOIN; got `b` at line 1, column 22.'],
    ['select 1 from a jion b', 'sql.syntax', 'Expecting JOIN; got `jion` at line 1, column 17. Did you mean JOIN?'],
    [
      'select 1 from a inner jion b',
      'sql.syntax',
      'Expecting JOIN; got `jion` at line 1, column 23. Did you mean JOIN?',
    ],
    [
      'select 1 from (a join b on x) c',
      'sql.syntax',
      'Expecting a join, a clause or the end of the query; got `c` at line 1, column 31. A join in parentheses cannot have an alias; its tables keep their own.',
    ],
    ['select 1 from (a', 'sql.syntax', 'Expecting ) or a join; got the end of the query at line 1, column 17.'],
    ['select 1 from (select 1', 'sql.syntax', 'Expecting ); got the end of the query at line 1, column 24.'],
    ['select 1 from unnest x', 'sql.syntax', 'Expecting (; got `x` at line 1, column 22.'],
    ['select 1 from a as', 'sql.syntax', 'Expecting a name after AS; got the end of the query at line 1, column 19.'],
    [
      'select 1 from a as select',
      'sql.syntax',
      'Expecting a name after AS; got `select` at line 1, column 20. `select` is a reserved word; to use it as a name, put it in backticks.',
    ],
    [
      'select 1 from unnest(x) with offest',
      'sql.syntax',
      'Expecting OFFSET; got `offest` at line 1, column 30. Did you mean OFFSET?',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
