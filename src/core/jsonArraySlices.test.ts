import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArrayInSlices } from './jsonArraySlices.ts';
import type { JsonValue } from './jsonValue.ts';
import { parseJson } from './losslessJson.ts';

/** The shortest step, as a part of `sliceChars`. */
const shortest = 0.3;

function inSlices(text: string, sliceChars: number): readonly JsonValue[] | undefined {
  const steps = parseArrayInSlices(text, sliceChars);
  for (let last = 0; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    // A long element that JSON.parse has read may be read again. One of many objects is read in shorter steps.
    if (step.value > last) expect(step.value).toBeGreaterThanOrEqual(last + sliceChars * shortest);
    last = step.value;
  }
}

function wholeArray(text: string): readonly JsonValue[] | undefined {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

describe('the elements of an array', () => {
  it('are those of the whole text, for any slices', () => {
    const anyArray = fc.array(fc.jsonValue({ stringUnit: 'binary' }), { maxLength: 12 });
    const space = fc.constantFrom('', ' ', '\n\t');
    fc.assert(
      fc.property(anyArray, space, fc.integer({ min: 0, max: 40 }), (values, around, sliceChars) => {
        const text = `${around}[${values.map((value) => `${around}${JSON.stringify(value)}`).join(`${around},`)}]${around}`;
        expect(inSlices(text, sliceChars)).toEqual(parseJson(text));
      }),
      { numRuns: 500 },
    );
  });

  it('keep every digit and their order next to natively parsed ones', () => {
    const text = '[{"a":1},{"n":12345678901234567890},{"2":1,"1":2}]';
    expect(inSlices(text, 1)).toEqual(parseJson(text));
    expect(inSlices(text, 1)?.[1]).toEqual({ n: 12345678901234567890n });
  });
});

describe('white space', () => {
  const space = ' \n\t\r'.repeat(2500);

  it.each([`${space}[1,2]`, `[1,2]${space}`, `${space}x`, space])('is passed over in steps, wherever it is', (text) => {
    const offsets = [0, ...parseArrayInSlices(text, 1000), text.length];
    expect(Math.max(...offsets.slice(1).map((offset, i) => offset - (offsets[i] ?? 0)))).toBeLessThan(3100);
    expect(inSlices(text, 1000)).toEqual(wholeArray(text));
  });
});

describe('an element that is much longer than a slice', () => {
  const long = `{"m":[12345678901234567${',{"a":[1,2]}'.repeat(5000)}]}`;

  it('is parsed in steps, in its place between the others', () => {
    const text = `[1,${long},{"2":1,"1":2}, 3]`;
    const offsets = [...parseArrayInSlices(text, 1000)];
    const gaps = [...offsets, text.length].map((offset, i) => offset - (offsets[i - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(3100);
    expect(inSlices(text, 1000)).toEqual(parseJson(text));
  });

  it.each(['x', '\\"', '\\\\\\\\', '{},'])('is scanned in steps if it is one text of %s', (part) => {
    const text = `[1,{"m":"${part.repeat(20_000)}"},2]`;
    const offsets = [...parseArrayInSlices(text, 1000)];
    const foundAt = offsets.findIndex((offset, i) => offset < (offsets[i - 1] ?? 0));
    const gaps = offsets.slice(0, foundAt).map((offset, i) => offset - (offsets[i - 1] ?? 0));
    expect(foundAt).toBeGreaterThan(text.length / 1000 - 3);
    expect(Math.max(...gaps)).toBeLessThan(3100);
    expect(inSlices(text, 1000)).toEqual(parseJson(text));
  });

  it.each([long.slice(0, -1), `${long}]`, long.replace('},{"a"', '} {"a"'), `${long} 1`])(
    'is left to another reader where it has a fault',
    (element) => {
      expect(inSlices(`[1,${element},2]`, 1000)).toBeUndefined();
    },
  );
});

describe('a text that is not a valid array', () => {
  it.each(
    [
      [
        '',
        '{"a":1}',
        '[',
        '[1',
        '[1,]',
        '[,1]',
        '[1,,2]',
        '[1}',
        '[{"a":1]',
        '[1] 2',
        '[1]]',
        '["a]',
        '["a\\"]',
        '[1 2]',
      ],
      ['[,]', '[1,2,]', '[[1,2],[3}]', '[{"a":[1}]]', '"[1]"', '\ufeff[1]', '[1\u00a0]', '[01]', '[nul]', '[1],[2]'],
    ].flat(),
  )('is left to another parser: %s', (text) => {
    for (const sliceChars of [0, 1, 1000]) expect(inSlices(text, sliceChars)).toBeUndefined();
  });

  it('is detected wherever it is damaged', () => {
    const text = '[{"a":"b\\"c","d":[1,{"e":null}]}, "x", 3.5, [[]], {}]';
    const damage = fc.record({
      at: fc.nat(text.length),
      cut: fc.nat(3),
      put: fc.constantFrom('', ',', ']', '}', '"', '['),
    });
    fc.assert(
      fc.property(damage, fc.nat(20), ({ at, cut, put }, sliceChars) => {
        const damaged = text.slice(0, at) + put + text.slice(at + cut);
        expect(inSlices(damaged, sliceChars)).toEqual(wholeArray(damaged));
      }),
      { numRuns: 1000 },
    );
  });
});
