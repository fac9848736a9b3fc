import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe("operators bind as GoogleSQL's table of precedence says", () => {
  it.each([
    ['a + b * c', 'Binary(+ a Binary(* b c))'],
    ['a * b + c', 'Binary(+ Binary(* a b) c)'],
    ['a - b - c', 'Binary(- Binary(- a b) c)'],
    ['a / b || c', 'Binary(|| Binary(/ a b) c)'],
    ['a || b || c', 'Binary(|| Binary(|| a b) c)'],
    ['1 | 2 ^ 3 & 4 << 1 + 2 * 3', 'Binary(| 1 Binary(^ 2 Binary(& 3 Binary(<< 4 Binary(+ 1 Binary(* 2 3))))))'],
    ['-a.b[0]', 'Unary(- Subscript(FieldAccess(a b) plain 0))'],
    ['-a * b', 'Binary(* Unary(- a) b)'],
    ['~a & b', 'Binary(& Unary(~ a) b)'],
    ['- -1', 'Unary(- Unary(- 1))'],
    ['a = b + 1', 'Binary(= a Binary(+ b 1))'],
    ['a <> b', 'Binary(!= a b)'],
    ['a >= b and c < d', 'Logical(and [Binary(>= a b) Binary(< c d)])'],
    ['not a = b', 'Unary(not Binary(= a b))'],
    ['not not a', 'Unary(not Unary(not a))'],
    ['a = not b and c', 'Logical(and [Binary(= a Unary(not b)) c])'],
    ['a or b and not c = d', 'Logical(or [a Logical(and [b Unary(not Binary(= c d))])])'],
    ['a and b or c', 'Logical(or [Logical(and [a b]) c])'],
    ['a = (b = c)', 'Binary(= a Binary(= b c))'],
    ['(a + b) * c', 'Binary(* Binary(+ a b) c)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('AND and OR chains are one flat node, and parentheses keep their own', () => {
  it.each([
    ['a or b or c or d', 'Logical(or [a b c d])'],
    ['a and b and c', 'Logical(and [a b c])'],
    ['(a and b) and c', 'Logical(and [Logical(and [a b]) c])'],
    ['a and (b and c)', 'Logical(and [a Logical(and [b c])])'],
    ['a or (b or c)', 'Logical(or [a Logical(or [b c])])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('comparisons do not chain', () => {
  it.each([
    [
      'select a = b = c',
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `=` at line 1, column 14. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
    [
      'select a < b < c',
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `<` at line 1, column 14. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
    [
      'select a is null = true',
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `=` at line 1, column 18. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
    [
      'select a in (1) in (true)',
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `in` at line 1, column 17. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
    [
      'select a between 1 and 2 between 3 and 4',
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `between` at line 1, column 26. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
    [
      "select a like 'x' like 'y'",
      'sql.syntax',
      'Expecting AND, OR or the end of the expression; got `like` at line 1, column 19. Comparisons cannot be chained: join them with AND, or use parentheses.',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('a missing or wrong operand is named', () => {
  it.each([
    ['select a +', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 11.'],
    ['select a + * b', 'sql.syntax', 'Expecting an expression; got `*` at line 1, column 12.'],
    ['select not', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 11.'],
    ['select a and', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 13.'],
    ['select a == b', 'sql.syntax', 'Expecting an operator; got `==` at line 1, column 10. Use = for equality.'],
    ['select (1', 'sql.syntax', 'Expecting ), a comma or an operator; got the end of the query at line 1, column 10.'],
    ['select (1, ', 'sql.syntax', 'Expecting an expression; got the end of the query at line 1, column 12.'],
    ['select ()', 'sql.syntax', 'Expecting an expression; got `)` at line 1, column 9.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
