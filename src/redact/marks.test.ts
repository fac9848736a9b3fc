import { describe, expect, it } from 'vitest';
import { plainMarks, pseudonymMarks } from './marks.ts';

const marks = pseudonymMarks(Buffer.from('key'));
const write = (kind: string, value: string, key = marks) => key.write(kind, () => value);

describe('marks', () => {
  it('are equal for equal values, and differ by value, by kind and by key', () => {
    const mark = write('ip', '192.0.2.1');
    expect(mark).toMatch(/^\[ip:[0-9a-f]{6}\]$/);
    expect(write('ip', '192.0.2.1')).toBe(mark);
    const others = [
      write('ip', '192.0.2.2'),
      write('key', '192.0.2.1'),
      write('ip', '192.0.2.1', pseudonymMarks(Buffer.from('other'))),
    ];
    expect(new Set([mark, ...others].map((each) => each.slice(-7))).size).toBe(4);
  });

  it('do not confuse the end of a kind with the start of a value', () => {
    expect(write('a', 'bc').slice(-7)).not.toBe(write('ab', 'c').slice(-7));
  });

  it('of the plain form never read the value', () => {
    const read = () => {
      throw new Error('read');
    };
    expect(plainMarks.write('ip', read)).toBe('[REDACTED:ip]');
  });

  it.each([
    ['plain', plainMarks, '[REDACTED:ip] x [REDACTED:email]'],
    ['pseudonym', marks, `${write('ip', 'a')} x [REDACTED:email]`],
  ])('of the %s form are found again with their kinds', (_form, { pattern }, text) => {
    expect([...text.matchAll(pattern)].map(([, ...kinds]) => kinds.find(Boolean))).toEqual(['ip', 'email']);
  });

  it('describe their key without revealing it', () => {
    expect(marks.description).not.toBe(pseudonymMarks(Buffer.from('other')).description);
    expect(marks.description).not.toContain('key');
  });
});
