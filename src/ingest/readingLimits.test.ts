import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonReader } from '../core/jsonReader.ts';
import { isJsonArray, type JsonValue, memberNames } from '../core/jsonValue.ts';
import type { JsonParseOptions } from '../core/losslessJson.ts';
import { builtinSources } from '../sources/builtin.ts';
import { eventReadingLimits } from './eventSize.ts';
import { pushReadingLimits } from './loki/readJson.ts';
import { type NormaliseContext, normalise } from './normalise.ts';
import { decodeOtlp } from './otlp/decodeOtlp.ts';
import { exportReadingLimits } from './otlp/readJson.ts';
import { eventTerms } from './senderTerms.ts';
import { deliveryReadingLimits } from './webhook/deliveryReadingLimits.ts';

const limits = { eventBytesMax: 1000, eventsMax: 100_000 };

/** A list that holds far more than an event may. */
const heavy = `[${'[1,1],'.repeat(20_000)}1]`;
const heavyValues = 40_000;

const delivery = deliveryReadingLimits(
  {
    mapping: { events: ['data', 'items'], time: ['head', 'at'], message: ['head', 'text'], id: null },
    project: { kind: 'fixed', project: 'p' },
  },
  limits,
);
const wholeDelivery = deliveryReadingLimits(
  { mapping: { events: null, time: null, message: null, id: null }, project: { kind: 'fixed', project: 'p' } },
  limits,
);
const events = eventReadingLimits(limits);
const push = pushReadingLimits(limits);
const request = exportReadingLimits(limits);

function read(text: string, options: JsonParseOptions): JsonValue {
  const defaults = { duplicateKeys: 'last', depthMax: 200, areNamesCounted: true, aroundEvents: {} } as const;
  const infinite = Number.POSITIVE_INFINITY;
  return new JsonReader(text, {
    ...defaults,
    membersMax: infinite,
    elementsMax: infinite,
    inEventBytesMax: infinite,
    ...options,
  }).next();
}

function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  const within = isJsonArray(value) ? value : memberNames(value).map((name) => value[name] ?? null);
  return within.reduce<number>((sum, each) => sum + countValues(each), 1);
}

describe('what no event can hold is not kept', () => {
  test.each<[string, JsonParseOptions, string]>([
    ['an event', events, `[{"m":${heavy}}]`],
    ['a batch', events, `{"batch":[{"m":${heavy}}]}`],
    ['something beside a batch', events, `{"batch":[],"x":{"y":${heavy}}}`],
    ['the metadata of a line', push, `{"streams":[{"values":[["1","x",${heavy}]]}]}`],
    ['a line', push, `{"streams":[{"values":[${heavy}]}]}`],
    ['labels', push, `{"streams":[{"stream":{"a":${heavy}}}]}`],
    ['something beside streams', push, `{"x":${heavy},"streams":[]}`],
    ['a record', request, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${heavy}}]}]}]}`],
    ['attributes', request, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":${heavy}}]}]}]}`],
    ['a resource', request, `{"resourceLogs":[{"resource":{"attributes":${heavy}}}]}`],
    ['a scope', request, `{"resourceLogs":[{"scopeLogs":[{"scope":{"attributes":${heavy}}}]}]}`],
    ['something beside records', request, `{"resourceLogs":[{"scopeLogs":[{"x":${heavy}}]}]}`],
    ['an event of a delivery', delivery, `{"data":{"items":[{"m":${heavy}}]}}`],
    ['something beside events of a delivery', delivery, `{"data":{"items":[],"x":${heavy}}}`],
    ['the message of a delivery', delivery, `{"head":{"text":${heavy}}}`],
    ['a whole delivery', wholeDelivery, `{"m":${heavy}}`],
    ['an event of a delivery that is a list', wholeDelivery, `[{"m":${heavy}}]`],
  ])('of %s', (_what, options, text) => {
    expect(countValues(read(text, {}))).toBeGreaterThan(heavyValues);
    expect(countValues(read(text, options))).toBeLessThan(5_000);
  });
});

describe('what holds events has no limit of bytes', () => {
  const many = (text: string) => Array(500).fill(text).join();
  test.each<[string, JsonParseOptions, string]>([
    ['a list', events, `[${many('{"a":1}')}]`],
    ['a batch', events, `{"batch":[${many('{"a":1}')}]}`],
    ['streams', push, `{"streams":[${many('{"stream":{"a":"b"},"values":[["1","x"]]}')}]}`],
    ['lines', push, `{"streams":[{"stream":{},"values":[${many('["1","x",{"a":"b"}]')}]}]}`],
    ['records', request, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${many('{"body":{"stringValue":"x"}}')}]}]}]}`],
    ['scopes', request, `{"resourceLogs":[{"scopeLogs":[${many('{"logRecords":[{}]}')}]}]}`],
    ['resources', request, `{"resourceLogs":[${many('{"scopeLogs":[{"logRecords":[{}]}]}')}]}`],
    [
      'a delivery',
      delivery,
      `{"data":{"items":[${many('{"a":1}')}],"x":1},"head":{"y":[${'1,'.repeat(400)}1],"at":"x"}}`,
    ],
    ['a delivery that is a list', wholeDelivery, `[${many('{"a":[1]}')}]`],
  ])('as %s', (_what, options, text) => {
    expect(read(text, options)).toEqual(JSON.parse(text));
  });
});

const [source] = builtinSources;
if (source === undefined) throw new Error('there are no sources');
const context: NormaliseContext = {
  source,
  arrivalMicros: 1_777_629_630_000_000,
  defaultProject: 'p',
  projects: null,
  eventBytesMax: 1e6,
  oldestMicros: () => null,
  terms: eventTerms,
  randomness: { bytes: (count) => new Uint8Array(count) },
};

test('a log record that fits is read whole, however its values are written', async () => {
  const { value } = fc.letrec<{ value: object }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constant({}),
      fc.record({ stringValue: fc.string({ maxLength: 5 }) }),
      fc.record({ intValue: fc.integer() }),
      fc.record({ boolValue: fc.boolean() }),
      fc.constant({ arrayValue: {} }),
      fc.constant({ arrayValue: { values: [] } }),
      fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 12 }) }) }),
      fc
        .tuple(tie('value'), fc.integer({ max: 300, min: 100 }))
        .map(([each, count]) => ({ arrayValue: { values: Array(count).fill(each) } })),
      fc.record({
        kvlistValue: fc.record({
          values: fc
            .array(tie('value'), { maxLength: 12 })
            .map((values) => values.map((each, n) => ({ key: `${n}`, value: each }))),
        }),
      }),
    ),
  }));
  const decode = async (record: object, eventBytesMax: number) => {
    // The escape makes our own reader read it.
    const text = `{"x":"\\ud83d\\ude00","resourceLogs":[{"scopeLogs":[{"logRecords":[${JSON.stringify(record)}]}]}]}`;
    const bounds = { eventsMax: 10, eventBytesMax, expandedBytesMax: 1e9 };
    const [event] = (await decodeOtlp(Buffer.from(text), 'otlp_json', bounds)).events;
    return event;
  };
  await fc.assert(
    fc.asyncProperty(value, fc.array(value, { maxLength: 3 }), async (body, attributes) => {
      const named = attributes.map((each, n) => ({ key: `attribute ${n}`, value: each }));
      const text = { key: 'text', value: { stringValue: 'x'.repeat(400) } };
      const record = { timeUnixNano: '1777629630000000000', body, attributes: [...named, text] };
      const sent = await decode(record, 1e6);
      if (sent?.kind !== 'value') throw new Error('the record is not read');
      const whole = normalise(sent.value, context);
      if (whole.kind !== 'event') throw new Error('the record is not an event');
      expect(await decode(record, whole.bytes)).toEqual(sent);
    }),
    { numRuns: 300 },
  );
});
