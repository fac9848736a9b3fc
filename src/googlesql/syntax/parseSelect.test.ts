import { describe, expect, it } from 'vitest';
import { outlineOfQuery, refusalOf } from './testing/expectations.ts';

describe('the select list', () => {
  it.each([
    ['select 1', 'Query(Select([SelectExpression(1)]))'],
    ['select all a', 'Query(Select([SelectExpression(a)]))'],
    ['select distinct a, b', 'Query(Select(isDistinct [SelectExpression(a) SelectExpression(b)]))'],
    [
      'select a as b, c d, e `f g`',
      'Query(Select([SelectExpression(a alias=b) SelectExpression(c alias=d) SelectExpression(e alias=`f g`)]))',
    ],
    ['select a, b,', 'Query(Select([SelectExpression(a) SelectExpression(b)]))'],
    ['select a, from t', 'Query(Select([SelectExpression(a)] TableReference([t])))'],
    ['select *', 'Query(Select([SelectStar()]))'],
    ['select * except (a, `b`) from t', 'Query(Select([SelectStar(except=[a `b`])] TableReference([t])))'],
    [
      'select * replace (upper(a) as a, 1 b) from t',
      'Query(Select([SelectStar(replace=[StarReplacement(FunctionCall([upper] [a]) alias=a) StarReplacement(1 alias=b)])] TableReference([t])))',
    ],
    [
      'select t.* except (a) replace (1 as b)',
      'Query(Select([SelectStar(qualifier=t except=[a] replace=[StarReplacement(1 alias=b)])]))',
    ],
    [
      'select m.request.*, struct(1).*, (a + b).*',
      'Query(Select([SelectStar(qualifier=FieldAccess(m request)) SelectStar(qualifier=StructConstructor([StructArgument(1)])) SelectStar(qualifier=Binary(+ a b))]))',
    ],
    ['select as struct a, b', 'Query(Select(struct [SelectExpression(a) SelectExpression(b)]))'],
    ['select distinct as value a', 'Query(Select(isDistinct value [SelectExpression(a)]))'],
    [
      'select t.timestamp as timestamp, count(t.id) as count, date as date, offset',
      'Query(Select([SelectExpression(FieldAccess(t timestamp) alias=timestamp) SelectExpression(FunctionCall([count] [FieldAccess(t id)]) alias=count) SelectExpression(date alias=date) SelectExpression(offset)]))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('all clauses in their order', () => {
  it.each([
    [
      'select 1 from t where a group by 1, b having c qualify d window w as (partition by a), v as w',
      'Query(Select([SelectExpression(1)] TableReference([t]) where=a groupBy=GroupBy([GroupingExpression(1) GroupingExpression(b)]) having=c qualify=d windows=[NamedWindow(w WindowSpecification(partitionBy=[a])) NamedWindow(v WindowName(w))]))',
    ],
    ['select 1 group by all', 'Query(Select([SelectExpression(1)] groupBy=GroupBy(isAll)))'],
    [
      'select a group by rollup(a, b), c',
      'Query(Select([SelectExpression(a)] groupBy=GroupBy([Rollup([a b]) GroupingExpression(c)])))',
    ],
    ['select 1 having true', 'Query(Select([SelectExpression(1)] having=TRUE))'],
    ['select a where b', 'Query(Select([SelectExpression(a)] where=b))'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    ['select', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 7.'],
    ['select distinct', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 16.'],
    ['select as table t', 'sql.syntax', 'Expecting STRUCT or VALUE after SELECT AS; got `table` at line 1, column 11.'],
    ['select a b c', 'sql.syntax', 'Expecting the end of the query; got `c` at line 1, column 12.'],
    ['select a as', 'sql.syntax', 'Expecting a name after AS; got the end of the query at line 1, column 12.'],
    ["select a as 'x'", 'sql.syntax', "Expecting a name after AS; got `'x'` at line 1, column 13."],
    [
      'select a as end',
      'sql.syntax',
      'Expecting a name after AS; got `end` at line 1, column 13. `end` is a reserved word; to use it as a name, put it in backticks.',
    ],
    ['select * except ()', 'sql.syntax', 'Expecting a column name; got `)` at line 1, column 18.'],
    ['select * except (a', 'sql.syntax', 'Expecting ) or a comma; got the end of the query at line 1, column 19.'],
    [
      'select * replace (a)',
      'sql.syntax',
      'Expecting the name of the column to replace; got `)` at line 1, column 20.',
    ],
    ['select a where', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 15.'],
    ['select a group a', 'sql.syntax', 'Expecting BY; got `a` at line 1, column 16.'],
    ['select a group by', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 18.'],
    ['select a having', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 16.'],
    ['select a window w (order by b)', 'sql.syntax', 'Expecting AS; got `(` at line 1, column 19.'],
    ['select a,, b', 'sql.syntax', 'Expecting an expression; got `,` at line 1, column 10.'],
    ['select a b,, c', 'sql.syntax', 'Expecting an expression; got `,` at line 1, column 12.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('groupings of GoogleSQL that the dialect lacks are refused by name', () => {
  it.each([
    ['select 1 group by cube(a)', 'sql.unsupported', 'GROUP BY CUBE is not supported; use ROLLUP (line 1, column 19).'],
    [
      'select 1 group by grouping sets (a, b)',
      'sql.unsupported',
      'GROUPING SETS is not supported; use ROLLUP (line 1, column 19).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
