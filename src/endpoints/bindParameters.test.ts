import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { type Binding, type BindOptions, bindParameters } from './bindParameters.ts';
import { declaration } from './declaration.fixture.ts';

const project = declaration({ name: 'project', required: true, example: 'blueberry' });
const start = declaration({ name: 'iso_timestamp_start', type: 'timestamp' });
const tier = declaration({
  name: 'project_tier',
  type: 'enum',
  allowed: ['FREE', 'PRO'],
  default: 'FREE',
  onUnknown: 'default',
});
const interval = declaration({
  name: 'interval',
  type: 'enum',
  required: true,
  allowed: ['minutely', 'hourly', 'daily'],
});
const span = declaration({ ...interval, default: 'daily', onUnknown: 'default' });
const pattern = declaration({ name: 'pattern', type: 'regex', required: true });

type Entry = readonly [string, string];

const bind = (
  declarations: Parameters<typeof bindParameters>[0],
  entries: readonly Entry[],
  options: Partial<BindOptions> = {},
): Binding => bindParameters(declarations, entries, { isStrict: false, ...options });

function refusal(...call: Parameters<typeof bind>): ServiceError {
  const outcome = outcomeOf(() => bind(...call));
  if (outcome instanceof ServiceError) return outcome;
  throw new Error('was bound');
}

function outcomeOf<T>(work: () => T): T | ServiceError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

const text = (value: string) => ({ kind: 'string', value });

describe('bindParameters', () => {
  it('binds every declared name, and null if an optional one is absent', () => {
    const { values, notices } = bind([project, start], [['project', 'a']]);
    expect([...values]).toEqual([
      ['project', text('a')],
      ['iso_timestamp_start', { kind: 'null' }],
    ]);
    expect(notices).toEqual([]);
  });

  it('treats an empty value as absent', () => {
    expect(
      bind(
        [project, start, tier],
        [
          ['project', 'a'],
          ['iso_timestamp_start', ''],
          ['project_tier', ''],
        ],
      ),
    ).toEqual(bind([project, start, tier], [['project', 'a']]));
  });

  it('binds an empty value if it is allowed', () => {
    expect(bind([declaration({ allowEmpty: true, required: true })], [['p', '']]).values.get('p')).toEqual(text(''));
  });

  it('refuses a required parameter that is missing or empty, with a hint', () => {
    const error = refusal([project, interval], []);
    expect(error.code).toBe('parameter.missing');
    expect(error.errors).toMatchObject([
      { parameter: 'project', rule: 'parameter.missing' },
      { parameter: 'interval', allowed: ['minutely', 'hourly', 'daily'] },
    ]);
    expect(error.message).toContain('project=blueberry');
    expect(error.message).toContain('minutely, hourly, daily');
    expect(refusal([project], [['project', '']])).toMatchObject({
      code: 'parameter.missing',
      message: expect.stringContaining('empty'),
    });
  });

  it('binds the default of an absent parameter without a notice', () => {
    const { values, notices } = bind([tier], []);
    expect(values.get('project_tier')).toEqual(text('FREE'));
    expect(notices).toEqual([]);
  });

  it('replaces an unknown value by the default if declared so, with a notice', () => {
    const { values, notices } = bind([tier], [['project_tier', 'free']]);
    expect(values.get('project_tier')).toEqual(text('FREE'));
    expect(notices).toMatchObject([{ code: 'parameter.defaulted', parameter: 'project_tier' }]);
    expect(notices[0]?.message).toContain('FREE, PRO');
  });

  it('keeps a parameter required even if unknown values are replaced', () => {
    expect(bind([span], [['interval', 'weekly']]).values.get('interval')).toEqual(text('daily'));
    expect(refusal([span], []).code).toBe('parameter.missing');
    expect(refusal([span], [['interval', '']]).code).toBe('parameter.missing');
  });

  it('refuses an unknown value of another enum with the allowed and the nearest', () => {
    const error = refusal([interval], [['interval', 'dayly']]);
    expect(error).toMatchObject({ code: 'parameter.invalid', status: 400 });
    expect(error.errors[0]).toMatchObject({
      parameter: 'interval',
      value: 'dayly',
      allowed: ['minutely', 'hourly', 'daily'],
      nearest: 'daily',
    });
    expect(error.message).toContain('Did you mean daily?');
  });

  it('never offers a token values that it may not use', () => {
    const keptTo = { interval: ['daily', 'hourly', 'yearly'], project_tier: ['PRO'], project: ['a', 'b'] };
    const offered = { errors: [{ parameter: 'interval', allowed: ['daily', 'hourly'] }] };
    expect(refusal([interval], [], { keptTo })).toMatchObject(offered);
    const unknown = refusal([interval], [['interval', 'minutly']], { keptTo });
    expect(unknown).toMatchObject(offered);
    expect(unknown.message).not.toContain('minutely');
    expect(refusal([project], [], { keptTo })).toMatchObject({
      errors: [{ parameter: 'project', allowed: ['a', 'b'] }],
    });
    const { values, notices } = bind([tier], [['project_tier', 'free']], { keptTo });
    expect(values.get('project_tier')).toEqual(text('FREE'));
    expect(notices[0]?.message).toContain('must be one of PRO;');
    const named = declaration({ name: 'constructor' });
    expect(bind([named], [['constructor', 'x']], { keptTo }).values.get('constructor')).toEqual(text('x'));
  });

  it('does not let a broken value fall back to the default', () => {
    expect(refusal([tier], [['project_tier', 'FR\0EE']]).code).toBe('parameter.invalid');
    expect(refusal([tier], [['project_tier', 'x'.repeat(5000)]]).code).toBe('parameter.too_long');
  });

  it('refuses an empty pattern, required or not: it would match every row', () => {
    expect(refusal([pattern], [['pattern', '']]).code).toBe('parameter.invalid');
    expect(refusal([{ ...pattern, required: false }], [['pattern', '']]).code).toBe('parameter.invalid');
    expect(refusal([pattern], []).code).toBe('parameter.missing');
    expect(bind([{ ...pattern, required: false }], []).values.get('pattern')).toEqual({ kind: 'null' });
  });

  it('points into a pattern', () => {
    expect(refusal([pattern], [['pattern', 'abc\\1']]).errors[0]).toMatchObject({ parameter: 'pattern', column: 4 });
  });

  it('tells all that is wrong at once, each with its own rule', () => {
    const error = refusal(
      [project, interval, start, pattern, declaration({ name: 'n', type: 'int64' })],
      [
        ['interval', 'x'],
        ['iso_timestamp_start', 'then'],
        ['pattern', '('],
        ['n', '1'],
        ['n', '2'],
      ],
    );
    expect(error.code).toBe('parameter.invalid');
    expect(error.errors.map((item) => [item.parameter, item.rule])).toEqual([
      ['project', 'parameter.missing'],
      ['interval', 'parameter.invalid'],
      ['iso_timestamp_start', 'parameter.invalid'],
      ['pattern', 'parameter.invalid'],
      ['n', 'parameter.duplicate'],
    ]);
    for (const item of error.errors) expect(error.message).toContain(`"${item.parameter}"`);
  });

  it('refuses a declared or reserved parameter given twice, even with one value', () => {
    expect(
      refusal(
        [project],
        [
          ['project', 'a'],
          ['project', 'a'],
        ],
      ).code,
    ).toBe('parameter.duplicate');
    expect(
      refusal(
        [project],
        [
          ['project', ''],
          ['project', 'a'],
        ],
      ).code,
    ).toBe('parameter.duplicate');
    expect(
      refusal(
        [],
        [
          ['sql', 'select 1'],
          ['sql', ''],
        ],
      ).code,
    ).toBe('parameter.duplicate');
  });

  it('ignores unknown parameters and says so once each, with the nearest name', () => {
    const { values, notices } = bind(
      [project],
      [
        ['project', 'a'],
        ['ref', 'x'],
        ['ref', 'y'],
        ['projct', 'z'],
      ],
    );
    expect([...values.keys()]).toEqual(['project']);
    expect(notices.map((notice) => [notice.code, notice.parameter])).toEqual([
      ['parameter.unknown', 'ref'],
      ['parameter.unknown', 'projct'],
    ]);
    expect(notices[1]?.message).toContain('Did you mean project?');
  });

  it('names unknown parameters together with a missing one, with the nearest name', () => {
    const error = refusal([project], [['projct', 'a']]);
    expect(error.code).toBe('parameter.missing');
    expect(error.errors).toMatchObject([{ parameter: 'project' }]);
    expect(error.message).toMatch(/^The parameter "project" is required .*"projct" .* Did you mean project\?$/);
    expect(
      refusal(
        [project, interval],
        [
          ['project', 'a'],
          ['interval', 'dayly'],
          ['ref', 'x'],
        ],
      ).message,
    ).not.toContain('ref');
  });

  it('matches names exactly', () => {
    expect(refusal([project], [['Project', 'a']]).code).toBe('parameter.missing');
  });

  it('refuses unknown parameters where the definition is strict', () => {
    const error = refusal(
      [project],
      [
        ['project', 'a'],
        ['projct', 'b'],
      ],
      { isStrict: true },
    );
    expect(error.code).toBe('parameter.unknown');
    expect(error.errors).toMatchObject([{ parameter: 'projct', nearest: 'project', allowed: ['project'] }]);
  });

  it('hands reserved parameters back as they came, strict or not, of any length', () => {
    const sql = 'select 1 '.repeat(5000);
    const { values, notices, reserved } = bind(
      [],
      [
        ['sql', sql],
        ['lql', ''],
        ['dry_run', 'true'],
      ],
      { isStrict: true },
    );
    expect([...reserved]).toEqual([
      ['sql', sql],
      ['lql', ''],
      ['dry_run', 'true'],
    ]);
    expect([values.size, notices.length]).toEqual([0, 0]);
  });

  it('limits the bytes of a value in UTF-8', () => {
    const p = declaration();
    expect(bind([p], [['p', 'x'.repeat(4096)]]).values.size).toBe(1);
    expect(refusal([p], [['p', 'x'.repeat(4097)]]).code).toBe('parameter.too_long');
    expect(refusal([p], [['p', 'ä'.repeat(2049)]]).code).toBe('parameter.too_long');
    expect(refusal([p], [['p', '12345']], { valueBytesMax: 4 }).code).toBe('parameter.too_long');
  });

  it('keeps errors and notices small and well-formed for any input', () => {
    const long = '😀'.repeat(100_000);
    const error = refusal(
      [project, interval],
      [
        ['project', long],
        ['interval', `\uD800${long}`],
      ],
    );
    expect(Buffer.byteLength(JSON.stringify(error.errors) + error.message)).toBeLessThan(4000);
    const many: Entry[] = Array.from({ length: 10_000 }, (_, i) => [`${long.slice(0, 200)}${i}`, '']);
    expect(Buffer.byteLength(JSON.stringify(bind([], many).notices))).toBeLessThan(50_000);
    expect(bind([], many).notices.at(-1)?.message).toContain('9980 more');
    expect(refusal([], many, { isStrict: true }).errors.length).toBeLessThanOrEqual(20);
    expect(bind([], [['\uD800\n', '']]).notices[0]?.parameter).toBe('\uFFFD\uFFFD');
  });

  it('accepts names of members that objects have', () => {
    const { values, notices } = bind(
      [project],
      [
        ['project', 'a'],
        ['__proto__', 'x'],
        ['constructor', 'y'],
        ['toString', ''],
      ],
    );
    expect(values.size).toBe(1);
    expect(notices).toHaveLength(3);
  });

  it('binds each declared name exactly once or refuses with an entry per problem', () => {
    const names = fc.constantFrom(
      'project',
      'interval',
      'iso_timestamp_start',
      'project_tier',
      'pattern',
      'ref',
      'sql',
    );
    const someText = fc.oneof(
      fc.constantFrom('', 'hourly', 'FREE', '2026-05-01', 'a', '(', '\0', '\uD800'),
      fc.string(),
    );
    const declarations = [project, interval, start, tier, pattern];
    fc.assert(
      fc.property(fc.array(fc.tuple(names, someText), { maxLength: 8 }), (entries) => {
        const outcome = outcomeOf(() => bind(declarations, entries));
        const isBound = !(outcome instanceof ServiceError);
        const names = isBound ? [...outcome.values.keys()] : outcome.errors.map((item) => item.parameter);
        const unbound = isBound
          ? declarations.filter((one) => one.required && outcome.values.get(one.name)?.kind === 'null')
          : [];
        expect(names.length).toBeGreaterThan(0);
        expect(new Set(names).size).toBe(names.length);
        expect(isBound ? names : declarations.map((one) => one.name)).toEqual(declarations.map((one) => one.name));
        expect(unbound).toEqual([]);
        expect(isBound ? 400 : outcome.status).toBe(400);
      }),
    );
  });

  it('does not depend on the order of different parameters', () => {
    const declarations = [start, tier, declaration()];
    const entries: Entry[] = [
      ['p', 'x'],
      ['project_tier', 'PRO'],
      ['iso_timestamp_start', '2026-05-01'],
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: 3 }), (shuffled) => {
        expect(bind(declarations, shuffled).values).toEqual(bind(declarations, entries).values);
      }),
    );
  });
});
