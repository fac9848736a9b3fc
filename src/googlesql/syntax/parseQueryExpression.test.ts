import { describe, expect, it } from 'vitest';
import { outlineOfQuery, refusalOf } from './testing/expectations.ts';

describe('WITH tables, also nested', () => {
  it.each([
    [
      'with a as (select 1) select * from a',
      'Query(withEntries=[WithEntry(a Query(Select([SelectExpression(1)])))] Select([SelectStar()] TableReference([a])))',
    ],
    [
      'with a as (select 1), b as (with c as (select 2) select * from c) select * from a, b',
      'Query(withEntries=[WithEntry(a Query(Select([SelectExpression(1)]))) WithEntry(b Query(withEntries=[WithEntry(c Query(Select([SelectExpression(2)])))] Select([SelectStar()] TableReference([c]))))] Select([SelectStar()] Join(type=comma TableReference([a]) TableReference([b]))))',
    ],
    [
      'with a as ((select 1) union all (select 2)) (select * from a)',
      'Query(withEntries=[WithEntry(a Query(SetOperation(union all [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) ParenthesizedQuery(Query(Select([SelectExpression(2)])))])))] ParenthesizedQuery(Query(Select([SelectStar()] TableReference([a])))))',
    ],
    [
      'with a as (from t) from a',
      'Query(withEntries=[WithEntry(a Query(FromQuery(TableReference([t]))))] FromQuery(TableReference([a])))',
    ],
    [
      'with `a b` as (select 1) select 1 from `a b`',
      'Query(withEntries=[WithEntry(`a b` Query(Select([SelectExpression(1)])))] Select([SelectExpression(1)] TableReference([`a b`])))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('set operations of one operator are one node', () => {
  it.each([
    [
      'select 1 union all select 2',
      'Query(SetOperation(union all [Select([SelectExpression(1)]) Select([SelectExpression(2)])]))',
    ],
    [
      'select 1 union all select 2 union all (select 3)',
      'Query(SetOperation(union all [Select([SelectExpression(1)]) Select([SelectExpression(2)]) ParenthesizedQuery(Query(Select([SelectExpression(3)])))]))',
    ],
    [
      'select 1 union distinct select 2',
      'Query(SetOperation(union distinct [Select([SelectExpression(1)]) Select([SelectExpression(2)])]))',
    ],
    [
      'select 1 intersect distinct select 2',
      'Query(SetOperation(intersect distinct [Select([SelectExpression(1)]) Select([SelectExpression(2)])]))',
    ],
    [
      '(select 1) except distinct (select 2)',
      'Query(SetOperation(except distinct [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) ParenthesizedQuery(Query(Select([SelectExpression(2)])))]))',
    ],
    [
      'select 1 union all (select 2 except all select 3)',
      'Query(SetOperation(union all [Select([SelectExpression(1)]) ParenthesizedQuery(Query(SetOperation(except all [Select([SelectExpression(2)]) Select([SelectExpression(3)])])))]))',
    ],
    [
      'select * except distinct select * except (a)',
      'Query(SetOperation(except distinct [Select([SelectStar()]) Select([SelectStar(except=[a])])]))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('ORDER BY and LIMIT belong to the whole', () => {
  it.each([
    [
      'select 1 union all select 2 order by 1 desc, a nulls first, b asc nulls last limit 10 offset 5',
      'Query(SetOperation(union all [Select([SelectExpression(1)]) Select([SelectExpression(2)])]) orderBy=[OrderingItem(1 desc) OrderingItem(a asc nulls=first) OrderingItem(b asc nulls=last)] limit=10 offset=5)',
    ],
    ['select 1 limit @n offset @m', 'Query(Select([SelectExpression(1)]) limit=@n offset=@m)'],
    ['(select 1 limit 1) limit 2', 'Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]) limit=1)) limit=2)'],
    ['(select 1)', 'Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))))'],
    ['((select 1))', 'Query(ParenthesizedQuery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))))))'],
    ['select 1;', 'Query(Select([SelectExpression(1)]))'],
    ['select 1 ; ;', 'Query(Select([SelectExpression(1)]))'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfQuery(text)).toBe(tree);
  });
});

describe('different set operations need parentheses', () => {
  it.each([
    [
      'select 1 union all select 2 except distinct select 3',
      'sql.syntax',
      'Different set operations need parentheses: UNION ALL is followed by EXCEPT DISTINCT (line 1, column 29).',
    ],
    [
      'select 1 union all select 2 union distinct select 3',
      'sql.syntax',
      'Different set operations need parentheses: UNION ALL is followed by UNION DISTINCT (line 1, column 29).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    [
      'select 1 union select 2',
      'sql.syntax',
      'Expecting ALL or DISTINCT after UNION; got `select` at line 1, column 16.',
    ],
    [
      'select 1 union all',
      'sql.syntax',
      'Expecting SELECT, WITH, FROM or (; got the end of the query at line 1, column 19.',
    ],
    ['select 1 union all values (1)', 'sandbox.statement', 'Only SELECT is allowed; got VALUES (line 1, column 20).'],
    [
      'select 1 left union all select 2',
      'sql.syntax',
      'Expecting BY NAME or CORRESPONDING; got `select` at line 1, column 25. LEFT before a set operation requires BY NAME or CORRESPONDING after it.',
    ],
    [
      'select 1 union all by name select 2 union all select 3',
      'sql.syntax',
      'Different set operations need parentheses: UNION ALL BY NAME is followed by UNION ALL (line 1, column 37).',
    ],
    ['select 1 order by', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 18.'],
    ['select 1 order a', 'sql.syntax', 'Expecting BY; got `a` at line 1, column 16.'],
    ['select 1 limit', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 15.'],
    ['select 1 limit all', 'sql.unsupported', 'LIMIT ALL is not supported; remove it (line 1, column 16).'],
    [
      'select 1 limit 1, 2',
      'sql.syntax',
      'Expecting OFFSET or the end of the query; got `,` at line 1, column 17. To skip rows, write LIMIT count OFFSET skip.',
    ],
    ['select 1 offset 2 3', 'sql.syntax', 'Expecting the end of the query; got `2` at line 1, column 17.'],
    [
      'select 1 limit 1 order by 2',
      'sql.syntax',
      'Expecting the end of the query; got `order` at line 1, column 18. Write clauses in the order SELECT, FROM, WHERE, GROUP BY, HAVING, QUALIFY, WINDOW, ORDER BY, LIMIT, OFFSET.',
    ],
    [
      'select 1 from t limit 1 where a',
      'sql.syntax',
      'Expecting the end of the query; got `where` at line 1, column 25. Write clauses in the order SELECT, FROM, WHERE, GROUP BY, HAVING, QUALIFY, WINDOW, ORDER BY, LIMIT, OFFSET.',
    ],
    [
      "select a order by a collate 'x'",
      'sql.unsupported',
      'COLLATE is not supported; use ORDER BY LOWER(x) (line 1, column 21).',
    ],
    [
      'with select 1',
      'sql.syntax',
      'Expecting the name of a WITH table; got `select` at line 1, column 6. `select` is a reserved word; to use it as a name, put it in backticks.',
    ],
    ['with a select 1', 'sql.syntax', 'Expecting AS; got `select` at line 1, column 8.'],
    ['with a as select 1', 'sql.syntax', 'Expecting (; got `select` at line 1, column 11.'],
    [
      'with a as (select 1)',
      'sql.syntax',
      'Expecting SELECT, WITH, FROM or (; got the end of the query at line 1, column 21.',
    ],
    [
      'with a as (select 1), select 1',
      'sql.syntax',
      'Expecting the name of a WITH table; got `select` at line 1, column 23. Remove the comma between the last WITH table and the query.',
    ],
    [
      'with recursive a as (select 1) select 1',
      'sql.unsupported',
      'WITH RECURSIVE is not supported (line 1, column 6).',
    ],
    [
      'with a(b) as (select 1) select 1',
      'sql.unsupported',
      'Column lists of WITH tables are not supported; name the columns in the SELECT (line 1, column 7).',
    ],
    ['(select 1', 'sql.syntax', 'Expecting ); got the end of the query at line 1, column 10.'],
    ['select 1)', 'sql.syntax', 'Expecting the end of the query; got `)` at line 1, column 9.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
