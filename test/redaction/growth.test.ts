import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redact/createRedactor.ts';
import { RedactionCounts } from '../../src/redact/redactionCounts.ts';
import { processorMs } from '../support/processorTime.ts';

const redactor = createRedactor({ detectors: ['phone', 'card', 'iban'] });

/** Texts made of one unit, each chosen to make one expression or scan start over and over. */
const units = [
  ...['a', '1', '1.', '1.1', '1-', '1:', 'a:', '::', 'fe80:', '1::', ':::', '1.1.1.1.', '0:', 'a.', 'f.', '1::dec::'],
  ...[
    '@',
    'a@',
    'a@a.',
    'a@b.c',
    '"',
    '"@',
    ' "a',
    '"a"@b.c ',
    '/',
    '//',
    '//a:',
    '//a:@',
    '//a:b/',
    '=',
    '?a=',
    '&a=',
  ],
  ...[
    '\\',
    '\\\\"',
    '\\n',
    '\\u0040',
    '%',
    '%25',
    '\u200b',
    '２.',
    '%2',
    '%3A',
    '[REDACTED:ip]',
    '[a:123456',
    '[::',
    '[',
    '{',
  ],
  ...['eyJ', 'eyJ.', 'eyJ12345678901', 'bearer ', 'bearer:', 'basic+', 'basic a', 'sk_live_', 'lm_', 'xoxb-', 'AKIA'],
  ...['{"a":', '["', '{"email":', '"email":', '\\"email\\":"', '"email":{"', '"email":[', '"a" :', '"    '],
  ...[
    '+1',
    '+1 ',
    '1 ',
    '4111 ',
    '4111-',
    '41',
    'DE12',
    'DE12 3456 ',
    'AB12 ABCD',
    '.arpa',
    '1.in-addr.arpa',
    'a.ip6.arpa ',
  ],
  ...[
    'password',
    'password=',
    'password=[',
    'password=(a',
    'password=a(',
    "password='a''",
    'password:\n a',
    'password -',
    '<password',
    '<password>',
    '<password a=',
    '--password ',
    "password '",
    'identified by ',
    '-----BEGIN PRIVATE KEY-----',
    'Cookie: a=b\n c=d',
    'password: ',
    "password='",
    "'password': '",
    'password=\\"',
    'token=a&',
    'pwd ',
    'secret"',
    'key:',
  ],
  ...[
    'cookie:',
    'Cookie: a',
    "'cookie: ",
    'authorization: ',
    'authorization: a ',
    'authorization=bearer ',
    'password={{',
    '$(',
    'a=',
  ],
  ...[
    '&#64;',
    '&#6',
    '&#38;',
    '&#x26;#',
    '&#0',
    '\\u{0',
    '%u004',
    '=\n',
    'ab=\r\n',
    '&amp;',
    '&',
    '&#',
    '=40',
    'a=40a',
    'a=40a.',
    'a=40a-',
    '\\x40',
    '\\100',
    'curl -u a:b',
    'curl -b a=b ',
    '"value":"',
    '"name":"pwd","value":',
    '\\x',
    '\u200f',
    '%E2%80%8B',
    '%E2%80',
    '\udb40\udc41',
    '\udb40',
  ],
  ...['v1.', 'v ', 'a/', ' ', '\n', 'é', '😀', '\0', '10.0.0.5 ', '10.0.0.5sk_live_abcdefgh1', 'jane@example.com '],
];

/** Processor time of redacting the unit repeated to a length, in ms. */
function cost(unit: string, chars: number): number {
  const text = unit.repeat(Math.ceil(chars / unit.length));
  return processorMs(() => redactor.redactString(text, [], new RedactionCounts()));
}

describe('redaction of hostile texts', () => {
  // Eight times the text costs eight times as much, not sixty-four times.
  it.each(units)('%j repeated costs in proportion to its length', (unit) => {
    const small = cost(unit, 8 * 1024);
    const large = cost(unit, 64 * 1024);
    expect(large, `${small} ms → ${large} ms`).toBeLessThan(24 * Math.max(small, 2));
  });
});
