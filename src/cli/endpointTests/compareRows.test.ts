import { describe, expect, it } from 'vitest';
import { compareRows } from './compareRows.ts';

describe('compareRows', () => {
  it('takes rows for equal whatever the order of members, and however many digits integers have', () => {
    const got = [{ n: 9223372036854775807n, big: 3n, s: { a: 1, b: [null, true] } }];
    const expected = [{ s: { b: [null, true], a: 1 }, big: 3, n: 9223372036854775807n }];
    expect(compareRows(expected, got, ['n', 'big', 's'])).toBeNull();
    expect(compareRows([], [], ['n'])).toBeNull();
  });

  it.each<[string, object, object]>([
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['text from a number', { a: '1' }, { a: 1 }],
    ['NULL from a column that is not there', { a: null }, {}],
    ['the last digit', { a: 9223372036854775806n }, { a: 9223372036854775807n }],
  ])('tells apart %s', (_what, expected, got) => {
    expect(compareRows([expected as never], [got as never], ['a'])).not.toBeNull();
  });

  it('tells rows in another order apart', () => {
    expect(compareRows([{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], ['a'])).not.toBeNull();
  });

  it('shows what differs in the columns of the answer, without control characters', () => {
    expect(compareRows([{ b: 'x', a: 1 }], [{ a: 1, b: 'y\n\u001b\u009b' }], ['a', 'b'])).toBe(
      ['--- expected', '+++ got', '@@ -1,2 +1,2 @@', ' - a: 1', '-  b: "x"', '+  b: "y\\n\\e\\x9b"'].join('\n'),
    );
  });
});
