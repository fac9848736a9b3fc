import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { splitParameters } from './splitParameters.ts';

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return 'none';
}

describe('splitParameters', () => {
  it('separates the caller query from what the definition declares, and keeps the order', () => {
    const entries = [
      ['project', 'p'],
      ['sql', 'select 1'],
      ['ref', 'x'],
    ] as const;
    expect(splitParameters(entries, true)).toEqual({
      callerQuery: { language: 'sql', text: 'select 1' },
      isDryRun: false,
      format: null,
      declared: [
        ['project', 'p'],
        ['ref', 'x'],
      ],
    });
  });

  it.each(['', ' ', '\n\t '])('treats a blank sql (%j) as absent, with or without a sandbox', (blank) => {
    expect(splitParameters([['sql', blank]], false).callerQuery).toBe(null);
    expect(
      codeOf(() =>
        splitParameters(
          [
            ['sql', blank],
            ['lql', blank],
          ],
          true,
        ),
      ),
    ).toBe('none');
  });

  it.each([
    [
      'query.both',
      true,
      [
        ['sql', 'select 1'],
        ['lql', 'x'],
      ],
    ],
    [
      'query.both',
      false,
      [
        ['sql', 'select 1'],
        ['lql', 'x'],
      ],
    ],
    ['sandbox.disabled', false, [['sql', 'select 1']]],
    ['sandbox.disabled', false, [['lql', 'x']]],
    ['none', true, [['lql', 'x']]],
    ['sql.too_complex', true, [['lql', 'x'.repeat(64 * 1024 + 1)]]],
    ['parameter.invalid', true, [['lql', 'x\0']]],
    ['none', true, [['format', 'csv']]],
    ['none', true, [['format', 'NDJSON']]],
    ['request.not_acceptable', true, [['format', 'xlsx']]],
    ['request.not_acceptable', true, [['format', 'yaml']]],
    ['request.not_acceptable', true, [['format', 'json5']]],
    ['none', true, [['format', 'JSON']]],
    ['none', true, [['format', '']]],
    ['none', true, [['version', '2']]],
    ['none', true, [['dry_run', 'true']]],
    ['parameter.invalid', true, [['dry_run', 'yes']]],
    ['none', true, [['format', 'json']]],
    ['none', true, [['dry_run', 'false']]],
    ['none', true, [['dry_run', 'TRUE']]],
    ['none', true, [['dry_run', '0']]],
    ['none', true, [['version', '']]],
    ['none', true, [['sql', 'x'.repeat(64 * 1024)]]],
    ['sql.too_complex', true, [['sql', 'x'.repeat(64 * 1024 + 1)]]],
    // The bound is of bytes, not of characters.
    ['sql.too_complex', true, [['sql', 'ä'.repeat(32 * 1024 + 1)]]],
    ['parameter.invalid', true, [['sql', "select '\0'"]]],
    ['parameter.invalid', true, [['sql', "select '\ud800'"]]],
    ['none', true, [['sql', "select '😀'"]]],
  ] as const)('%s: sandbox %s, %j', (code, hasSandbox, entries) => {
    expect(codeOf(() => splitParameters(entries, hasSandbox))).toBe(code);
  });
});
