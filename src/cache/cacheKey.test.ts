import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import { arrayOf, DATETIME, INT64, JSON_TYPE, type SqlType, STRING, structOf, TIMESTAMP } from '../googlesql/types.ts';
import { type CacheKeyInput, cacheKey } from './cacheKey.ts';

const columnsOf = (...types: readonly SqlType[]): CacheKeyInput['columns'] =>
  types.map((type, id) => ({ name: `c${id}`, column: { id, name: `c${id}`, type }, recordForm: 'object' }));

type Request = CacheKeyInput['request'];

const request: Request = {
  parameters: new Map([['project', { kind: 'string', value: 'p' }]]),
  projects: null,
  redaction: null,
  rowsMax: 100,
  bytesMax: 1000,
  profile: 'plain',
};
const input: CacheKeyInput = {
  endpointId: 'd9a2e433-3286-44d9-a3b2-96b88c809d76',
  version: 1,
  storedText: 'select 1',
  callerQuery: null,
  columns: columnsOf(INT64, TIMESTAMP),
  request,
};
const withRequest = (more: Partial<Request>): CacheKeyInput => ({ ...input, request: { ...request, ...more } });
const withValue = (value: ParameterValue) => withRequest({ parameters: new Map([['project', value]]) });

describe('the key of a result', () => {
  it.each<[string, CacheKeyInput]>([
    ['endpoint', { ...input, endpointId: '6827ba9b-37ca-425d-8cde-4f10a8dd70f3' }],
    ['version', { ...input, version: 2 }],
    ['text of the stored query', { ...input, storedText: 'select 2' }],
    ["caller's query", { ...input, callerQuery: { language: 'sql', text: 'select 1' } }],
    ['values profile, where a column is a point in time', withRequest({ profile: 'records' })],
    ['row cap', withRequest({ rowsMax: 99 })],
    ['byte cap', withRequest({ bytesMax: 999 })],
    ['projects', withRequest({ projects: ['p'] })],
    ['redaction', withRequest({ redaction: 'ip' })],
    ['parameter value', withValue({ kind: 'string', value: 'q' })],
    ['absence of a value', withValue({ kind: 'null' })],
    ['text "null"', withValue({ kind: 'string', value: 'null' })],
    ['type of a value', withValue({ kind: 'int64', value: 1n })],
  ])('differs by %s', (_, other) => {
    expect(cacheKey(other)).not.toBe(cacheKey(input));
  });

  it.each<[string, ParameterValue, ParameterValue]>([
    ['-0 and 0', { kind: 'float64', value: -0 }, { kind: 'float64', value: 0 }],
    ['NaN and null', { kind: 'float64', value: Number.NaN }, { kind: 'null' }],
    ['1 and "1"', { kind: 'int64', value: 1n }, { kind: 'string', value: '1' }],
    ['neighbours beyond 2^53', { kind: 'int64', value: 2n ** 60n }, { kind: 'int64', value: 2n ** 60n + 1n }],
    ['a date and a timestamp', { kind: 'date', days: 1 }, { kind: 'timestamp', micros: 1 }],
    ['halves of a surrogate pair', { kind: 'string', value: '\ud800' }, { kind: 'string', value: '\ud801' }],
  ])('distinguishes %s', (_, a, b) => {
    expect(cacheKey(withValue(a))).not.toBe(cacheKey(withValue(b)));
  });

  it.each<[string, SqlType, boolean]>([
    ['INT64', INT64, false],
    ['DATETIME', DATETIME, false],
    ['ARRAY<STRING>', arrayOf(STRING), false],
    ['TIMESTAMP', TIMESTAMP, true],
    ['JSON', JSON_TYPE, true],
    ['ARRAY<TIMESTAMP>', arrayOf(TIMESTAMP), true],
    ['STRUCT', structOf([{ name: 'a', type: INT64 }]), true],
  ])('of an answer with %s depends on the values profile: %s', (_, type, isDifferent) => {
    const keyOf = (profile: Request['profile']) =>
      cacheKey({ ...withRequest({ profile }), columns: columnsOf(INT64, type) });
    expect(keyOf('plain') !== keyOf('records')).toBe(isDifferent);
  });

  it('does not depend on the order of parameters or projects', () => {
    const entries: [string, ParameterValue][] = [
      ['a', { kind: 'bool', value: true }],
      ['b', { kind: 'null' }],
    ];
    const keyOf = (parameters: typeof entries, projects: readonly string[]) =>
      cacheKey(withRequest({ parameters: new Map(parameters), projects }));
    expect(keyOf(entries.toReversed(), ['q', 'p'])).toBe(keyOf(entries, ['p', 'q']));
  });

  it('is equal for two runs exactly if everything that decides is equal', () => {
    const text = fc.constantFrom('', 'a', 'b', '"', '","', 'null', '[', '\\', 'é');
    const value = fc.oneof(
      text.map((each): ParameterValue => ({ kind: 'string', value: each })),
      fc.constant<ParameterValue>({ kind: 'null' }),
      fc.bigInt({ min: 0n, max: 2n }).map((each): ParameterValue => ({ kind: 'int64', value: each })),
      fc.boolean().map((each): ParameterValue => ({ kind: 'bool', value: each })),
    );
    const parts = fc.record({
      // Records with a null prototype do not compare equal to plain objects.
      callerQuery: fc.option(fc.record({ language: fc.constantFrom('sql', 'lql'), text }, { noNullPrototype: true })),
      parameters: fc.tuple(value, value),
      projects: fc.option(fc.uniqueArray(text, { minLength: 1, maxLength: 2 })),
      rowsMax: fc.integer({ min: 1, max: 2 }),
      version: fc.integer({ min: 1, max: 2 }),
    });
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const keyOf = ({ callerQuery, parameters: [a, b], projects, rowsMax, version }: Parts) =>
      cacheKey({
        ...withRequest({
          parameters: new Map([
            ['a', a],
            ['b', b],
          ]),
          projects,
          rowsMax,
        }),
        callerQuery,
        version,
      });
    const canonical = ({ projects, ...others }: Parts) => ({ ...others, projects: projects?.toSorted() ?? null });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(isDeepStrictEqual(canonical(one), canonical(other)));
      }),
      { numRuns: 2000 },
    );
  });
});
