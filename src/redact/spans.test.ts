import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Replacement, withoutOverlaps } from './spans.ts';

const replacement = (from: number, to: number, kind = 'ip'): Replacement => ({ from, to, kind, canonical: () => '' });
const spans = (replacements: readonly Replacement[]) => replacements.map(({ from, to, kind }) => [from, to, kind]);

describe('replacements without overlaps', () => {
  it('cover every character of every match, once and in order', () => {
    const match = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 10 })).map(([from, n]) => replacement(from, from + n));
    fc.assert(
      fc.property(fc.array(match), (given) => {
        const offsets = (list: readonly Replacement[]) =>
          list.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
        const kept = offsets(withoutOverlaps(given));
        expect(kept).toEqual([...new Set(offsets(given))].sort((a, b) => a - b));
      }),
    );
  });

  it.each<[string, Replacement[], [number, number, string][]]>([
    ['the first start gives the kind', [replacement(2, 6, 'key'), replacement(0, 3, 'ip')], [[0, 6, 'ip']]],
    ['of two equal starts the longer one does', [replacement(0, 2, 'ip'), replacement(0, 5, 'key')], [[0, 5, 'key']]],
    [
      'neighbours stay apart',
      [replacement(0, 3, 'ip'), replacement(3, 5, 'key')],
      [
        [0, 3, 'ip'],
        [3, 5, 'key'],
      ],
    ],
  ])('%s', (_title, given, expected) => {
    expect(spans(withoutOverlaps(given))).toEqual(expected);
  });
});
