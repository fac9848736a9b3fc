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

  it('has the pattern if its dialect allows it, and the text always has it', () => {
    expect(parameterSchema(declaration({ pattern: '^[a-z]+$' }))).toMatchObject({ pattern: '^[a-z]+$' });
    const onlyRe2 = declaration({ pattern: '(?i)^abc$' });
    expect(parameterSchema(onlyRe2)).not.toHaveProperty('pattern');
    expect(parameterText(onlyRe2)).toContain('(?i)^abc$');
  });

  it('has no default if the parameter is required: that default only replaces values that are not allowed', () => {
    const parameter = declaration({
      type: 'enum',
      required: true,
      allowed: ['a', 'b'],
      default: 'a',
      onUnknown: 'default',
    });
    expect(parameterSchema(parameter)).not.toHaveProperty('default');
    expect(parameterText(parameter)).toContain('is replaced by a.');
  });
});

describe('a parameter that the token restricts', () => {
  const parameter = declaration({ name: 'tenant', type: 'int64', required: true, min: '1' });
  const held = (values: readonly [string, ...string[]]) => ({ projects: null, parameters: { tenant: values } });

  it('is fixed and optional if the token allows one value', () => {
    expect(describedParameter(parameter, held(['7']), false)).toMatchObject({
      schema: { type: 'integer', const: 7n },
      isRequired: false,
    });
  });

  it('must be one of the allowed values if there are several', () => {
    expect(describedParameter(parameter, held(['7', '8']), false)).toMatchObject({
      schema: { type: 'integer', enum: [7n, 8n] },
      isRequired: true,
    });
  });
});
