import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { JsonReader } from '../core/jsonReader.ts';
import { type JsonObject, type JsonValue, memberNames, newJsonObject, setMember } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { writeJson } from '../core/writeJson.ts';
import { builtinSources } from '../sources/builtin.ts';
import { bytesAtLeast, eventsOfBody, measureInSteps } from './eventSize.ts';
import { arrivalMicros } from './ingest.fixture.ts';
import { type NormaliseContext, normalise } from './normalise.ts';
import { eventTerms } from './senderTerms.ts';

const [source] = builtinSources.filter(({ name }) => name === 'rest_api_logs');
if (source === undefined) throw new Error('there is no such source');

const context: NormaliseContext = {
  source,
  arrivalMicros,
  defaultProject: 'p',
  projects: null,
  eventBytesMax: Number.MAX_SAFE_INTEGER,
  oldestMicros: () => null,
  terms: eventTerms,
  randomness: { bytes: (count) => new Uint8Array(count) },
};

const name = fc.constantFrom(
  ...['event_message', 'message', 'log', 'metadata', 'timestamp', '@timestamp', 'date', 'id', 'project', 'source'],
  ...['a', '1', '__proto__', '', 'é"'],
);
const objectOf = (value: fc.Arbitrary<JsonValue>) =>
  fc.array(fc.tuple(name, value), { maxLength: 6 }).map((members) => {
    const object = newJsonObject();
    for (const [member, each] of members) setMember(object, member, each);
    return object as JsonObject;
  });
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, false, 0, -1.5, 1e300, 12345678901234567n, '', '2026-05-01T10:00:30Z', 'p'),
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.tuple(objectOf(tie('value'))),
    objectOf(tie('value')),
  ),
}));

/** Lists of one object, and as little in them as takes no more than is counted. */
const { wrapped } = fc.letrec<{ wrapped: JsonValue }>((tie) => ({
  wrapped: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(0, 0, 0, [], null),
    fc.tuple(objectOf(tie('wrapped'))),
    fc.array(tie('wrapped'), { maxLength: 2 }),
  ),
}));
const anyEvent = fc.oneof(
  objectOf(value),
  fc.tuple(objectOf(wrapped)).map((metadata): JsonObject => ({ metadata })),
  wrapped.map((message): JsonObject => ({ message })),
);

const isSurelyTooLarge = (event: JsonObject, bytesMax: number) => bytesAtLeast(event, bytesMax) > bytesMax;

describe('what an event takes at least', () => {
  test('is never more than what it takes when it is written', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const result = normalise(event, context);
        fc.pre(result.kind === 'event');
        expect(isSurelyTooLarge(event, result.bytes)).toBe(false);
        expect(normalise(event, { ...context, eventBytesMax: result.bytes }).kind).toBe('event');
      }),
      { numRuns: 2000 },
    );
  });

  test('is what its reader counts: an event that fits is read whole, also beside members that are replaced', () => {
    fc.assert(
      fc.property(anyEvent, fc.array(fc.tuple(name, value), { maxLength: 3 }), (event, replaced) => {
        const result = normalise(event, context);
        fc.pre(result.kind === 'event');
        const before = replaced.filter(([member]) => Object.hasOwn(event, member));
        const members = [...before, ...memberNames(event).map((member) => [member, event[member] ?? null] as const)];
        const text = `{${members.map(([member, each]) => `${writeJson(member)}:${writeJson(each)}`).join()}}`;
        const sizes = { depthMax: 200, membersMax: 1e6, elementsMax: 1e6 };
        const limits = { ...sizes, duplicateKeys: 'last', areNamesCounted: true } as const;
        const read = new JsonReader(text, {
          ...limits,
          inEventBytesMax: result.bytes,
          aroundEvents: eventsOfBody,
        }).next() as JsonObject;
        expect(normalise(read, { ...context, eventBytesMax: result.bytes }).kind).toBe('event');
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, JsonObject]>([
    ['lists that hold one list', { m: Array(100).fill([[[[[[]]]]]]) }],
    ['a text', { message: 'x'.repeat(1001) }],
    ['a list', { metadata: { a: Array(1002).fill(0) } }],
    ['lists in lists', { a: Array(400).fill([[1], [2]]) }],
    ['members', { metadata: [Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`k${n}`, n]))] }],
    ['names', { a: { ['x'.repeat(1000)]: null } }],
    ['many members of its own', Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, 1]))],
  ])('tells of %s that it is too much', (_, event) => {
    expect(isSurelyTooLarge(event, 1000)).toBe(true);
  });
});

test('an event is measured in steps, whatever it is made of', () => {
  const many = Array.from({ length: 50_000 }, (_, n) => n);
  const members = parseJson(`{"x":12345678901234567,${many.map((n) => `"k${n}":${n}`).join(',')}}`);
  const events: JsonObject[] = [
    members as JsonObject,
    { m: members },
    { metadata: [members] },
    { m: many },
    { m: many.map(() => []) },
    { m: many.map((n) => ({ n })) },
    { m: [[[many]]] },
    { timestamp: many },
    { id: members },
  ];
  for (const event of events) {
    expect([...measureInSteps(event, 10_000_000)].length).toBeGreaterThanOrEqual(12);
    expect([...measureInSteps(event, 1000)].length).toBeLessThanOrEqual('timestamp' in event || 'id' in event ? 25 : 1);
  }
});

test('a number that JSON cannot express is found anywhere', () => {
  const infinite = Number.POSITIVE_INFINITY;
  for (const event of [{ a: infinite }, { a: [[infinite]] }, { id: { b: -infinite } }, { timestamp: [Number.NaN] }]) {
    const steps = measureInSteps(event, 1000);
    expect(steps.next()).toMatchObject({ done: true, value: { isFinite: false } });
  }
  expect(measureInSteps({ a: [1e308, 2n ** 70n, 'x'] }, 1000).next().value).toMatchObject({ isFinite: true });
});

test('a time that does not count is metadata, and counted', () => {
  const text = 'x'.repeat(1001);
  expect(isSurelyTooLarge({ '@timestamp': text }, 1000)).toBe(false);
  expect(isSurelyTooLarge({ timestamp: null, date: text }, 1000)).toBe(false);
  expect(isSurelyTooLarge({ timestamp: 1749549723, '@timestamp': text }, 1000)).toBe(true);
  expect(isSurelyTooLarge({ '@timestamp': 1749549723, date: text }, 1000)).toBe(true);
});

test('an object that its reader has cut is too large, at any depth, and none of its members is looked at', () => {
  const cut = parseJson('{"a":1,"b":12345678901234567,"c":3}', { membersMax: 2 }) as JsonObject;
  const list = vi.spyOn(Object, 'keys');
  expect(bytesAtLeast(cut, 1_000_000)).toBeGreaterThan(1_000_000);
  expect(list).not.toHaveBeenCalled();
  list.mockRestore();
  expect(bytesAtLeast({ m: [{ n: cut }] }, 1_000_000)).toBeGreaterThan(1_000_000);
  const whole = parseJson('{"a":1,"b":12345678901234567}', { membersMax: 2 }) as JsonObject;
  expect(bytesAtLeast(whole, 1_000_000)).toBeLessThan(100);
});
