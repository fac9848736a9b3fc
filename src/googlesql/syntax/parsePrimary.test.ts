import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe('numbers', () => {
  it.each([
    ['0', '0'],
    ['00012', '12'],
    ['18446744073709551615', '18446744073709551615'],
    ['0xFF', '0xff'],
    ['0X1f', '0x1f'],
    ['.5', '0.5f'],
    ['1.', '1f'],
    ['1.5', '1.5f'],
    ['1e3', '1000f'],
    ['1.5E-3', '0.0015f'],
    ['1.e2', '100f'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('strings and bytes in all their forms', () => {
  it.each([
    ["'a'", '"a"'],
    ['"it\'s"', '"it\'s"'],
    ['\'say "x"\'', '"say \\"x\\""'],
    ["'''tri'ple'''", '"tri\'ple"'],
    ['"""a "b" c"""', '"a \\"b\\" c"'],
    ["'''a\nb'''", '"a\\nb"'],
    ["''", '""'],
    ['""', '""'],
    ["''''''", '""'],
    ["r'a\\d\\'b'", '"a\\\\d\\\\\'b"'],
    ['R"\\n"', '"\\\\n"'],
    ["b'abc'", 'BytesLiteral(616263)'],
    ['B"\\x00\\xff"', 'BytesLiteral(00ff)'],
    ["rb'\\x'", 'BytesLiteral(5c78)'],
    ["bR'\\n'", 'BytesLiteral(5c6e)'],
    ["b'é'", 'BytesLiteral(c3a9)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('constants and typed literals', () => {
  it.each([
    ['null', 'NULL'],
    ['TRUE', 'TRUE'],
    ['false', 'FALSE'],
    ["timestamp '2026-05-01 10:00:00 UTC'", 'TypedLiteral(type=TIMESTAMP "2026-05-01 10:00:00 UTC")'],
    ['date "2026-05-01"', 'TypedLiteral(type=DATE "2026-05-01")'],
    ["datetime '2026-05-01T00:00:00'", 'TypedLiteral(type=DATETIME "2026-05-01T00:00:00")'],
    ["time '12:00:00'", 'TypedLiteral(type=TIME "12:00:00")'],
    ['json \'{"a": 1}\'', 'TypedLiteral(type=JSON "{\\"a\\": 1}")'],
    ["numeric '1.5'", 'TypedLiteral(type=NUMERIC "1.5")'],
    ["decimal '1.5'", 'TypedLiteral(type=NUMERIC "1.5")'],
    ["bignumeric r'1'", 'TypedLiteral(type=BIGNUMERIC "1")'],
    ["timestamp('2026-05-01')", 'FunctionCall([timestamp] ["2026-05-01"])'],
    ['date', 'date'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('names, paths and keywords as field names', () => {
  it.each([
    ['a', 'a'],
    ['_a1', '_a1'],
    ['`a`', '`a`'],
    ['`a.b c`', '`a.b c`'],
    ['a.b.c', 'FieldAccess(FieldAccess(a b) c)'],
    ['m.select.from.end', 'FieldAccess(FieldAccess(FieldAccess(m select) from) end)'],
    ['m.`order`.by', 'FieldAccess(FieldAccess(m `order`) by)'],
    ['a[0].b', 'FieldAccess(Subscript(a plain 0) b)'],
    ['x.offset', 'FieldAccess(x offset)'],
    [
      'metadata[offset(0)].request[safe_offset(0)].path',
      'FieldAccess(Subscript(FieldAccess(Subscript(metadata offset 0) request) safe_offset 0) path)',
    ],
    ['a[ordinal(1)][safe_ordinal(2)]', 'Subscript(Subscript(a ordinal 1) safe_ordinal 2)'],
    ['a[offset]', 'Subscript(a plain offset)'],
    ['a[offset + 1]', 'Subscript(a plain Binary(+ offset 1))'],
    ['current_timestamp', 'current_timestamp'],
    ['@project', '@project'],
    ['@interval', '@interval'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('parentheses group, make tuples and hold subqueries', () => {
  it.each([
    ['(a)', 'a'],
    ['((a))', 'a'],
    ['(a, b)', 'Tuple([a b])'],
    ['((a, b), c)', 'Tuple([Tuple([a b]) c])'],
    ['(select 1)', 'ScalarSubquery(Query(Select([SelectExpression(1)])))'],
    ['((select 1))', 'ScalarSubquery(Query(Select([SelectExpression(1)])))'],
    ['((select 1) + 1)', 'Binary(+ ScalarSubquery(Query(Select([SelectExpression(1)]))) 1)'],
    ['((select 1), 2)', 'Tuple([ScalarSubquery(Query(Select([SelectExpression(1)]))) 2])'],
    [
      '((select 1) union all (select 2))',
      'ScalarSubquery(Query(SetOperation(union all [ParenthesizedQuery(Query(Select([SelectExpression(1)]))) ParenthesizedQuery(Query(Select([SelectExpression(2)])))])))',
    ],
    ['((select 1) limit 1)', 'ScalarSubquery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))) limit=1))'],
    [
      '((select 1) |> where true)',
      'ScalarSubquery(Query(ParenthesizedQuery(Query(Select([SelectExpression(1)]))) pipes=[PipeWhere(TRUE)]))',
    ],
    ['(from t)', 'ScalarSubquery(Query(FromQuery(TableReference([t]))))'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('what is no expression is named', () => {
  it.each([
    ['select from t', 'sql.syntax', 'Expecting an expression; got `from` at line 1, column 8.'],
    [
      'select select 1',
      'sql.syntax',
      'Expecting an expression; got `select` at line 1, column 8. Put a subquery in its own parentheses.',
    ],
    [
      'select unnest(x)',
      'sql.syntax',
      'Expecting an expression; got `unnest` at line 1, column 8. UNNEST is allowed only in FROM, or after IN.',
    ],
    [
      'select end',
      'sql.syntax',
      'Expecting an expression; got `end` at line 1, column 8. `end` is a reserved word; to use it as a name, put it in backticks.',
    ],
    ['select order', 'sql.syntax', 'Expecting an expression; got `order` at line 1, column 8.'],
    ['select [', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 9.'],
    ['select [1', 'sql.syntax', 'Expecting ] or a comma; got the end of the query at line 1, column 10.'],
    ['select a.', 'sql.syntax', 'Expecting a field name after the dot; got the end of the query at line 1, column 10.'],
    [
      'select .1b',
      'sql.syntax',
      'Expecting a space between the number .1 and the word after it; got `.1b` at line 1, column 8.',
    ],
    ['select x[', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 10.'],
    ['select x[]', 'sql.syntax', 'Expecting an expression; got `]` at line 1, column 10.'],
    ['select new x(1)', 'sql.unsupported', 'Protocol buffers (NEW) are not supported (line 1, column 8).'],
    [
      'select with(a as 1, a)',
      'sql.unsupported',
      'WITH expressions are not supported; use a WITH table (line 1, column 8).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
