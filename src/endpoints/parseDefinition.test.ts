import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { formatDefinition, parseDefinition, restoreDefinition } from './parseDefinition.ts';

const id = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const minimal = { id, name: 'a', query: 'select 1' };

const parse = (changes: Record<string, unknown>) => parseDefinition({ ...minimal, ...changes }, { label: 'a' });
const parseParameter = (declaration: Record<string, unknown>, name = 'p') =>
  parse({ parameters: { [name]: declaration } });

function refusal(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('parseDefinition', () => {
  it('fills in the defaults', () => {
    expect(parse({})).toEqual({
      id,
      name: 'a',
      description: '',
      query: 'select 1',
      parameters: [],
      maxRows: 1000,
      cacheSeconds: 0,
      warmSeconds: null,
      staleIfErrorSeconds: 0,
      stream: null,
      sandbox: false,
      redactPii: false,
      values: null,
      timeoutMs: null,
      strictParameters: false,
      retention: null,
    });
  });

  it('keeps the order of parameters, and reads numbers and booleans as text', () => {
    const definition = parse({
      parameters: {
        z: { type: 'int64', default: 5, min: -1 },
        a: { type: 'bool', default: true },
        m: { type: 'float64', max: 0.5 },
      },
    });
    expect(definition.parameters.map((p) => [p.name, p.default, p.min, p.max])).toEqual([
      ['z', '5', '-1', null],
      ['a', 'true', null, null],
      ['m', null, null, '0.5'],
    ]);
  });

  it('writes a definition that parses to the same', () => {
    const definition = parse({
      parameters: {
        p: { type: 'string', required: true, pattern: '^a', max_length: 5, example: 'ab' },
        e: { type: 'enum', allowed: ['x', 'y'], default: 'x', on_unknown: 'default' },
        s: { type: 'string', allow_empty: true, default: '' },
        t: { type: 'timestamp', min: '2026-01-01', max: '2027-01-01' },
      },
      cache_seconds: 60,
      warm_seconds: 5,
      values: 'records',
      timeout_ms: 100,
      retention: { parameter: 'e', start: 't', days: { x: 1 }, otherwise: 7 },
    });
    const written: unknown = JSON.parse(JSON.stringify(formatDefinition(definition)));
    expect(parseDefinition(written, { label: 'a' })).toEqual(definition);
    expect(restoreDefinition(written)).toEqual(definition);
  });

  it('restores a definition that a later rule would refuse', () => {
    expect(restoreDefinition({ ...formatDefinition(parse({})), warm_seconds: 5 }).warmSeconds).toBe(5);
  });

  it.each(['a', 'a.b', 'logs.all', 'logs-all-staging', '_a.b-c.9', '0', 'x'.repeat(128)])(
    'accepts the name %s',
    (name) => {
      expect(parse({ name }).name).toBe(name);
    },
  );

  it.each([
    '',
    'A',
    'a.',
    '.a',
    'a..b',
    'a b',
    'a/b',
    'ä',
    'a\n',
    'x'.repeat(129),
    id,
    '00000000-0000-0000-0000-000000000000',
  ])('refuses the name %j', (name) => {
    expect(refusal(() => parse({ name }))).toMatchObject({ code: 'definition.invalid', errors: [{ token: 'name' }] });
  });

  it('accepts an id in any case and stores it in lower case', () => {
    expect(parse({ id: id.toUpperCase() }).id).toBe(id);
  });

  it.each<[string, Record<string, unknown>]>([
    ['id', { id: 'logs.all' }],
    ['id', { id: undefined }],
    ['query', { query: ' \n' }],
    ['query', { query: 5 }],
    ['max_rows', { max_rows: 0 }],
    ['max_rows', { max_rows: 10_001 }],
    ['max_rows', { max_rows: 1.5 }],
    ['max_rows', { max_rows: '1000' }],
    ['cache_seconds', { cache_seconds: -1 }],
    ['cache_seconds', { cache_seconds: 86_401 }],
    ['warm_seconds', { warm_seconds: 4, cache_seconds: 60 }],
    ['warm_seconds', { warm_seconds: 60, cache_seconds: 60 }],
    ['warm_seconds', { warm_seconds: 5 }],
    ['stale_if_error_seconds', { stale_if_error_seconds: -1 }],
    ['sandbox', { sandbox: 'yes' }],
    ['values', { values: 'compact' }],
    ['timeout_ms', { timeout_ms: 0 }],
    ['parameters', { parameters: [] }],
    [
      'retention.parameter',
      { retention: { parameter: 'x', start: 't', days: {}, otherwise: 1 }, parameters: { t: { type: 'timestamp' } } },
    ],
    [
      'retention.start',
      {
        retention: { parameter: 'e', start: 'x', days: {}, otherwise: 1 },
        parameters: { e: { type: 'enum', allowed: ['a'] } },
      },
    ],
    [
      'retention.days.b',
      {
        retention: { parameter: 'e', start: 't', days: { b: 1 }, otherwise: 1 },
        parameters: { e: { type: 'enum', allowed: ['a'] }, t: { type: 'timestamp' } },
      },
    ],
  ])('refuses %s in %j', (token, changes) => {
    expect(refusal(() => parse(changes))).toMatchObject({ code: 'definition.invalid', errors: [{ token }] });
  });

  it.each<[Record<string, unknown>]>([
    [{ max_rows: 1 }],
    [{ max_rows: 10_000 }],
    [{ cache_seconds: 86_400, warm_seconds: 86_399 }],
    [{ cache_seconds: 6, warm_seconds: 5 }],
  ])('accepts the bounds themselves: %j', (changes) => {
    expect(() => parse(changes)).not.toThrow();
  });

  it('refuses unknown fields at every place, with the nearest name', () => {
    expect(refusal(() => parse({ max_row: 5 })).errors).toMatchObject([{ token: 'max_row', nearest: 'max_rows' }]);
    expect(refusal(() => parseParameter({ type: 'string', requierd: true })).errors).toMatchObject([
      { token: 'parameters.p.requierd', nearest: 'required' },
    ]);
  });

  it('reports all errors at once', () => {
    expect(
      refusal(() => parse({ name: 'A', max_rows: 0, sandbos: true }))
        .errors.map((item) => item.token)
        .toSorted((a, b) => String(a).localeCompare(String(b))),
    ).toEqual(['max_rows', 'name', 'sandbos']);
  });

  it.each([null, 5, 'text', [], undefined])('refuses %j as a definition', (input) => {
    expect(refusal(() => parseDefinition(input, { label: 'a' })).code).toBe('definition.invalid');
  });
});

describe('a parameter declaration', () => {
  it.each(['sql', 'lql', 'format', 'version', 'dry_run', 'SQL', 'Dry_Run'])('cannot be named %s', (name) => {
    expect(refusal(() => parseParameter({ type: 'string' }, name)).message).toContain('reserved');
  });

  it.each(['', '1a', 'a-b', 'a b', '_a', '__proto__', 'ä', 'x'.repeat(65)])('cannot be named %j', (name) => {
    const parameters = JSON.parse(`{${JSON.stringify(name)}: {"type": "string"}}`) as unknown;
    // A name that JSON keeps and schemas may drop must not vanish silently.
    const outcome = (() => {
      try {
        return parse({ parameters }).parameters;
      } catch (error) {
        return error;
      }
    })();
    expect(outcome).toBeInstanceOf(ServiceError);
  });

  it('cannot differ from another one only in case', () => {
    const error = refusal(() => parse({ parameters: { project: { type: 'string' }, Project: { type: 'string' } } }));
    expect(error.message).toContain('differs from project only in case');
  });

  it.each<[string, Record<string, unknown>]>([
    ['type', { type: 'text' }],
    ['type', {}],
    ['allowed', { type: 'enum', allowed: [] }],
    ['', { type: 'enum' }],
    ['allowed', { type: 'enum', allowed: ['a', 'a'] }],
    ['allowed', { type: 'enum', allowed: ['a', ''] }],
    ['allowed', { type: 'int64', allowed: ['1', 'x'] }],
    ['allowed', { type: 'timestamp', allowed: ['2026-01-01'] }],
    ['min', { type: 'string', min: 1 }],
    ['min', { type: 'int64', min: 'low' }],
    ['max', { type: 'int64', min: 5, max: 4 }],
    ['max', { type: 'bool', max: 1 }],
    ['pattern', { type: 'string', pattern: '(' }],
    ['pattern', { type: 'int64', pattern: '1' }],
    ['max_length', { type: 'int64', max_length: 5 }],
    ['max_length', { type: 'string', max_length: 0 }],
    ['allow_empty', { type: 'regex', allow_empty: true }],
    ['on_unknown', { type: 'enum', allowed: ['a'], on_unknown: 'default' }],
    ['on_unknown', { type: 'string', default: 'a', on_unknown: 'default' }],
    ['on_unknown', { type: 'enum', allowed: ['a'], on_unknown: 'ignore' }],
    ['default', { type: 'string', required: true, default: 'a' }],
    ['default', { type: 'enum', allowed: ['a'], default: 'b' }],
    ['default', { type: 'int64', max: 5, default: 6 }],
    ['default', { type: 'string', default: '' }],
    ['default', { type: 'timestamp', default: 'now' }],
    ['default', { type: 'string', default: { a: 1 } }],
    ['default', { type: 'int64', default: 2 ** 53 }],
    ['example', { type: 'enum', allowed: ['a'], example: 'b' }],
    ['example', { type: 'regex', example: '(' }],
  ])('is refused at %s for %j', (field, declaration) => {
    const token = field === '' ? 'parameters.p' : `parameters.p.${field}`;
    const error = refusal(() => parseParameter(declaration));
    expect(error.errors.map((item) => item.token?.replace(/\.\d+$/, ''))).toContain(token);
  });

  it('may be required and still have a default for unknown values', () => {
    const declaration = { type: 'enum', required: true, allowed: ['a', 'b'], default: 'a', on_unknown: 'default' };
    expect(parseParameter(declaration).parameters[0]).toMatchObject({ required: true, default: 'a' });
  });
});
