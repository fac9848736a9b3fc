import { describe, expect, it } from 'vitest';
import {
  formatRestrictions,
  parseRestrictions,
  type RestrictionsJson,
  redacting,
  restrictedTo,
  restrictionsJson,
  restrictionsOf,
} from './restrictions.ts';

describe('the projects of a token', () => {
  it('have a canonical form, with any order and repetition', () => {
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

  it('are read as they were written, or not at all', () => {
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
});

const everything: RestrictionsJson = {
  projects: ['b', 'a'],
  redact: true,
  parameters: { project: 'a', interval: ['hourly', 'daily', 'hourly'], tier: ['FREE'] },
  caller_queries: false,
  strict_parameters: true,
  rate: { requests: 60, seconds: 10 },
  concurrency: 2,
  max_rows: 50,
  networks: ['2001:DB8::1', '10.1.2.3/8', '::ffff:192.168.0.0/112'],
};

describe('the restrictions of a token', () => {
  it('have a canonical form', () => {
    expect(restrictionsOf(everything)).toEqual({
      projects: ['a', 'b'],
      redact: true,
      parameters: { interval: ['daily', 'hourly'], project: ['a'], tier: ['FREE'] },
      callerQueries: false,
      strictParameters: true,
      rate: { requests: 60, seconds: 10 },
      concurrency: 2,
      maxRows: 50,
      networks: ['10.0.0.0/8', '192.168.0.0/16', '2001:db8::1/128'],
    });
    expect(restrictionsOf({})).toBeNull();
  });

  it('are read as they were written, one by one and all together', () => {
    const members = Object.entries(everything).map(([name, value]) => ({ [name]: value }));
    for (const json of [everything, ...members]) {
      const restrictions = restrictionsOf(json);
      expect(restrictions).not.toBeNull();
      const text = formatRestrictions(restrictions);
      expect(parseRestrictions(text)).toEqual(restrictions);
      expect(restrictionsOf(restrictionsJson(restrictions))).toEqual(restrictions);
      const withMore = JSON.stringify({ ...JSON.parse(text ?? ''), weekdays: ['monday'] });
      expect(() => parseRestrictions(withMore)).toThrow('cannot enforce');
    }
  });

  it.each<[string, unknown]>([
    ['projects', { projects: [] }],
    ['projects', { projects: null }],
    ['redact', { redact: false }],
    ['parameters', { parameters: {} }],
    ['parameters.project', { parameters: { project: '' } }],
    ['parameters.project', { parameters: { project: [] } }],
    ['parameters.project', { parameters: { project: 7 } }],
    ['parameters.project', { parameters: { project: 'a\0' } }],
    ['parameters.project', { parameters: { project: '\ud800' } }],
    ['parameters.pro ject', { parameters: { 'pro ject': 'a' } }],
    ['parameters.__proto__', { parameters: JSON.parse('{"__proto__":"a","project":"b"}') }],
    ['parameters', { parameters: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}`, 'a'])) }],
    ['caller_queries', { caller_queries: true }],
    ['caller_queries', { caller_queries: 'false' }],
    ['strict_parameters', { strict_parameters: false }],
    ['rate', { rate: 5 }],
    ['rate.requests', { rate: { requests: 0, seconds: 1 } }],
    ['rate.seconds', { rate: { requests: 1 } }],
    ['rate.burst', { rate: { requests: 1, seconds: 1, burst: 5 } }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['max_rows', { max_rows: 10_001 }],
    ['networks', { networks: [] }],
    ['networks.0', { networks: ['10.0.0.0/33'] }],
    ['weekdays', { weekdays: [] }],
  ])('cannot be: %s in %j', (parameter, json) => {
    expect(() => restrictionsOf(json)).toThrow(
      expect.objectContaining({
        code: 'token.invalid',
        errors: [expect.objectContaining({ parameter })],
      }),
    );
  });

  it.each([[[]], ['a'], [null]])('cannot be %j', (json) => {
    expect(() => restrictionsOf(json)).toThrow('The restrictions are not valid: it must be a JSON object.');
  });
});
