import { describe, expect, it } from 'vitest';
import { parseIfMatch } from './preconditions.ts';

describe('parseIfMatch', () => {
  it.each<[string | undefined, readonly string[] | 'any' | null]>([
    [undefined, null],
    ['*', 'any'],
    [' * ', 'any'],
    ['"1.1"', ['"1.1"']],
    ['"1.1", W/"2.1" ,"3.0"', ['"1.1"', '"3.0"']],
    ['W/"1.1"', []],
    ['"a,b"', ['"a,b"']],
    [', "1.1",', ['"1.1"']],
  ])('reads %j', (header, expected) => {
    expect(parseIfMatch(header)).toEqual(expected);
  });

  it.each(['', '1.1', '"open', 'nonsense', '"1.1" "2.1"', 'x"1.1"', '"1.1"; q=1', ','])(
    'refuses %j, which is no list of tags',
    (header) => {
      expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: 'request.malformed' }));
    },
  );
});
