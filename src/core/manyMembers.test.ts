import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { AroundEvents } from './jsonContainer.ts';
import { JsonReader } from './jsonReader.ts';
import { JsonSyntaxError } from './jsonSyntaxError.ts';
import { isCut, type JsonObject, type JsonValue, memberNames, removeMember } from './jsonValue.ts';
import { parseJson } from './losslessJson.ts';
import { writeJson, writeJsonInSteps } from './writeJson.ts';

/** Forces the exact reader where the native parser would do. */
const exactly = (text: string, limits = {}): JsonObject =>
  parseJson(text, { duplicateKeys: 'first', ...limits }) as JsonObject;

const anEvent: AroundEvents = { members: new Map() };

/** The values that the reader reads, within events of so many bytes. */
function* parseInSteps(text: string, inEventBytesMax: number): Generator<JsonValue> {
  const reader = new JsonReader(text, {
    duplicateKeys: 'last',
    depthMax: 200,
    membersMax: 1e6,
    elementsMax: 1e6,
    inEventBytesMax,
    aroundEvents: { elements: anEvent, members: new Map([['batch', { elements: anEvent }]]) },
    areNamesCounted: true,
  });
  while (!reader.atEnd()) yield reader.next();
}

const written = (value: JsonValue): string => {
  const steps = writeJsonInSteps(value);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};

describe('an object or array with more than is allowed', () => {
  const text = '{"a":1,"b":[1,2,{"x":1}],"c":3}';

  test('is read to its end, and what is beyond is left out', () => {
    const value = exactly(text, { membersMax: 2, elementsMax: 2 });
    expect(value).toEqual({ a: 1, b: [1, 2] });
    expect([isCut(value), isCut(value.b as readonly JsonValue[])]).toEqual([true, true]);
    expect(() => exactly('[1,2,x]', { elementsMax: 1 })).toThrow(JsonSyntaxError);
  });

  test('is whole at exactly that', () => {
    const value = exactly(text, { membersMax: 3, elementsMax: 3 });
    expect(writeJson(value)).toBe(text);
    expect([isCut(value), isCut(value.b as readonly JsonValue[])]).toEqual([false, false]);
  });
});

describe('an event that holds more bytes than it may have', () => {
  const countOf = (value: JsonValue): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 1)
      : 1;
  const lists = (element: string) =>
    `[${Array(100)
      .fill(`[${Array(99).fill(element).join()}]`)
      .join()}]`;

  test.each([
    ['lists of objects', lists('{}')],
    ['lists of lists', lists('[]')],
    ['lists in lists', lists('[[[[[[]]]]]]')],
    ['objects in objects', lists('{"a":{"a":{}}}')],
    ['members that replace others', lists('{"a":0,"a":[[],[],[]]}')],
  ])('is read to its end, and what is beyond is left out: %s', (_, m) => {
    for (const text of [`{"m":${m}}`, `[{"m":${m}}]`, `{"batch":[{"m":${m}}]}`]) {
      expect(countOf(parseJson(text))).toBeGreaterThan(10_000);
      const [cut] = [...parseInSteps(text, 1000)];
      expect(countOf(cut ?? null)).toBeLessThan(1200);
    }
  });

  test('can hold more in members that are replaced', () => {
    const text = `{"m":{${'"a":[1,2,3],'.repeat(1000)}"a":[4]}}`;
    expect([...parseInSteps(text, 1000)]).toEqual([{ m: { a: [4] } }]);
  });

  test('a body can hold more, in many events', () => {
    for (const event of ['{"a":[1,2]}', '{"a":{"b":"c"}}']) {
      const events = `[${Array(1000).fill(event).join()}]`;
      for (const text of [events, `{"batch":${events}}`]) {
        expect([...parseInSteps(text, 100)]).toEqual([JSON.parse(text)]);
      }
    }
  });
});

describe('an object of many members', () => {
  const names = ['k', ''].map((name) => Array.from({ length: 50_000 }, (_, n) => `${name}${50_000 - n}`));

  test.each(names)('keeps the order of its names, and listing them takes no time (%s …)', (...own) => {
    const value = exactly(`{${own.map((name) => `"${name}":1,"${name}":2`).join(',')}}`);
    const keys = vi.spyOn(Object, 'keys');
    const listed = memberNames(value);
    expect(keys).not.toHaveBeenCalled();
    keys.mockRestore();
    expect(listed).toEqual(own);
    removeMember(value as Record<string, JsonValue>, own[1] ?? '');
    expect(memberNames(value)).toEqual(own.toSpliced(1, 1));
  });

  test.each(names)('is written in steps of a few thousand members (%s …)', (...own) => {
    const text = `{${own.map((name) => `"${name}":[1]`).join(',')}}`;
    const value = exactly(text);
    expect([...writeJsonInSteps(value)].length).toBeGreaterThan(20);
    expect(written(value)).toBe(text);
  });
});

test('any value is written in steps as it is at once', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n }), (text, integer) => {
      const value = exactly(`[${text},${integer},{"2":0,"1":1e300,"a":[]}]`);
      expect(written(value)).toBe(writeJson(value));
      expect(exactly(written(value))).toEqual(value);
    }),
  );
});
