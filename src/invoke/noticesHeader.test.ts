import { expect, it } from 'vitest';
import type { Notice } from '../googlesql/resolve/tree.ts';
import { noticesHeader } from './noticesHeader.ts';

const notice = (message: string): Notice => ({ code: 'parameter.unknown', message });

it('writes notices as ASCII JSON that a header can hold', () => {
  const notices = [notice('é 😀 \n\r\0 \u007f "x"'), notice('b')];
  const header = noticesHeader(notices);
  expect(header).toMatch(/^[ -~]*$/);
  expect(JSON.parse(header)).toEqual(notices);
});

it('has at most 2 KiB, and counts what does not fit', () => {
  for (const [length, count] of [
    [10, 100],
    [500, 4],
    [3000, 1],
    [1900, 2],
    [1980, 1],
  ] as const) {
    const header = noticesHeader(Array.from({ length: count }, () => notice('é'.repeat(length / 6))));
    expect(header.length).toBeLessThanOrEqual(2048);
    const read = JSON.parse(header);
    const { more = 0 } = read.at(-1);
    expect(more + read.length - (more === 0 ? 0 : 1)).toBe(count);
  }
  expect(JSON.parse(noticesHeader([notice('x'.repeat(3000))]))).toEqual([{ more: 1 }]);
});
