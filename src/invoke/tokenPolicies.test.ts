import { describe, expect, it } from 'vitest';
import { declaration } from '../endpoints/declaration.fixture.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { restrictionsOf } from '../tokens/restrictions.ts';
import { bindCall } from './bind.ts';
import type { ParameterEntry } from './parameterEntry.ts';

type Declared = Partial<ParameterDeclaration> & Pick<ParameterDeclaration, 'type'>;

/** What a call with these texts binds as `p`, or the code that it is refused with. */
function outcome(declared: Declared, kept: string | string[], text: string | readonly string[] | undefined): unknown {
  const endpoint = {
    parameters: [declaration({ name: 'p', ...declared }), declaration({ name: 'q' })],
    sandbox: true,
    strictParameters: false,
  };
  const bounds = { queryTextBytesMax: 100, parameterBytesMax: 100 };
  const restrictions = restrictionsOf({ parameters: { p: kept } });
  try {
    const entries: ParameterEntry[] =
      text === undefined
        ? []
        : [typeof text === 'string' ? ['p', text] : ['p', text[0] ?? '', { form: 'array', texts: text }]];
    const value = bindCall(entries, endpoint, restrictions, bounds).parameters.get('p');
    if (value === undefined || value.kind === 'null') return value?.kind;
    if (value.kind === 'array') return value.elements.map((each) => ('value' in each ? each.value : each.kind));
    return value.kind === 'timestamp' ? value.micros : value.kind === 'date' ? value.days : value.value;
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

const locked = 'parameter.locked';

describe('a value that a token is restricted to', () => {
  it.each<[string, Declared, string | string[], string | readonly string[] | undefined, unknown]>([
    ['is bound where a call names none', { type: 'string' }, 'a', undefined, 'a'],
    ['is bound for an empty text', { type: 'string', required: true }, 'a', '', 'a'],
    ['is bound before the default', { type: 'string', default: 'b' }, 'a', undefined, 'a'],
    ['is the only one', { type: 'string' }, 'a', 'b', locked],
    ['is the only element where a call names none', { type: 'array<string>' }, 'a', undefined, ['a']],
    ['is each element of an array', { type: 'array<int64>' }, ['7', '8'], '8,07,8', [8n, 7n, 8n]],
    ['is not beside another element', { type: 'array<string>' }, ['a', 'b'], 'a,c', locked],
    ['is not in one text with another', { type: 'array<string>' }, ['a', 'b'], ['a,b'], locked],
    ['is not replaced by an empty array', { type: 'array<string>' }, ['a', 'b'], [], locked],
    ['is not replaced by NULL', { type: 'array<string>' }, ['a', 'b'], undefined, locked],
    ['is compared with case', { type: 'string' }, 'a', 'A', locked],
    ['is compared without normalisation', { type: 'string' }, '\u00e9', 'e\u0301', locked],
    ['is not an empty text that counts as one', { type: 'string', allowEmpty: true }, 'a', '', locked],
    ['is a number', { type: 'int64' }, '7', '007', 7n],
    ['is written by the operator in any form', { type: 'int64' }, '07', '7', 7n],
    ['is another number', { type: 'int64' }, '7', '8', locked],
    ['is a float in any form', { type: 'float64' }, '1.50', '15e-1', 1.5],
    ['is a boolean in any form', { type: 'bool' }, '1', 'TRUE', true],
    ['is another boolean', { type: 'bool' }, 'true', '0', locked],
    [
      'is a moment in any zone',
      { type: 'timestamp' },
      '2026-05-01',
      '2026-05-01T02:00:00+02:00',
      1_777_593_600_000_000,
    ],
    ['is another moment', { type: 'timestamp' }, '2026-05-01', '2026-05-01T00:00:00.000001Z', locked],
    ['is a date', { type: 'date' }, '2026-05-01', '2026-05-02', locked],
    ['is a pattern as it stands', { type: 'regex' }, 'a.c', 'abc', locked],
    ['is no empty pattern', { type: 'regex' }, 'a', '', 'parameter.invalid'],
    [
      'is not what an unknown value falls back to',
      { type: 'enum', allowed: ['a', 'b'], default: 'b', onUnknown: 'default' },
      'a',
      'c',
      locked,
    ],
    [
      'may be what an unknown value falls back to',
      { type: 'enum', allowed: ['a', 'b'], default: 'b', onUnknown: 'default' },
      'b',
      'c',
      'b',
    ],
    ['must be one that the endpoint takes', { type: 'int64' }, 'abc', undefined, locked],
    ['must be one that the endpoint allows', { type: 'enum', allowed: ['a'] }, 'b', undefined, locked],
    ['is one of several', { type: 'int64' }, ['7', '9'], '09', 9n],
    ['is none of several', { type: 'int64' }, ['7', '9'], '8', locked],
    ['is not chosen among several', { type: 'string' }, ['a', 'b'], undefined, locked],
    ['is not chosen among several by the default', { type: 'string', default: 'c' }, ['a', 'b'], undefined, locked],
    ['may be the default among several', { type: 'string', default: 'b' }, ['a', 'b'], undefined, 'b'],
  ])('%s', (_, declared, kept, text, expected) => {
    expect(outcome(declared, kept, text)).toEqual(expected);
  });
});

it('names no other values than its own to a token that leaves a required parameter out', () => {
  const allowed = ['minutely', 'hourly', 'daily'];
  const endpoint = {
    parameters: [declaration({ name: 'interval', type: 'enum', required: true, allowed })],
    sandbox: true,
    strictParameters: false,
  };
  const restrictions = restrictionsOf({ parameters: { interval: ['daily', 'hourly'] } });
  expect(() => bindCall([], endpoint, restrictions, { queryTextBytesMax: 100, parameterBytesMax: 100 })).toThrow(
    'The parameter "interval" is required and is missing. Give one of daily, hourly.',
  );
});
