import { expect, it } from 'vitest';
import { requestedRange } from './byteRange.ts';

it.each([
  ['bytes=0-4', undefined, { from: 0, to: 4 }],
  ['bytes=3-', undefined, { from: 3, to: 9 }],
  ['bytes=3-100', undefined, { from: 3, to: 9 }],
  ['bytes=-4', undefined, { from: 6, to: 9 }],
  ['bytes=-100', undefined, { from: 0, to: 9 }],
  ['Bytes = 9-9', undefined, { from: 9, to: 9 }],
  ['bytes=0-4', '"a"', { from: 0, to: 4 }],
  ['bytes=0-4', '"b"', 'whole'],
  ['bytes=0-4', 'W/"a"', 'whole'],
  ['bytes=0-4', 'Fri, 01 May 2026 10:00:00 GMT', 'whole'],
  ['bytes=10-', undefined, 'unsatisfiable'],
  ['bytes=-0', undefined, 'unsatisfiable'],
  ['bytes=4-3', undefined, 'whole'],
  ['bytes=0-1,3-4', undefined, 'whole'],
  ['bytes=-', undefined, 'whole'],
  ['rows=0-4', undefined, 'whole'],
  [`bytes=${'9'.repeat(400)}-`, undefined, 'whole'],
  ['', undefined, 'whole'],
  [undefined, '"a"', 'whole'],
] as const)('Range %j with If-Range %j is %j of ten bytes', (range, ifRange, expected) => {
  expect(requestedRange(range, ifRange, '"a"', 10)).toEqual(expected);
});

it('has nothing of an empty body', () => {
  expect(requestedRange('bytes=0-', undefined, '"a"', 0)).toBe('unsatisfiable');
});
