import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe('CASE', () => {
  it.each([
    ['case when a then 1 end', 'Case([CaseBranch(a 1)])'],
    [
      'case when a or b then 1 when c then 2 else 3 end',
      'Case([CaseBranch(Logical(or [a b]) 1) CaseBranch(c 2)] otherwise=3)',
    ],
    ["case a when 1 then 'x' else null end", 'Case(a [CaseBranch(1 "x")] otherwise=NULL)'],
    ['case case when a then 1 end when 1 then 2 end', 'Case(Case([CaseBranch(a 1)]) [CaseBranch(1 2)])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('CAST', () => {
  it.each([
    ['cast(a as int64)', 'Cast(a type=NamedType(INT64))'],
    ['cast(a + 1 as string)', 'Cast(Binary(+ a 1) type=NamedType(STRING))'],
    ['safe_cast(a as float64)', 'Cast(a type=NamedType(FLOAT64) isSafe)'],
    ['safe_cast', 'safe_cast'],
    ["cast(a as string format 'YYYY')", 'Cast(a type=NamedType(STRING) format="YYYY")'],
    ["cast(a as timestamp format f at time zone 'UTC')", 'Cast(a type=NamedType(TIMESTAMP) format=f timeZone="UTC")'],
    [
      'cast(a as array<struct<x int64>>)',
      'Cast(a type=ArrayType(StructType([StructTypeField(x type=NamedType(INT64))])))',
    ],
    ['cast(a as numeric(10, 2))', 'Cast(a type=NamedType(NUMERIC parameters=[10 2]))'],
    ['cast(a as interval)', 'Cast(a type=NamedType(INTERVAL))'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('casts behind two colons take the types that clients write', () => {
  it.each([
    ['a::int64', 'Cast(a type=NamedType(INT64) isDoubleColon)'],
    ['-a::text', 'Unary(- Cast(a type=NamedType(TEXT) isDoubleColon))'],
    ['a.b::text[]', 'Cast(FieldAccess(a b) type=ArrayType(NamedType(TEXT)) isDoubleColon)'],
    ['a::timestamp with time zone', 'Cast(a type=NamedType(TIMESTAMP WITH TIME ZONE) isDoubleColon)'],
    ['a::timestamp without time zone', 'Cast(a type=NamedType(TIMESTAMP WITHOUT TIME ZONE) isDoubleColon)'],
    ['a::timestamp', 'Cast(a type=NamedType(TIMESTAMP) isDoubleColon)'],
    ['a::double precision + 1', 'Binary(+ Cast(a type=NamedType(DOUBLE PRECISION) isDoubleColon) 1)'],
    ['a::varchar(10)', 'Cast(a type=NamedType(VARCHAR parameters=[10]) isDoubleColon)'],
    ['a::array<double precision>', 'Cast(a type=ArrayType(NamedType(DOUBLE PRECISION)) isDoubleColon)'],
    ['a::int64::string', 'Cast(Cast(a type=NamedType(INT64) isDoubleColon) type=NamedType(STRING) isDoubleColon)'],
    ['a::int64 < 5', 'Binary(< Cast(a type=NamedType(INT64) isDoubleColon) 5)'],
    ['(a + b)::int64', 'Cast(Binary(+ a b) type=NamedType(INT64) isDoubleColon)'],
    ['a::int64[0]', 'Subscript(Cast(a type=NamedType(INT64) isDoubleColon) plain 0)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('EXTRACT and date parts', () => {
  it.each([
    ['extract(hour from t)', 'Extract(DatePart(hour) t)'],
    ['extract(date from t)', 'Extract(DatePart(date) t)'],
    ['extract(week(monday) from t)', 'Extract(DatePart(week argument=monday) t)'],
    ["extract(isoweek from t at time zone 'Europe/Berlin')", 'Extract(DatePart(isoweek) t timeZone="Europe/Berlin")'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('INTERVAL', () => {
  it.each([
    ['interval 1 hour', 'Interval(1 hour)'],
    ['interval -1 day', 'Interval(Unary(- 1) day)'],
    ['interval x + 1 day', 'Interval(Binary(+ x 1) day)'],
    ['interval @n minute', 'Interval(@n minute)'],
    ["interval '1-2' year to month", 'Interval("1-2" year toPart=month)'],
    ['t + interval 1 hour > u', 'Binary(> Binary(+ t Interval(1 hour)) u)'],
    ['interval (select 1) day', 'Interval(ScalarSubquery(Query(Select([SelectExpression(1)]))) day)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('EXISTS', () => {
  it.each([
    ['exists(select 1)', 'Exists(Query(Select([SelectExpression(1)])))'],
    ['exists (from t)', 'Exists(Query(FromQuery(TableReference([t]))))'],
    [
      'not exists(select 1 from t where a = b)',
      'Unary(not Exists(Query(Select([SelectExpression(1)] TableReference([t]) where=Binary(= a b)))))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    [
      'select case end',
      'sql.syntax',
      'Expecting an expression; got `end` at line 1, column 13. `end` is a reserved word; to use it as a name, put it in backticks.',
    ],
    [
      'select case when 1 then 2',
      'sql.syntax',
      'Expecting END or WHEN or ELSE; got the end of the query at line 1, column 26.',
    ],
    ['select case when 1 2 end', 'sql.syntax', 'Expecting THEN; got `2` at line 1, column 20.'],
    ['select case 1 end', 'sql.syntax', 'Expecting WHEN; got `end` at line 1, column 15.'],
    ['select cast(1)', 'sql.syntax', 'Expecting AS; got `)` at line 1, column 14.'],
    ['select cast(1 int64)', 'sql.syntax', 'Expecting AS; got `int64` at line 1, column 15.'],
    [
      'select cast(1 as)',
      'sql.syntax',
      'Expecting a type such as STRING, INT64 or TIMESTAMP; got `)` at line 1, column 17.',
    ],
    [
      'select cast(1 as `a b`)',
      'sql.syntax',
      'Expecting a type such as STRING, INT64 or TIMESTAMP; got "`a b`" at line 1, column 18.',
    ],
    ['select cast(1 as range<date>)', 'sql.unsupported', 'The type RANGE is not supported (line 1, column 18).'],
    [
      'select cast(1 as string(x))',
      'sql.syntax',
      'Expecting an integer as a type parameter; got `x` at line 1, column 25.',
    ],
    ['select cast(1 as int64 format)', 'sql.syntax', 'Expecting an expression; got `)` at line 1, column 30.'],
    ['select safe_cast(1 as array)', 'sql.syntax', 'Expecting <; got `)` at line 1, column 28.'],
    [
      'select 1::',
      'sql.syntax',
      'Expecting a type such as STRING, INT64 or TIMESTAMP; got the end of the query at line 1, column 11.',
    ],
    ['select extract(hour t)', 'sql.syntax', 'Expecting FROM; got `t` at line 1, column 21.'],
    [
      'select extract(1 from t)',
      'sql.syntax',
      'Expecting a date part such as hour or day; got `1` at line 1, column 16.',
    ],
    [
      'select interval 1',
      'sql.syntax',
      'Expecting a date part such as HOUR or DAY; got the end of the query at line 1, column 18.',
    ],
    [
      'select interval day',
      'sql.syntax',
      'Expecting a date part such as HOUR or DAY; got the end of the query at line 1, column 20.',
    ],
    ['select exists 1', 'sql.syntax', 'Expecting (; got `1` at line 1, column 15.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
