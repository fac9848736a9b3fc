import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FragmentFilter, FragmentFilterWriter } from './fragmentFilter.ts';

const run = fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 16, maxLength: 60 });

function filterOf(runs: readonly string[], events: number): FragmentFilter | null {
  const writer = new FragmentFilterWriter(events);
  for (const each of runs) writer.add(each);
  const encoded = writer.encoded();
  return encoded === null ? null : new FragmentFilter(encoded);
}

describe('fragment filters', () => {
  it('find every part of every added run', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 40 }), fc.integer({ min: 1, max: 100_000 }), (runs, events) => {
        const filter = filterOf(runs, events);
        for (const each of runs)
          for (let start = 0; start + 16 <= each.length; start++)
            for (const end of [start + 16, each.length])
              expect(filter?.mayContain(each.slice(start, end)) ?? true).toBe(true);
      }),
    );
  });

  it('exclude other runs, also those that differ in case or in one character', () => {
    const filter = filterOf(['abcdefghijklmnopqrst'], 1000);
    for (const other of ['abcdefghijklmnopqrsT', 'bcdefghijklmnopqrstu', 'abcdefghi0klmnopqrst'])
      expect(filter?.mayContain(other)).toBe(false);
    expect(filterOf([], 1000)?.mayContain('abcdefghijklmnopqrst')).toBe(false);
  });

  it('take no bytes without runs, few for few runs, and do not exist for too many', () => {
    const runs = (count: number) => Array.from({ length: count }, (_, n) => `${n}`.padStart(16, 'token'));
    const bytes = (count: number) => {
      const writer = new FragmentFilterWriter(100_000);
      for (const each of runs(count)) writer.add(each);
      return writer.encoded()?.length ?? null;
    };
    expect(bytes(0)).toBe(0);
    expect(bytes(10)).toBeLessThan(30);
    expect(bytes(1000)).toBeLessThan(1500);
    expect(bytes(200_000)).toBeNull();
  });

  it('keep their format', () => {
    const writer = new FragmentFilterWriter(10);
    writer.add('abcdefghijklmnopqrst');
    expect(writer.encoded()).toMatchInlineSnapshot(`"AAAgBAUBAAA="`);
  });
});
