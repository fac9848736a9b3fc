import { describe, expect, it } from 'vitest';
import { builtinFieldRules, FieldRules } from './fieldRules.ts';

const rules = new FieldRules([...builtinFieldRules, { field: 'request.cf.city', kind: 'field' }]);

describe('a member is personal by its name', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['email', [], 'email'],
    ['E-Mail', [], undefined],
    ['X-Real-IP', ['headers'], 'ip'],
    ['x_real_ip', ['a', 'b'], 'ip'],
    ['db_password', [], 'key'],
    ['token', [], undefined],
    ['p\u200bassword', [], 'key'],
    [' password ', [], 'key'],
    ['ｄｂ_ｐａｓｓｗｏｒｄ', [], 'key'],
    ['pass%77ord', [], 'key'],
    ['city', ['request', 'cf'], 'field'],
    ['CITY', ['metadata', 'Request', 'CF'], 'field'],
    ['city', ['request', 'c\u00adf'], 'field'],
    ['city', ['cf'], undefined],
    ['city', ['request', 'cf', 'geo'], undefined],
    ['constructor', [], undefined],
  ])('%s below %j: %s', (name, above, kind) => {
    expect(rules.kindOf(name, above)).toBe(kind);
  });

  it('covers everything below it, whatever the names there', () => {
    expect(rules.kindOfPath(['user', 'email', 'parts', '0'])).toBe('email');
    expect(rules.kindOfPath(['request', 'cf', 'city', 'name'])).toBe('field');
    expect(rules.kindOfPath(['request', 'cf', 'country'])).toBeUndefined();
  });

  it('is decided by the name alone if the members above it are unknown', () => {
    expect(rules.kindOfName('city')).toBe('field');
  });
});
