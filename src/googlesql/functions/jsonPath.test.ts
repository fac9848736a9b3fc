import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonPath } from './jsonPath.ts';

const names = (text: string): readonly (string | number)[] | string => {
  const path = parseJsonPath(text);
  if (path.kind === 'invalid') return path.sentence;
  return path.steps.map((step) => (step.kind === 'member' ? step.name : step.index));
};

describe('parseJsonPath', () => {
  test.each([
    ['$', []],
    ['$.a.b[0]', ['a', 'b', 0]],
    ["$['a b'].c", ['a b', 'c']],
    ['$["a\'b"]', ["a'b"]],
    ['$."a.b"', ['a.b']],
    ['$."a\\"b"', ['a"b']],
    ['$[ 12 ]', [12]],
    ['$.x-y.é', ['x-y', 'é']],
  ])('%s', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test.each([
    ['a', 'at character 1: it must start with $'],
    ['$.', 'at character 3: expecting a member name'],
    ['$a', 'at character 2: expecting .name'],
    ['$.a[*]', 'at character 4'],
    ['$..a', 'at character 3'],
    ['$[-1]', 'at character 2'],
    ['$.a ', 'at character 4'],
  ])('%s is refused with its position', (text, sentence) => {
    expect(names(text)).toContain(sentence);
  });

  test('any name survives being written in quotes', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const quoted = name.replace(/[\\"]/g, '\\$&');
        expect(names(`$."${quoted}"`)).toEqual([name]);
        expect(names(`$["${quoted}"]`)).toEqual([name]);
      }),
    );
  });
});
