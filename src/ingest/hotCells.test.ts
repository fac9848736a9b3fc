import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import type { HotValue } from '../ports/eventLog.ts';
import type { HotColumn } from '../sources/source.ts';
import { hotCells } from './hotCells.ts';

const column = (kind: HotColumn['kind'], ...path: string[]): HotColumn => ({ column: 'c', path, kind });
const irregular = 'irregular';

function cellOf(metadata: JsonObject | null, hot: HotColumn): HotValue | typeof irregular {
  const { values, irregular: paths } = hotCells(metadata, [hot]);
  expect(values).toHaveLength(1);
  if (paths.length === 0) return values[0] ?? null;
  expect(paths).toEqual([JSON.stringify(hot.path)]);
  expect(values[0]).toBeNull();
  return irregular;
}

/** JSON text of the member, then what a column of each kind holds. */
const table: readonly (readonly [string, Readonly<Record<HotColumn['kind'], HotValue | typeof irregular>>])[] = [
  ['null', { string: null, int64: null, float64: null, presence: null }],
  ['"x"', { string: 'x', int64: irregular, float64: irregular, presence: irregular }],
  ['""', { string: '', int64: irregular, float64: irregular, presence: irregular }],
  ['"200"', { string: '200', int64: irregular, float64: irregular, presence: irregular }],
  ['200', { string: irregular, int64: 200, float64: 200, presence: irregular }],
  ['-0', { string: irregular, int64: 0, float64: 0, presence: irregular }],
  ['2.0', { string: irregular, int64: 2, float64: 2, presence: irregular }],
  ['46.5', { string: irregular, int64: irregular, float64: 46.5, presence: irregular }],
  ['1e-7', { string: irregular, int64: irregular, float64: 1e-7, presence: irregular }],
  ['9007199254740991', { string: irregular, int64: 9007199254740991, float64: 9007199254740991, presence: irregular }],
  ['9007199254740992', { string: irregular, int64: 9007199254740992n, float64: irregular, presence: irregular }],
  ['9007199254740993', { string: irregular, int64: 9007199254740993n, float64: irregular, presence: irregular }],
  [
    '-9223372036854775808',
    { string: irregular, int64: -9223372036854775808n, float64: irregular, presence: irregular },
  ],
  ['9223372036854775807', { string: irregular, int64: 9223372036854775807n, float64: irregular, presence: irregular }],
  ['9223372036854775808', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['1e30', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['1e17', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['true', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['false', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['{}', { string: irregular, int64: irregular, float64: irregular, presence: true }],
  ['{"a":1}', { string: irregular, int64: irregular, float64: irregular, presence: true }],
  ['[]', { string: irregular, int64: irregular, float64: irregular, presence: null }],
  ['[{"a":1}]', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
  ['["x"]', { string: irregular, int64: irregular, float64: irregular, presence: irregular }],
];

describe('a hot cell says what its column may hold, or that the event is irregular there', () => {
  for (const [text, expected] of table) {
    test.each(Object.entries(expected))(`${text} in a column of kind %s`, (kind, cell) => {
      const member = parseJson(text);
      expect(cellOf({ m: member }, column(kind as HotColumn['kind'], 'm'))).toBe(cell);
      expect(cellOf({ p: { m: member } }, column(kind as HotColumn['kind'], 'p', 'm'))).toBe(cell);
    });
  }

  test.each(['string', 'int64', 'float64', 'presence'] as const)('%s: nothing where there is nothing', (kind) => {
    expect(cellOf(null, column(kind, 'a', 'b'))).toBeNull();
    expect(cellOf({}, column(kind, 'a', 'b'))).toBeNull();
    expect(cellOf({ a: null }, column(kind, 'a', 'b'))).toBeNull();
    expect(cellOf({ a: {} }, column(kind, 'a', 'b'))).toBeNull();
    expect(cellOf({ a: [] }, column(kind, 'a', 'b'))).toBeNull();
  });

  test.each<JsonValue>([5, 'x', '', true, [{ b: 'x' }], [1], [{}, {}]])(
    'below %j every path is irregular',
    (parent) => {
      for (const kind of ['string', 'int64', 'float64', 'presence'] as const) {
        expect(cellOf({ a: parent }, column(kind, 'a', 'b'))).toBe(irregular);
        expect(cellOf({ a: { x: parent } }, column(kind, 'a', 'x', 'b', 'c'))).toBe(irregular);
      }
    },
  );

  test('the presence of metadata itself has the empty path', () => {
    expect(cellOf(null, column('presence'))).toBeNull();
    expect(cellOf({}, column('presence'))).toBe(true);
  });

  test('nothing inherited is read', () => {
    expect(cellOf({}, column('string', 'constructor', 'name'))).toBeNull();
    expect(cellOf({}, column('presence', '__proto__'))).toBeNull();
  });

  test('for any metadata, a regular cell is what a plain read of the path gives', () => {
    const paths = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    const leaf = fc.oneof(fc.constantFrom(null, true, 'x', '', 7, 7.5), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }));
    const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('node'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { noNullPrototype: true }),
      ),
    }));
    const kinds = fc.constantFrom('string', 'int64', 'float64', 'presence');
    fc.assert(
      fc.property(node, paths, kinds, (metadata, path, kind) => {
        fc.pre(isJsonObject(metadata));
        const cell = cellOf(metadata as JsonObject, column(kind, ...path));
        let plain: JsonValue | undefined = metadata;
        for (const step of path) plain = isJsonObject(plain) ? plain[step] : undefined;
        if (cell === irregular) return;
        if (cell === null)
          expect([undefined, null, ...(kind === 'presence' ? ['[]'] : [])]).toContain(
            Array.isArray(plain) ? JSON.stringify(plain) : plain,
          );
        else if (cell === true) expect(isJsonObject(plain)).toBe(true);
        else if (typeof plain === 'bigint' && typeof cell === 'number') expect(BigInt(cell)).toBe(plain);
        else expect(cell).toBe(plain);
      }),
      { numRuns: 1000 },
    );
  });
});
