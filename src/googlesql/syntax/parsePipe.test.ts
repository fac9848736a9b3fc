import { describe, expect, it } from 'vitest';
import { outlineOfQuery, refusalOf } from './testing/expectations.ts';

describe('every operator', () => {
  it.each([
    ['from t |> where a and b', 'Query(FromQuery(TableReference([t])) pipes=[PipeWhere(Logical(and [a b]))])'],
    [
      'from t |> select a, b as c,',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSelect([SelectExpression(a) SelectExpression(b alias=c)])])',
    ],
    [
      'from t |> select distinct *',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSelect(isDistinct [SelectStar()])])',
    ],
    [
      'from t |> select sum(a) over w window w as (order by b)',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSelect([SelectExpression(FunctionCall([sum] [a] over=WindowName(w)))] windows=[NamedWindow(w WindowSpecification(orderBy=[OrderingItem(b asc)]))])])',
    ],
    [
      'from t |> extend a + 1 as b, c d',
      'Query(FromQuery(TableReference([t])) pipes=[PipeExtend([SelectExpression(Binary(+ a 1) alias=b) SelectExpression(c alias=d)])])',
    ],
    [
      'from t |> set a = 1, b = c',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSet([PipeAssignment(a 1) PipeAssignment(b c)])])',
    ],
    ['from t |> drop a, b', 'Query(FromQuery(TableReference([t])) pipes=[PipeDrop([a b])])'],
    [
      'from t |> rename a as b, c d',
      'Query(FromQuery(TableReference([t])) pipes=[PipeRename([PipeRenaming(a alias=b) PipeRenaming(c alias=d)])])',
    ],
    [
      'from t |> window sum(a) over () as b',
      'Query(FromQuery(TableReference([t])) pipes=[PipeWindow([SelectExpression(FunctionCall([sum] [a] over=WindowSpecification()) alias=b)])])',
    ],
    [
      'from t |> with a as (select 1), b as (from a), |> join b on true',
      'Query(FromQuery(TableReference([t])) pipes=[PipeWith(withEntries=[WithEntry(a Query(Select([SelectExpression(1)]))) WithEntry(b Query(FromQuery(TableReference([a]))))]) PipeJoin(type=inner TableReference([b]) on=TRUE)])',
    ],
    [
      'from t |> select as struct a',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSelect(struct [SelectExpression(a)])])',
    ],
    ['from t |> as u', 'Query(FromQuery(TableReference([t])) pipes=[PipeAs(alias=u)])'],
    [
      'from t |> aggregate count(*)',
      'Query(FromQuery(TableReference([t])) pipes=[PipeAggregate([PipeAggregateItem(SelectExpression(FunctionCall([count] [*])))])])',
    ],
    [
      'from t |> aggregate count(*) as n desc, sum(x) y group by a, b as c asc nulls last',
      'Query(FromQuery(TableReference([t])) pipes=[PipeAggregate([PipeAggregateItem(SelectExpression(FunctionCall([count] [*]) alias=n) desc) PipeAggregateItem(SelectExpression(FunctionCall([sum] [x]) alias=y))] groupBy=[PipeAggregateItem(SelectExpression(a)) PipeAggregateItem(SelectExpression(b alias=c) asc nulls=last)])])',
    ],
    [
      'from t |> aggregate count(*) group and order by a desc',
      'Query(FromQuery(TableReference([t])) pipes=[PipeAggregate([PipeAggregateItem(SelectExpression(FunctionCall([count] [*])))] groupBy=[PipeAggregateItem(SelectExpression(a) desc)] isOrdered)])',
    ],
    [
      'from t |> aggregate group by a',
      'Query(FromQuery(TableReference([t])) pipes=[PipeAggregate(groupBy=[PipeAggregateItem(SelectExpression(a))])])',
    ],
    ['from t |> distinct', 'Query(FromQuery(TableReference([t])) pipes=[PipeDistinct()])'],
    [
      'from t |> order by a desc nulls last, b',
      'Query(FromQuery(TableReference([t])) pipes=[PipeOrderBy([OrderingItem(a desc nulls=last) OrderingItem(b asc)])])',
    ],
    ['from t |> limit 5 offset @n', 'Query(FromQuery(TableReference([t])) pipes=[PipeLimit(limit=5 offset=@n)])'],
    [
      'from t |> join u using (id)',
      'Query(FromQuery(TableReference([t])) pipes=[PipeJoin(type=inner TableReference([u]) using=[id])])',
    ],
    [
      'from t |> left join unnest(x) y on true',
      'Query(FromQuery(TableReference([t])) pipes=[PipeJoin(type=left Unnest(x alias=y) on=TRUE)])',
    ],
    [
      'from t |> cross join u',
      'Query(FromQuery(TableReference([t])) pipes=[PipeJoin(type=cross TableReference([u]))])',
    ],
    [
      'from t |> union all (select 1), (from q)',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSetOperation(union all [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) ParenthesizedQuery(Query(FromQuery(TableReference([q]))))])])',
    ],
    [
      'from t |> except distinct (select 2)',
      'Query(FromQuery(TableReference([t])) pipes=[PipeSetOperation(except distinct [ParenthesizedQuery(Query(Select([SelectExpression(2)])))])])',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('pipes also follow other queries, and one another', () => {
  it.each([
    ['from t', 'Query(FromQuery(TableReference([t])))'],
    [
      'from a, b |> where c',
      'Query(FromQuery(Join(type=comma TableReference([a]) TableReference([b]))) pipes=[PipeWhere(c)])',
    ],
    [
      'select a from t order by a limit 1 |> where b |> limit 2',
      'Query(Select([SelectExpression(a)] TableReference([t])) orderBy=[OrderingItem(a asc)] limit=1 pipes=[PipeWhere(b) PipeLimit(limit=2)])',
    ],
    [
      'select 1 union all select 2 |> where a',
      'Query(SetOperation(union all [Select([SelectExpression(1)]) Select([SelectExpression(2)])]) pipes=[PipeWhere(a)])',
    ],
    [
      '(select 1) |> limit 1',
      'Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))) pipes=[PipeLimit(limit=1)])',
    ],
    [
      'with a as (select 1) from a |> where b',
      'Query(withEntries=[WithEntry(a Query(Select([SelectExpression(1)])))] FromQuery(TableReference([a])) pipes=[PipeWhere(b)])',
    ],
    [
      'select (from t |> aggregate count(*))',
      'Query(Select([SelectExpression(ScalarSubquery(Query(FromQuery(TableReference([t])) pipes=[PipeAggregate([PipeAggregateItem(SelectExpression(FunctionCall([count] [*])))])])))]))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    [
      'from t |>',
      'sql.syntax',
      'Expecting a pipe operator (WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT); got the end of the query at line 1, column 10.',
    ],
    [
      'from t |> were a',
      'sql.syntax',
      'Expecting a pipe operator (WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT); got `were` at line 1, column 11. Did you mean WHERE?',
    ],
    [
      'from t |> selec a',
      'sql.syntax',
      'Expecting a pipe operator (WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT); got `selec` at line 1, column 11. Did you mean SELECT?',
    ],
    [
      'from t |> agregate count(*)',
      'sql.syntax',
      'Expecting a pipe operator (WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT); got `agregate` at line 1, column 11. Did you mean AGGREGATE?',
    ],
    [
      'from t |> aggregate',
      'sql.syntax',
      'Expecting an aggregate or GROUP BY; got the end of the query at line 1, column 20.',
    ],
    [
      'from t |> aggregate count(*) group a',
      'sql.syntax',
      'Expecting BY or AND ORDER BY; got `a` at line 1, column 36.',
    ],
    ['from t |> where', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 16.'],
    ['from t |> set a', 'sql.syntax', 'Expecting =; got the end of the query at line 1, column 16.'],
    ['from t |> set a.b = 1', 'sql.syntax', 'Expecting =; got `.` at line 1, column 16.'],
    ['from t |> rename a', 'sql.syntax', 'Expecting the new name; got the end of the query at line 1, column 19.'],
    ['from t |> limit', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 16.'],
    [
      'from t |> join',
      'sql.syntax',
      'Expecting a table name, UNNEST or (; got the end of the query at line 1, column 15.',
    ],
    [
      'from t |> , u',
      'sql.syntax',
      'Expecting a pipe operator (WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT); got `,` at line 1, column 11.',
    ],
    ['from t |> union all select 1', 'sql.syntax', 'Expecting (; got `select` at line 1, column 21.'],
    [
      'from t where a',
      'sql.syntax',
      'Expecting |> or the end of the query; got `where` at line 1, column 8. After a leading FROM, use pipe operators (|> WHERE …, |> SELECT …).',
    ],
    [
      'from t order by a',
      'sql.syntax',
      'Expecting |> or the end of the query; got `order` at line 1, column 8. After a leading FROM, use pipe operators (|> WHERE …, |> SELECT …).',
    ],
    [
      'from t union all select 1',
      'sql.syntax',
      'Expecting |> or the end of the query; got `union` at line 1, column 8. After a leading FROM, use pipe operators (|> WHERE …, |> SELECT …).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('operators that the dialect lacks are refused by name', () => {
  it.each([
    [
      'from t |> pivot(sum(a) for b in (1))',
      'sql.unsupported',
      'The pipe operator PIVOT is not supported; use one of WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT (line 1, column 11).',
    ],
    [
      'from t |> tablesample system (1 percent)',
      'sql.unsupported',
      'The pipe operator TABLESAMPLE is not supported; use one of WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT (line 1, column 11).',
    ],
    [
      'from t |> call f()',
      'sql.unsupported',
      'The pipe operator CALL is not supported; use one of WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT (line 1, column 11).',
    ],
    [
      'from t |> insert into x',
      'sql.unsupported',
      'The pipe operator INSERT is not supported; use one of WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, LIMIT, WINDOW, WITH, ORDER, JOIN, UNION, INTERSECT, EXCEPT (line 1, column 11).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
