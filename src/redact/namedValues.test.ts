import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './createRedactor.ts';
import { RedactionCounts } from './redactionCounts.ts';

const redactor = createRedactor({ fields: ['headers.x-tenant'] });
const mark = '[REDACTED:key]';
const shown = (text: string) => redactor.redactString(text, [], new RedactionCounts());
const shownJson = (value: unknown) => {
  const counts = new RedactionCounts();
  return JSON.parse(redactor.redactJson(JSON.stringify(value), counts)) as unknown;
};

describe('a value that another member of its object names', () => {
  it.each<[string, unknown, unknown]>([
    ['HAR', { headers: [{ name: 'Cookie', value: 'sid=a' }] }, { headers: [{ name: 'Cookie', value: mark }] }],
    ['value first', { value: 'sid=a', name: 'Cookie' }, { value: mark, name: 'Cookie' }],
    ['Kubernetes', { env: [{ name: 'DB_PASSWORD', value: 'a' }] }, { env: [{ name: 'DB_PASSWORD', value: mark }] }],
    [
      'OTLP',
      { attributes: [{ key: 'http.request.header.authorization', value: { stringValue: 'a' } }] },
      { attributes: [{ key: 'http.request.header.authorization', value: { stringValue: mark } }] },
    ],
    ['a list', { k: 'api_key', values: ['a', ['b']] }, { k: 'api_key', values: [mark, [mark]] }],
    ['a number', { Key: 'pwd', Value: 7, enabled: true }, { Key: 'pwd', Value: null, enabled: true }],
    [
      'a change',
      { field: 'x', name: 'password', oldValue: 'a', new_value: 'b' },
      { field: 'x', name: 'password', oldValue: mark, new_value: mark },
    ],
    ['a header', { header: 'X-Api-Key', value: 'a' }, { header: 'X-Api-Key', value: mark }],
    [
      'JSON Patch',
      [{ op: 'replace', path: '/user/password', value: { a: 'b' } }],
      [{ op: 'replace', path: '/user/password', value: { a: mark } }],
    ],
    [
      'a report of validation',
      { type: 'string_too_short', loc: ['body', 'password'], msg: 'too short', input: 'a' },
      { type: 'string_too_short', loc: ['body', 'password'], msg: 'too short', input: mark },
    ],
    [
      'another report',
      { type: 'field', value: 'a', msg: 'Invalid value', path: 'user.password', location: 'body' },
      { type: 'field', value: mark, msg: 'Invalid value', path: 'user.password', location: 'body' },
    ],
    [
      'a difference',
      { kind: 'E', path: ['password'], lhs: 'a', rhs: 'b' },
      { kind: 'E', path: ['password'], lhs: mark, rhs: mark },
    ],
    [
      'a change by other names',
      { field: 'password', old: 'a', new: 'b', from: 'a', to: 'b', before: 'a', after: 'b' },
      { field: 'password', old: mark, new: mark, from: mark, to: mark, before: mark, after: mark },
    ],
    [
      'an attribute by selector',
      { selector: 'input[name=password]', value: 'a' },
      { selector: 'input[name=password]', value: mark },
    ],
    [
      'a PIN',
      { pin: 4711, card_pin: 123456, pins: 4711, gpio_pin: 17 },
      { pin: null, card_pin: null, pins: 4711, gpio_pin: 17 },
    ],
    ['a path to something else', { path: ['a', 'b'], value: 'a' }, { path: ['a', 'b'], value: 'a' }],
    [
      'paths beside a value',
      { path: '/rest/v1/password_hints', to: 'a' },
      { path: '/rest/v1/password_hints', to: 'a' },
    ],
    ['a form', { id: 'password', value: 'a' }, { id: 'password', value: mark }],
    ['data', { name: 'password', data: 'a' }, { name: 'password', data: mark }],
    ['a field', { data: { a: ['b', 1] }, field: 'api_key' }, { data: { a: [mark, null] }, field: 'api_key' }],
    ['an attribute', { attr: 'password', newValue: 'a' }, { attr: 'password', newValue: mark }],
    ['a column', { column: 'password_hash', value: 'a' }, { column: 'password_hash', value: mark }],
    ['another kind', { name: 'latitude', value: 1.5 }, { name: 'latitude', value: null }],
    [
      'a rule of the installation',
      { headers: [{ name: 'x_tenant', value: 'a' }], other: [{ name: 'x_tenant', value: 'a' }] },
      { headers: [{ name: 'x_tenant', value: '[REDACTED:field]' }], other: [{ name: 'x_tenant', value: 'a' }] },
    ],
    [
      'inner objects',
      { name: 'a', value: { name: 'secret', value: 'b' } },
      { name: 'a', value: { name: 'secret', value: mark } },
    ],
  ])('%s', (_, value, expected) => {
    expect(shownJson(value)).toEqual(expected);
    expect(shownJson(expected)).toEqual(expected);
    const text = JSON.stringify(value);
    expect(shown(text)).toBe(JSON.stringify(expected));
    expect(shown(JSON.stringify({ text }))).toBe(JSON.stringify({ text: JSON.stringify(expected) }));
  });

  it.each([
    { name: 'Accept', value: 'text/html' },
    { name: 'token', value: 'a' },
    { name: 'password', type: 'string' },
    { valueFrom: { secretKeyRef: { name: 'password', key: 'x' } } },
    [{ name: 'password' }, { value: 'a' }],
    { name: 'x', value: 'a', child: { name: 'password' } },
    { title: 'password', value: 'a' },
  ])('stays: %j', (value) => {
    expect(shownJson(value)).toEqual(value);
  });

  it.each<[string, string]>([
    ['sent {"name":"Cookie","value":"sid=a"} twice', `sent {"name":"Cookie","value":"${mark}"} twice`],
    ['sent {"value": "sid=a", "name": "Cookie"}.', `sent {"value": "${mark}", "name": "Cookie"}.`],
    ['x {\\"key\\":\\"pwd\\",\\"value\\":\\"a\\"}', `x {\\"key\\":\\"pwd\\",\\"value\\":\\"${mark}\\"}`],
    ['x {"name":"pwd","b":1,"value":"a"}', `x {"name":"pwd","b":1,"value":"${mark}"}`],
    [
      'x {"old_value":"a","new_value":"b","name":"pwd"}',
      `x {"old_value":"${mark}","new_value":"${mark}","name":"pwd"}`,
    ],
    ['x {"name":"pwd"},{"value":"a"}', 'x {"name":"pwd"},{"value":"a"}'],
    ['cut {"key":"pwd","value":{"stringValue":"a', `cut {"key":"pwd","value":{"stringValue":"${mark}`],
  ])('in a text: %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(shown(expected)).toBe(expected);
  });

  it('is shown as the member would be that has its name', () => {
    const name = fc.constantFrom('Cookie', 'db_password', 'x-api-key', 'email', 'plain', 'latitude', 'a\nb', 'Key"s');
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('secret words', '', 'x'),
        fc.integer(),
        fc.constantFrom(true, null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'stringValue', 'inner'), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const pair = fc.constantFrom(['name', 'value'], ['key', 'values'], ['Name', 'newValue'], ['k', 'v']);
    fc.assert(
      fc.property(name, value, pair, fc.boolean(), fc.boolean(), (of, held, [n = '', v = ''], isLast, isDeep) => {
        const object = isLast ? { [v]: held, between: [1, {}], [n]: of } : { [n]: of, between: [1, {}], [v]: held };
        const result = shownJson(isDeep ? { list: [object] } : object) as Record<string, unknown>;
        const own = (isDeep ? (result.list as Record<string, unknown>[])[0] : result) ?? {};
        expect(own[v]).toEqual((shownJson({ [of]: held }) as Record<string, unknown>)[of]);
        expect(own.between).toEqual([1, {}]);
      }),
    );
  });

  it('is found at any depth that is read as JSON', () => {
    const deep = (depth: number) => `${'{"value":'.repeat(depth)}1${',"name":"password"}'.repeat(depth)}`;
    const result = shown(deep(900));
    // Only the outermost name is not below a personal value itself.
    expect([result.includes('"value":null'), result.split('"password"').length]).toEqual([true, 2]);
  });
});
