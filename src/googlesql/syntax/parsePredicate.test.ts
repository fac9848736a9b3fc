import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe('IS', () => {
  it.each([
    ['a is null', 'Is(a null)'],
    ['a is not null', 'Is(a isNegated null)'],
    ['a is true', 'Is(a true)'],
    ['a is not false', 'Is(a isNegated false)'],
    ['a is unknown', 'Is(a unknown)'],
    ['a is distinct from b', 'IsDistinctFrom(a b)'],
    ['a is not distinct from b + 1', 'IsDistinctFrom(a Binary(+ b 1) isNegated)'],
    ['a + 1 is null', 'Is(Binary(+ a 1) null)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('BETWEEN takes no AND of its bounds', () => {
  it.each([
    ['a between 1 and 2', 'Between(a 1 2)'],
    ['a between 1 and 2 and b', 'Logical(and [Between(a 1 2) b])'],
    ['a not between 1 + 1 and 2 or c', 'Logical(or [Between(a isNegated Binary(+ 1 1) 2) c])'],
    [
      "ts between '2026-05-01' and timestamp '2026-05-02' + interval 1 hour",
      'Between(ts "2026-05-01" Binary(+ TypedLiteral(type=TIMESTAMP "2026-05-02") Interval(1 hour)))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('LIKE and ILIKE', () => {
  it.each([
    ["a like '%x%'", 'Like(a "%x%")'],
    ["a not like 'x%'", 'Like(a isNegated "x%")'],
    ["a ilike 'x'", 'Like(a isCaseInsensitive "x")'],
    ["a not ilike 'x' escape '!'", 'Like(a isNegated isCaseInsensitive "x" escape="!")'],
    ["a like b || '%' and c", 'Logical(and [Like(a Binary(|| b "%")) c])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('IN takes lists, UNNEST and subqueries', () => {
  it.each([
    ['a in (1)', 'InList(a [1])'],
    ["a in (1, 'b', @c)", 'InList(a [1 "b" @c])'],
    ['a not in (1, 2)', 'InList(a isNegated [1 2])'],
    ['a in unnest([1])', 'InUnnest(a ArrayConstructor([1]))'],
    ['a not in unnest(m.domain)', 'InUnnest(a isNegated FieldAccess(m domain))'],
    ['a in (select 1)', 'InSubquery(a Query(Select([SelectExpression(1)])))'],
    [
      'a in (with x as (select 1) select * from x)',
      'InSubquery(a Query(withEntries=[WithEntry(x Query(Select([SelectExpression(1)])))] Select([SelectStar()] TableReference([x]))))',
    ],
    ['a in (from x)', 'InSubquery(a Query(FromQuery(TableReference([x]))))'],
    ['a in ((select 1))', 'InSubquery(a Query(ParenthesizedQuery(Query(Select([SelectExpression(1)])))))'],
    [
      'a in ((select 1) union all select 2)',
      'InSubquery(a Query(SetOperation(union all [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) Select([SelectExpression(2)])])))',
    ],
    ['a in ((select 1), 2)', 'InList(a [ScalarSubquery(Query(Select([SelectExpression(1)]))) 2])'],
    ['(a, b) in ((1, 2), (3, 4))', 'InList(Tuple([a b]) [Tuple([1 2]) Tuple([3 4])])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('what is missing is named', () => {
  it.each([
    [
      'select x is 1',
      'sql.syntax',
      'Expecting NOT, NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS; got `1` at line 1, column 13.',
    ],
    [
      'select x is not 1',
      'sql.syntax',
      'Expecting NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS; got `1` at line 1, column 17.',
    ],
    ['select x between 1 or 2', 'sql.syntax', 'Expecting AND; got `or` at line 1, column 20.'],
    ['select x in 1', 'sql.syntax', 'Expecting ( or UNNEST after IN; got `1` at line 1, column 13.'],
    ['select x in ()', 'sql.syntax', 'Expecting an expression; got `)` at line 1, column 14.'],
    ['select x in unnest [1]', 'sql.syntax', 'Expecting (; got `[` at line 1, column 20.'],
    ['select x not 1', 'sql.syntax', 'Expecting the end of the query; got `not` at line 1, column 10.'],
    ['select x is distinct 1', 'sql.syntax', 'Expecting FROM; got `1` at line 1, column 22.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('quantified LIKE', () => {
  it.each([
    ["x like any ('a', 'b%')", 'LikeList(x any ["a" "b%"])'],
    ["x not like some ('a')", 'LikeList(x isNegated any ["a"])'],
    ["x like any unnest(['a', 'b'])", 'LikeUnnest(x any ArrayConstructor(["a" "b"]))'],
    [
      'x not ilike some unnest(m.patterns) or y',
      'Logical(or [LikeUnnest(x isNegated isCaseInsensitive any FieldAccess(m patterns)) y])',
    ],
    ["x ilike all ('a', @p) and y", 'Logical(and [LikeList(x isCaseInsensitive all ["a" @p]) y])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('quantified LIKE without patterns is refused', () => {
  it.each([
    ['select x like any [1]', 'sql.syntax', 'LIKE ANY'],
    ['select x like all', 'sql.syntax', 'LIKE ALL'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(`( or UNNEST after ${message}`);
  });
});
