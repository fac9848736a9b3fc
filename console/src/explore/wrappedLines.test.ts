import { describe, expect, it } from 'vitest';
import { wrappedLines } from './wrappedLines.ts';

describe('the lines of a wrapped message', () => {
  it('have as many characters as fit, and are at least one', () => {
    expect(wrappedLines('', 10)).toBe(1);
    expect(wrappedLines('x'.repeat(10), 10)).toBe(1);
    expect(wrappedLines('x'.repeat(11), 10)).toBe(2);
  });

  it('leave room for wide characters and for the names of hidden ones', () => {
    expect(wrappedLines('\u65e5'.repeat(10), 10)).toBe(2);
    expect(wrappedLines('\u202e', 5)).toBe(2);
  });

  it('are bounded, also in a list without width', () => {
    expect(wrappedLines('x'.repeat(100_000), 10)).toBe(12);
    expect(wrappedLines('xyz', 0)).toBe(3);
  });
});
