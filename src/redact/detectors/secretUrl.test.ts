import { describe, expect, it } from 'vitest';
import { createRedactor } from '../createRedactor.ts';
import { RedactionCounts } from '../redactionCounts.ts';

const redactor = createRedactor();
const redact = (text: string) => redactor.redactString(text, [], new RedactionCounts());
const mark = '[REDACTED:key]';
const token = 'f3Zk9QxL0aVb2NcM7dSe';

describe('secrets in the path of a URL', () => {
  it.each<[string, string]>([
    [`https://hooks.slack.com/services/T00000000/B00000000/${token}`, `https://hooks.slack.com/services/${mark}`],
    [
      `https://discord.com/api/webhooks/123456789012345678/${token}`,
      `https://discord.com/api/webhooks/123456789012345678/${mark}`,
    ],
    [
      'https://api.telegram.org/bot123456789:AAF-0123456789abcdefghijklmnopqrstu/getMe',
      `https://api.telegram.org/bot${mark}/getMe`,
    ],
    [`GET /reset-password/${token} 200`, `GET /reset-password/${mark} 200`],
    [`/auth/password/reset/${token}?email=x`, `/auth/password/reset/${mark}?email=x`],
    [`https://x.test/users/verify-email/${token}/done`, `https://x.test/users/verify-email/${mark}/done`],
    [`/invite/${token}`, `/invite/${mark}`],
    [`/magic-link/${token}`, `/magic-link/${mark}`],
    [`/password/reset/${'0a'.repeat(32)}`, `/password/reset/${mark}`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    '/reset-password/sent',
    '/users/reset/how-to-reset-your-password',
    '/invite/0188f0a4-52b1-7c3e-9f10-aabbccddeeff',
    '/confirm/order/1234567890123456789012',
    `/storage/v1/object/${token}`,
    `/docs/resetting/${token}`,
    '/api/webhooks/123',
    'https://hooks.slack.com/services',
    '/verify/12345678901234567890',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});
