import { describe, expect, it } from 'vitest';
import { formatRestrictions, isNoWider, parseRestrictions, redacting, restrictedTo } from './restrictions.ts';

describe('the projects of a token', () => {
  it('have one form, whatever order and repetition they were given in', () => {
    const forms = [['b', 'a'], ['a', 'b', 'a'], new Set(['a', 'b'])].map((given) => restrictedTo(given));
    for (const form of forms) expect(form).toEqual({ projects: ['a', 'b'] });
    expect(new Set(forms.map(formatRestrictions))).toEqual(new Set(['{"projects":["a","b"]}']));
    expect(formatRestrictions({ projects: ['b', 'a'] })).toBe('{"projects":["a","b"]}');
    expect(formatRestrictions(null)).toBeNull();
  });

  it.each<[string, readonly string[]]>([
    ['none', []],
    ['an empty one', ['a', '']],
    ['one with a control character', ['a\nb']],
    ['half a surrogate pair', ['a\ud800']],
    ['one longer than an event can have', ['x'.repeat(4097)]],
    ['more than a hundred', Array.from({ length: 101 }, (_, i) => `p${i}`)],
  ])('cannot be %s', (_, projects) => {
    expect(() => restrictedTo(projects)).toThrow(expect.objectContaining({ code: 'token.invalid' }));
  });

  it('come back from the store as they went, or not at all', () => {
    const some = restrictedTo(['a', 'ü"\\', 'b,c']);
    for (const restrictions of [null, some, redacting(some), redacting(null)]) {
      expect(parseRestrictions(formatRestrictions(restrictions))).toEqual(restrictions);
    }
    for (const text of [
      '{}',
      '[]',
      'null',
      '"a"',
      '{"projects":[]}',
      '{"projects":null}',
      '{"projects":"a"}',
      '{"projects":[1]}',
      '{"projects":["a"],"networks":[]}',
      '{"networks":[]}',
      '{"redact":false}',
      '{"redact":1}',
      '{"projects":[],"redact":true}',
      '{"redact":true,"networks":[]}',
      '',
    ]) {
      expect(() => parseRestrictions(text), text).toThrow();
    }
  });

  it('are no narrower than redacted rows where those are all that is shown', () => {
    const a = restrictedTo(['a']);
    expect(isNoWider(null, redacting(null))).toBe(false);
    expect(isNoWider(a, redacting(null))).toBe(false);
    expect(isNoWider(redacting(null), redacting(null))).toBe(true);
    expect(isNoWider(redacting(a), redacting(null))).toBe(true);
    expect(isNoWider(redacting(null), redacting(a))).toBe(false);
    expect(isNoWider(redacting(a), a)).toBe(true);
  });

  it.each<[string | null, string | null, boolean]>([
    [null, null, true],
    ['a', null, true],
    [null, 'a', false],
    ['a', 'a', true],
    ['a', 'a b', true],
    ['a b', 'a', false],
    ['c', 'a b', false],
    ['A', 'a', false],
  ])('%s beside %s: no wider is %s', (wanted, own, expected) => {
    const of = (text: string | null) => (text === null ? null : restrictedTo(text.split(' ')));
    expect(isNoWider(of(wanted), of(own))).toBe(expected);
  });
});
