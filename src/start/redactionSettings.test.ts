import { describe, expect, it } from 'vitest';
import { redactorOf } from '../redact/redactionConfig.ts';
import { RedactionCounts } from '../redact/redactionCounts.ts';
import { redactionConfigOf } from './redactionSettings.ts';
import { settingsSchema } from './settings.ts';

const shown = (given: Readonly<Record<string, string>>, text: string, path: readonly string[] = []): string =>
  redactorOf(redactionConfigOf(settingsSchema.parse(given))).redactString(text, path, new RedactionCounts());

describe('settings of redaction', () => {
  it('add detectors, members, patterns and pseudonyms, and are nothing by default', () => {
    const text = 'AB-1234 +358 40 1234567, 4111 1111 1111 1111 203.0.113.7';
    expect(shown({}, text)).toBe('AB-1234 +358 40 1234567, 4111 1111 1111 1111 [REDACTED:ip]');
    expect(shown({ redactDetectors: 'phone, card' }, text)).toBe(
      'AB-1234 [REDACTED:phone], [REDACTED:card] [REDACTED:ip]',
    );
    expect(shown({ redactPatterns: '{"order":"AB-[0-9]+"}' }, 'AB-1234')).toBe('[REDACTED:order]');
    expect(shown({ redactFields: 'tenant, request.cf.city' }, 'Turku', ['metadata', 'request', 'cf', 'city'])).toBe(
      '[REDACTED:field]',
    );
    expect(shown({ redactKey: 'k'.repeat(32) }, '203.0.113.7')).toMatch(/^\[ip:[0-9a-f]{6}\]$/);
  });

  it.each([
    ['redactDetectors', 'phone,fax', 'phone, card, iban'],
    ['redactFields', 'a,,b', 'separated by commas'],
    ['redactPatterns', 'AB-[0-9]+', 'is a JSON object'],
    ['redactPatterns', '["x"]', 'is a JSON object'],
    ['redactPatterns', '{"Order":"x"}', 'is a JSON object'],
    ['redactPatterns', '{"order":"a("}', 'the pattern order, which is not a valid RE2'],
    ['redactPatterns', '{"order":""}', 'is empty'],
    ['redactKey', 'short', '32 characters or more'],
    ['redactionRowsMax', '0', 'whole number'],
  ])('%s refuses %s', (name, value, expected) => {
    const result = settingsSchema.safeParse({ [name]: value });
    expect(result.error?.issues[0]?.message).toContain(expected);
  });
});
