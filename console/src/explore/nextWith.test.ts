import { describe, expect, it } from 'vitest';
import { nextWith } from './nextWith.ts';

const rows = [
  { c_message: 'GET /', c_status: 200 },
  { c_message: 'upstream Timeout', c_status: 504, c_0: 'eu' },
  { c_message: 'GET /', c_status: 200 },
  { c_message: 'timeout again', c_status: 502 },
];
const columns = [{ name: 'c_0' }];

describe('the next row with a text', () => {
  it('is found in any case, and from the other end after the last one', () => {
    expect(nextWith('TIMEOUT', rows, columns, -1, 1)).toBe(1);
    expect(nextWith('timeout', rows, columns, 1, 1)).toBe(3);
    expect(nextWith('timeout', rows, columns, 3, 1)).toBe(1);
    expect(nextWith('again', rows, columns, 3, 1)).toBe(3);
  });

  it('is found upwards', () => {
    expect(nextWith('timeout', rows, columns, -1, -1)).toBe(3);
    expect(nextWith('timeout', rows, columns, 3, -1)).toBe(1);
    expect(nextWith('timeout', rows, columns, 0, -1)).toBe(3);
  });

  it('has it in any shown column, and is none if no row has it', () => {
    expect(nextWith('504', rows, columns, -1, 1)).toBe(1);
    expect(nextWith('eu', rows, columns, -1, 1)).toBe(1);
    expect(nextWith('eu', rows, [], -1, 1)).toBe(-1);
    expect(nextWith('', rows, columns, -1, 1)).toBe(-1);
    expect(nextWith('x', [], columns, -1, 1)).toBe(-1);
  });
});
