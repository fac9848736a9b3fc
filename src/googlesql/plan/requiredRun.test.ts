import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requiredRun } from './requiredRun.ts';

const reference = 'abcdefghijklmnopqrst';

describe('the run that a regular expression requires', () => {
  it.each([
    [reference, reference],
    [`https://${reference}.example.co/rest`, reference],
    [String.raw`${reference}\.example\.co`, reference],
    [`ABCDEFGHIJKLMNOP/${reference}`, reference],
    ['0123456789abcdef', '0123456789abcdef'],
    [`0${'a'.repeat(63)}`, `0${'a'.repeat(63)}`],
    [`0${'a'.repeat(1000)}/${reference}`, `0${'a'.repeat(63)}`],
  ])('%s: %s', (pattern, run) => expect(requiredRun(pattern)).toBe(run));

  it.each([
    'abcdefghijklmno',
    'abcdefgh-ijklmnopqrst',
    'abcdefgh_ijklmnopqrst',
    `${reference}?`,
    `${reference}*`,
    `${reference}{0}`,
    `${reference}|x`,
    `(?i)${reference}`,
    `(${reference})`,
    `[${reference}]`,
    String.raw`\d${reference}`,
    String.raw`\Q${reference}\E`,
    `${reference}\u017f`,
    `^${reference}`,
    '',
  ])('%s: none', (pattern) => expect(requiredRun(pattern)).toBeNull());

  it('is in every text that matches', () => {
    const piece = fc.constantFrom(
      'abcdefghijklmnop',
      'ABC',
      '0',
      '.',
      '\\.',
      '-',
      '/',
      ':',
      '_',
      '?',
      '*',
      '|',
      '(',
      ')',
      '\\',
    );
    const patterns = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const texts = fc.array(fc.constantFrom('abcdefghijklmnop', 'ABC', '0', 'x', '.', '-', '/', ':', '_', '\\'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(patterns, texts, (pattern, parts) => {
        const run = requiredRun(pattern);
        if (run === null) return;
        // A pattern with a run is valid here too, and means the same.
        for (const text of [
          parts.join(''),
          pattern.replaceAll('\\', ''),
          parts.join('') + pattern.replaceAll('.', 'x'),
        ])
          if (new RegExp(pattern).test(text)) expect(text).toContain(run);
      }),
      { numRuns: 2000 },
    );
  });
});
