import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import { convertValue } from './convertValue.ts';
import { declaration } from './declaration.fixture.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

const value = (changes: Partial<ParameterDeclaration>, text: string): ParameterValue | string => {
  const conversion = convertValue(declaration(changes), text);
  return conversion.kind === 'ok' ? conversion.value : conversion.problem;
};

describe('convertValue', () => {
  it.each<[Partial<ParameterDeclaration>, string, ParameterValue]>([
    [{ type: 'string' }, ' as it is ', { kind: 'string', value: ' as it is ' }],
    [{ type: 'int64' }, '9223372036854775807', { kind: 'int64', value: 9223372036854775807n }],
    [{ type: 'int64' }, '-9223372036854775808', { kind: 'int64', value: -9223372036854775808n }],
    [{ type: 'int64' }, '007', { kind: 'int64', value: 7n }],
    [{ type: 'float64' }, '-1.5e3', { kind: 'float64', value: -1500 }],
    [{ type: 'float64' }, '.5', { kind: 'float64', value: 0.5 }],
    [{ type: 'float64' }, '3.', { kind: 'float64', value: 3 }],
    [{ type: 'bool' }, 'TRUE', { kind: 'bool', value: true }],
    [{ type: 'bool' }, '0', { kind: 'bool', value: false }],
    [{ type: 'timestamp' }, '1970-01-01T00:00:00.000001Z', { kind: 'timestamp', micros: 1 }],
    [{ type: 'date' }, '1970-01-11', { kind: 'date', days: 10 }],
    [{ type: 'enum', allowed: ['a', 'b'] }, 'b', { kind: 'string', value: 'b' }],
    [{ type: 'regex' }, 'a|b', { kind: 'string', value: 'a|b' }],
  ])('binds %j %s', (changes, text, expected) => {
    expect(value(changes, text)).toEqual(expected);
  });

  it.each<[Partial<ParameterDeclaration>, string, string]>([
    [{ type: 'int64' }, '9223372036854775808', '64 bits'],
    [{ type: 'int64' }, '-9223372036854775809', '64 bits'],
    [{ type: 'int64' }, '1.0', 'whole number'],
    [{ type: 'int64' }, ' 1', 'whole number'],
    [{ type: 'int64' }, '+1', 'whole number'],
    [{ type: 'int64' }, '0x10', 'whole number'],
    [{ type: 'int64' }, '9'.repeat(4000), 'whole number'],
    [{ type: 'float64' }, 'NaN', 'finite'],
    [{ type: 'float64' }, 'Infinity', 'finite'],
    [{ type: 'float64' }, '1e999', 'finite'],
    [{ type: 'float64' }, '1,5', 'finite'],
    [{ type: 'float64' }, '.', 'finite'],
    [{ type: 'bool' }, 'yes', 'true or false'],
    [{ type: 'timestamp' }, 'soon', 'timestamp such as'],
    [{ type: 'date' }, '2026-02-30', 'date such as'],
    [{ type: 'enum', allowed: ['minutely', 'hourly'] }, 'Hourly', 'one of minutely, hourly'],
    [{ type: 'regex' }, '', 'empty'],
    [{ type: 'regex' }, 'a(', 'missing closing )'],
    [{ type: 'string' }, 'a\0b', 'NUL'],
    [{ type: 'string' }, 'a\uD800b', 'surrogate'],
    [{ type: 'string' }, '\uDC00', 'surrogate'],
    [{ type: 'regex' }, '\0', 'NUL'],
    [{ type: 'string', maxLength: 2 }, 'äöü', 'at most 2 characters'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'aB', 'pattern'],
    [{ type: 'int64', min: '5' }, '4', 'at least 5'],
    [{ type: 'int64', max: '5' }, '6', 'at most 5'],
    [{ type: 'int64', max: '9007199254740992' }, '9007199254740993', 'at most'],
    [{ type: 'float64', max: '0.5' }, '0.51', 'at most 0.5'],
    [{ type: 'timestamp', min: '2026-01-01' }, '2025-12-31T23:59:59.999999Z', 'at least 2026-01-01'],
    [{ type: 'date', max: '2026-01-01' }, '2026-01-02', 'at most 2026-01-01'],
    [{ type: 'int64', allowed: ['1', '2'] }, '3', 'one of 1, 2'],
  ])('refuses for %j the value %j', (changes, text, problem) => {
    expect(value(changes, text)).toContain(problem);
  });

  it('has inclusive bounds, and counts characters, not code units', () => {
    expect(value({ type: 'int64', min: '5', max: '5' }, '5')).toEqual({ kind: 'int64', value: 5n });
    expect(value({ maxLength: 2 }, '😀😀')).toEqual({ kind: 'string', value: '😀😀' });
  });

  it('marks only values that are not allowed, with the nearest one', () => {
    const interval = declaration({ type: 'enum', allowed: ['minutely', 'hourly', 'daily'] });
    expect(convertValue(interval, 'houly')).toMatchObject({
      isUnknown: true,
      nearest: 'hourly',
      allowed: ['minutely', 'hourly', 'daily'],
    });
    expect(convertValue(interval, 'a\0')).not.toHaveProperty('isUnknown');
  });

  it('keeps every digit of a 64-bit integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
        expect(value({ type: 'int64' }, String(number))).toEqual({ kind: 'int64', value: number });
      }),
    );
  });

  it('handles every text for every type, and binds only well-formed text', () => {
    const codeUnit = fc.oneof(
      fc.constantFrom('\0', '\uD800', '\uDC00', '1', '-'),
      fc.nat(0xffff).map((code) => String.fromCharCode(code)),
    );
    const types = fc.constantFrom('string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'regex') as fc.Arbitrary<
      ParameterDeclaration['type']
    >;
    fc.assert(
      fc.property(types, fc.string({ unit: codeUnit }), (type, text) => {
        const conversion = convertValue(declaration({ type }), text);
        if (conversion.kind === 'bad') return;
        expect(text).not.toContain('\0');
        expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
      }),
    );
  });
});
