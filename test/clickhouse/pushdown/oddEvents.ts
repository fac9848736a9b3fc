import type { GivenEvent } from './pushdownStore.ts';

/** Pseudorandom numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

/** Texts at the edges of what functions of texts, casts and patterns distinguish. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'abc',
  'abbc',
  'ABC',
  'a.c',
  'a%c',
  'a_c',
  'a\\c',
  'a\nc',
  'a\tb',
  "it's",
  '"quoted"',
  'é',
  'É',
  'e\u0301',
  'straße',
  '日本語',
  '😀b😀',
  'a\u0000b',
  '\u2028x',
  '/rest/v1/x',
  '/storage/v1?q=1',
  '0',
  '0.5',
  '-2.5',
  '1e308',
  '200',
  '+200',
  '-0',
  '007',
  ' 12 ',
  '\t12\n',
  '1.5',
  '.5',
  '5.',
  '-1e3',
  '+-1',
  '1e400',
  '1e-400',
  'inf',
  '-Infinity',
  '+nan',
  'NaN',
  '0x1F',
  '-0xff',
  '0x8000000000000000',
  '-0x8000000000000000',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '1_000',
  'true',
  'TRUE',
  'False',
  'null',
  '2026-05-01T10:00:00Z',
  '{"a":1}',
];

/** JSON texts of members. Numbers are tame: sums of them do not depend on their order. */
export const oddMembers: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-0.0',
  '1',
  '1.0',
  '1e0',
  '2.5',
  '-2.5',
  '0.25',
  '200',
  '200.0',
  '404',
  '500',
  '1e3',
  '9007199254740993',
  '9007199254740992.0',
  '1e-7',
  '0.00001',
  '1e15',
  '1e16',
  '12345678.5',
  '""',
  '"a"',
  '"A"',
  '"200"',
  '"200.0"',
  '" 1 "',
  '"true"',
  '"nan"',
  '"1_0"',
  '"é\\u00e9\\n\\"\\\\/"',
  '"\\u0000"',
  '"10.0.0.1"',
  '"/rest/v1"',
  '{}',
  '{"a":1.0}',
  '{"a":"x","b":[1,2]}',
  '[]',
  '[1]',
  '[{"a":2.0}]',
  '[{"a":"y"},{"a":"z"}]',
  '[null]',
  '[[{"a":1}]]',
];

/** JSON texts of arrays, and of values that count as one or are none. */
const oddArrays: readonly string[] = [
  '["a","join"]',
  '["join"]',
  '["jo\\u0069n","b"]',
  '["b"]',
  '["b",null]',
  '["join",null]',
  '[{"a":1},"b"]',
  '[["join"]]',
  '[]',
  '[null]',
  '[""]',
  '"join"',
  '{"join":1}',
  '{}',
  'null',
  '5',
  '[5]',
  '[5.0,"b"]',
  '["5"]',
  '["5_0",5e0]',
  '[-2.5,"x"]',
  '[0]',
  '[-0.0]',
  '[1e22]',
  '["nan","inf"]',
  '[9007199254740993]',
  '[9007199254740991]',
  '[true]',
  '["TRUE"]',
  '["true",false]',
  '["null"]',
  '["a\\nb"]',
  '["join",1e20]',
  '[[-1e20],"join"]',
  '[1e20]',
  '["TRUE",1e20]',
];

/** JSON texts of members below arrays of one object, and below others. */
const ways: readonly string[] = [
  '{"a":{"b":{"c":5}}}',
  '[{"a":{"b":{"c":5}}}]',
  '{"a":[{"b":{"c":5}}]}',
  '{"a":{"b":[{"c":5}]}}',
  '[{"a":[{"b":{"c":["x"]}}]}]',
  '[{"a":{"b":[{"c":["x",5]}]}}]',
  '{"a":[{"b":[{"c":"x"}]}]}',
  '[{"a":[{"b":[{"c":5.0}]}]}]',
  '[{"a":[{"b":[{"c":6},{"c":5}]}]}]',
  '[[{"a":{"b":{"c":5}}}]]',
  '[{"a":{"b":{"c":null}}},{}]',
];

/** JSON texts of scalars of which no two are equal in the order of nested values. */
const tags: readonly string[] = [
  'null',
  '1',
  '1.5',
  '-3',
  '10',
  '9',
  '9007199254740993',
  '9007199254740992',
  '1e22',
  '"10"',
  '"9"',
  '"a"',
  '"B"',
  '""',
  'true',
  'false',
];

const instants: readonly number[] = [
  0,
  -1,
  1,
  Date.UTC(2026, 4, 1, 10) * 1000,
  Date.UTC(2026, 4, 1, 10) * 1000,
  Date.UTC(2026, 4, 1, 10, 59, 59, 999) * 1000 + 999,
  Date.UTC(2026, 4, 3) * 1000,
  Date.UTC(2026, 4, 2, 23, 59, 59) * 1000,
  Date.UTC(2026, 11, 31, 23) * 1000,
  Date.UTC(2027, 0, 1) * 1000,
  Date.UTC(2024, 1, 29, 12) * 1000,
  Date.UTC(1969, 6, 20, 20, 17) * 1000,
  Date.UTC(1899, 11, 31, 23, 59, 59) * 1000,
  Date.UTC(1900, 0, 1) * 1000,
  Date.UTC(1750, 2, 15, 3) * 1000,
  Date.UTC(2200, 6, 4) * 1000,
  Date.UTC(2254, 2, 1) * 1000 + 7,
];

/**
 * Events of two projects with odd texts, members and times. `isRegular`: the typed columns of the source hold what metadata
 * holds; otherwise, some events are irregular, so that members are read from metadata.
 */
export function oddEvents(seed: number, count: number, isRegular: boolean): readonly GivenEvent[] {
  const random = randomOf(seed);
  const member = () => pick(random, oddMembers);
  const isOdd = () => !isRegular && random() < 0.06;
  const text = () => JSON.stringify(pick(random, oddTexts));
  const whole = () =>
    pick(random, ['100', '200', '301', '404', '500', '-5', '9223372036854775807', 'null', isRegular ? '7' : '"200"']);
  const object = (...members: readonly (readonly [string, () => string])[]) =>
    `{${members
      .filter(() => random() < 0.8)
      .map(([name, value]) => `${JSON.stringify(name)}:${value()}`)
      .join(',')}}`;
  const request = () =>
    isOdd()
      ? member()
      : object(
          ['method', () => pick(random, ['"GET"', '"POST"', '"get"', 'null', isRegular ? '"PUT"' : '1'])],
          ['path', text],
          ['url', text],
          [
            'headers',
            () => (random() < 0.2 ? member() : object(['x_real_ip', member], ['a', member], ['we.ird', member])),
          ],
          ['odd', member],
        );
  const response = () => (isOdd() ? member() : object(['status_code', whole], ['origin_time', member], ['a', member]));
  const metadata = () => {
    if (random() < 0.08) return null;
    return object(
      ['request', request],
      ['response', response],
      ['auth_event', () => (random() < 0.3 ? member() : object(['actor_username', member], ['action', text]))],
      [
        'execution_time_ms',
        () => pick(random, ['1', '2.5', '1000', '0.25', '17', '17.0', 'null', '-3', isRegular ? '5' : '"5"', '250']),
      ],
      ['x', member],
      ['deep', () => (random() < 0.3 ? member() : object(['a', () => object(['b', member], ['a', member])]))],
    );
  };
  return Array.from({ length: count }, (_, i) => ({
    id: `id${i}${random() < 0.2 ? 'é' : ''}`,
    timestampMicros: pick(random, instants) + (random() < 0.3 ? Math.floor(random() * 1e10) : 0),
    project: random() < 0.8 ? 'p' : 'q',
    eventMessage: pick(random, oddTexts),
    metadata: withTags(metadata(), i),
  }));
}

/** Adds members that repeat by the position of an event, so that the rest of it stays as random as it was. */
function withTags(metadata: string | null, i: number): string | null {
  if (metadata === null || i % 5 === 4) return metadata;
  const separator = metadata === '{}' ? '' : ',';
  const added = `"tags":${oddArrays[i % oddArrays.length]},"tag":${tags[i % tags.length]},"way":${ways[i % ways.length]}`;
  return `${metadata.slice(0, -1)}${separator}${added}}`;
}
