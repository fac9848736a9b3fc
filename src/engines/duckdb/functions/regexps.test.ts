import { describe, expect, test } from 'vitest';
import { describeCases } from './describeCases.contract.ts';
import { nul } from './functionCases.contract.ts';
import { capturingGroups } from './regexps.ts';

describeCases('regular expressions', [
  ['regexp_contains', ['/rest/v1', '^/rest'], 'true'],
  ['regexp_contains', ['a\nb', 'a.b'], 'false'],
  ['regexp_contains', ['a\nb', '(?s)a.b'], 'true'],
  ['regexp_contains', ['aXb', '(?i)x'], 'true'],
  ['regexp_contains', [nul('STRING'), 'x'], null],
  ['regexp_contains', ['x', nul('STRING')], null],
  ['regexp_extract', ['/rest/v1', '^/([a-z]+)/'], 'rest'],
  ['regexp_extract', ['abc', 'b'], 'b'],
  ['regexp_extract', ['abc', 'x'], null],
  ['regexp_extract', ['abc', 'a(x*)'], ''],
  ['regexp_extract', ['abc', 'a|(x)'], null],
  ['regexp_extract', ['abc', '(a)(b)'], /one group at most/],
  ['regexp_extract', ['abc', '(?:a)(b)'], 'b'],
  ['regexp_extract', ['a1b2', '[0-9]', 1n, 2n], '2'],
  ['regexp_extract', ['a1b2', '[a-z]([0-9])', 2n], '2'],
  ['regexp_extract', ['a1b2', '[0-9]', 0n], /1 or more/],
  ['regexp_extract', ['a1', '[0-9]', nul('INT64')], null],
  ['regexp_extract', [nul('STRING'), 'x'], null],
  ['regexp_extract', ['é1', '\\d'], '1'],
  ['regexp_substr', ['a1b2', '[0-9]', 1n, 2n], '2'],
  ['regexp_substr', ['a1b2', 'x'], null],
  ['regexp_extract_all', ['a1b22', '[0-9]+'], '[1, 22]'],
  ['regexp_extract_all', ['a1b22', '([a-z])[0-9]+'], '[a, b]'],
  ['regexp_extract_all', ['abc', '[0-9]'], '[]'],
  ['regexp_extract_all', ['abc', 'x*'], "['', '', '']"],
  ['regexp_extract_all', ['baac', 'a*'], "['', aa, '']"],
  ['regexp_extract_all', ['aab', 'a*'], "[aa, '']"],
  ['regexp_extract_all', ['', 'x*'], "['']"],
  ['regexp_extract_all', ['abab', '(a)|b'], "[a, '', a, '']"],
  ['regexp_extract', ['abc', 'x*', 1n, 4n], null],
  ['regexp_extract', ['abc', 'x*', 1n, 3n], ''],
  ['regexp_extract', ['abc', 'x*', 4n], null],
  ['regexp_extract_all', [nul('STRING'), '[0-9]'], null],
  ['regexp_extract_all', ['abc', '(a)(b)'], /one group at most/],
  ['regexp_replace', ['/v1/', '/v(\\d+)/', '/v\\1x/'], '/v1x/'],
  ['regexp_replace', ['abc', 'b', '[\\0]'], 'a[b]c'],
  ['regexp_replace', ['abc', 'x*', '-'], '-a-b-c-'],
  ['regexp_replace', ['aaa', 'a', ''], ''],
  ['regexp_replace', ['abc', 'b', '\\\\'], 'a\\c'],
  ['regexp_replace', [nul('STRING'), 'b', 'x'], null],
  ['regexp_replace', ['x'.repeat(100_000), '.', '\\0'.repeat(2_000)], /could be longer/],
]);

describe('capturingGroups', () => {
  test.each([
    ['abc', 0],
    ['(a)(b)', 2],
    ['(?:a)(?i:b)(?P<n>c)(?<m>d)', 2],
    ['\\(a[(]\\[', 0],
    ['[]()](x)', 1],
    ['[[:alpha:](](x)', 1],
    ['\\Q(a)\\E(b)', 1],
  ])('counts %s as %i', (pattern, groups) => {
    expect(capturingGroups(pattern)).toBe(groups);
  });
});
