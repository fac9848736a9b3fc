import { describe, expect, it } from 'vitest';
import { declaration } from '../../endpoints/declaration.fixture.ts';
import { describedParameter } from './describedParameters.ts';
import { parameterSchema, parameterText } from './parameterSchema.ts';

describe('the schema of a declared parameter', () => {
  it.each([
    [
      'an int64 with bounds beyond 2^53',
      { type: 'int64', min: '-5', max: '9223372036854775807' },
      { type: 'integer', format: 'int64', minimum: -5n, maximum: 9223372036854775807n },
    ],
    ['a float64', { type: 'float64', default: '0.5' }, { type: 'number', format: 'double', default: 0.5 }],
    ['a bool', { type: 'bool', default: '1' }, { type: 'boolean', default: true }],
    [
      'an enum',
      { type: 'enum', allowed: ['a', 'b'], example: 'b' },
      { type: 'string', enum: ['a', 'b'], examples: ['b'] },
    ],
    ['a timestamp', { type: 'timestamp' }, { type: 'string', format: 'date-time' }],
    ['a required text', { required: true, maxLength: 8 }, { type: 'string', minLength: 1, maxLength: 8 }],
    ['a required text that may be empty', { required: true, allowEmpty: true }, { type: 'string' }],
  ] as const)('is exact for %s', (_, fields, expected) => {
    expect(parameterSchema(declaration(fields))).toEqual(expected);
  });

  it('holds a pattern where its dialect reads it, and the text always', () => {
    expect(parameterSchema(declaration({ pattern: '^[a-z]+$' }))).toMatchObject({ pattern: '^[a-z]+$' });
    const onlyRe2 = declaration({ pattern: '(?i)^abc$' });
    expect(parameterSchema(onlyRe2)).not.toHaveProperty('pattern');
    expect(parameterText(onlyRe2)).toContain('(?i)^abc$');
  });

  it('has no default where the parameter is required: it stands for values that are not allowed', () => {
    const parameter = declaration({
      type: 'enum',
      required: true,
      allowed: ['a', 'b'],
      default: 'a',
      onUnknown: 'default',
    });
    expect(parameterSchema(parameter)).not.toHaveProperty('default');
    expect(parameterText(parameter)).toContain('counts as a');
  });
});

describe('a parameter that the token holds', () => {
  const parameter = declaration({ name: 'tenant', type: 'int64', required: true, min: '1' });
  const held = (values: readonly [string, ...string[]]) => ({ projects: null, parameters: { tenant: values } });

  it('to one value is fixed, and need not be sent', () => {
    expect(describedParameter(parameter, held(['7']), false)).toMatchObject({
      schema: { type: 'integer', const: 7n },
      isRequired: false,
    });
  });

  it('to several must be one of them', () => {
    expect(describedParameter(parameter, held(['7', '8']), false)).toMatchObject({
      schema: { type: 'integer', enum: [7n, 8n] },
      isRequired: true,
    });
  });
});
