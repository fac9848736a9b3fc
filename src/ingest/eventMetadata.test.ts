import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectEqual } from '../../test/support/expectEqual.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../core/jsonValue.ts';
import { MetadataGathering } from './eventMetadata.ts';

const known = new Set(['metadata', 'id']);

function gathered(event: JsonObject): { readonly value: JsonValue; readonly steps: number } {
  const gathering = new MetadataGathering(event, known, ['time', null]);
  for (let steps = 1; ; steps++) {
    if (!gathering.advance()) continue;
    const { metadata } = gathering;
    if (metadata.kind === 'rejected') throw new Error(metadata.message);
    return { value: metadata.value, steps };
  }
}

/** What streams.md says, by recursion. */
function unwrapped(value: JsonValue): JsonValue {
  const only = isJsonArray(value) && value.length === 1 && isJsonObject(value[0]) ? value[0] : value;
  if (isJsonArray(only)) return only.map(unwrapped);
  if (!isJsonObject(only)) return only;
  return Object.fromEntries(Object.entries(only).map(([name, each]) => [name, unwrapped(each)]));
}

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, 0, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'))),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
}));

test('lists of one object are unwrapped at every level, in containers of any size', () => {
  const anyObject = fc.dictionary(fc.constantFrom('a', 'b', 'c'), anyValue);
  fc.assert(
    fc.property(anyObject, fc.constantFrom(0, 1, 2047, 2048, 5000), (object, count) => {
      const each: JsonValue = [{ n: [object, object] }];
      const metadata = { ...object, many: Array<JsonValue>(count).fill(each) };
      const { value, steps } = gathered({ id: '1', time: 1, metadata: [metadata], own: [{}] });
      expectEqual(value, {
        ...(unwrapped([object]) as JsonObject),
        many: Array(count).fill(unwrapped(each)),
        own: [{}],
      });
      expect(steps).toBeGreaterThan(count / 2048);
    }),
    { numRuns: 50 },
  );
});

test('many members are copied and added in steps, and those of metadata stay', () => {
  const members = (prefix: string) => Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${prefix}${n}`, n]));
  const metadata = { ...members('a'), b7: 'own' };
  const { value, steps } = gathered({ metadata, ...members('b') });
  expect(value).toEqual({ ...members('b'), ...metadata });
  expect(steps).toBeGreaterThanOrEqual(5);
});

test('a small event takes one step', () => {
  expect(gathered({ metadata: [{ a: [{ b: 1 }] }], c: 2 })).toEqual({ value: { a: { b: 1 }, c: 2 }, steps: 1 });
});
