import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../test/support/processorTime.ts';
import { checkPattern } from './checkPattern.ts';

describe('checkPattern', () => {
  it.each([
    '.',
    'a|b',
    '^https://[a-z]+\\.example\\.com',
    '\\d{4}-\\d{2}-\\d{2}',
    '(?i)Ä',
    '[[:alpha:]]+',
    '\\Qa.b\\E',
    '(x+x+)+y',
    'a{1000}',
    'x'.repeat(4000),
    '[]a]',
    '(a|b){0,5}',
    '\\p{Greek}',
  ])('accepts %j', (text) => {
    expect(checkPattern(text).kind).toBe('ok');
  });

  it.each([
    ['', 'empty'],
    ['(', 'missing closing )'],
    ['[a', 'missing closing ]'],
    ['a**', 'invalid nested repetition operator'],
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['(?<=a)b', 'invalid named capture'],
    ['\\1', 'invalid escape sequence'],
    ['\\', 'trailing backslash'],
    ['a{1001}', 'invalid repeat count'],
    ['('.repeat(2000) + ')'.repeat(2000), 'nests too deeply'],
  ])('refuses %j and says why', (text, reason) => {
    const check = checkPattern(text);
    expect(check.kind === 'bad' && check.problem).toContain(reason);
  });

  it('returns the character of the problem if it is known', () => {
    expect(checkPattern('ä😀\\1')).toMatchObject({ kind: 'bad', column: 3 });
    expect(checkPattern('(')).not.toHaveProperty('column');
    expect(checkPattern('\\1 \\1')).not.toHaveProperty('column');
  });

  it('refuses bombs without compiling them', () => {
    const bombs = {
      wildcards: '.{1000}'.repeat(500),
      classes: '\\pL{1000}'.repeat(400),
      groups: '(?:a?){1000}'.repeat(300),
      longGroup: `(${'x'.repeat(3900)}){1000}`,
      nested: `((${'x'.repeat(1000)}){31}){31}`,
      openEnded: `(?:${'x'.repeat(3000)}){900,}`,
      quoted: `(\\Q${'x'.repeat(3000)}\\E){900}`,
    };
    const tookMs = processorMs(() => {
      for (const [name, text] of Object.entries(bombs)) {
        expect([name, checkPattern(text)]).toEqual([
          name,
          { kind: 'bad', problem: expect.stringContaining('repeats too much') },
        ]);
      }
    });
    // Compiling them takes several seconds.
    expect(tookMs).toBeLessThan(500);
  });

  it('refuses many wide ranges only if case is folded', () => {
    expect(checkPattern(`(?i)${'[a-\\x{10FFFF}]'.repeat(250)}`)).toMatchObject({
      kind: 'bad',
      problem: expect.stringContaining('ranges beyond ASCII'),
    });
    expect(checkPattern(`(?i)${'\\pL'.repeat(500)}`).kind).toBe('bad');
    expect(checkPattern(`(?i)[${'a-\u{10FFFF}'.repeat(250)}]`).kind).toBe('bad');
    expect(checkPattern('[a-\\x{10FFFF}]'.repeat(250)).kind).toBe('ok');
    expect(checkPattern(`(?i)${'[0-9a-f]'.repeat(300)}[à-ÿ]`).kind).toBe('ok');
  });

  it('handles any text, and never accepts a large program', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '(',
      ')',
      '[',
      ']',
      '^',
      '{',
      '}',
      '{9}',
      '{3,}',
      '{,4}',
      '*',
      '+',
      '?',
      '|',
      '\\',
      '\\Q',
      '\\E',
      '\\pL',
      '\\p{Greek}',
      '[:alpha:]',
      'é',
      '😀',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        (text) => {
          const check = checkPattern(text);
          const size = check.kind === 'ok' ? check.pattern.programSize() : 0;
          const problem = check.kind === 'ok' ? 'none' : check.problem;
          expect(size).toBeLessThanOrEqual(10_000);
          expect(problem.length).toBeLessThan(300);
        },
      ),
      { numRuns: 500 },
    );
  });
});
