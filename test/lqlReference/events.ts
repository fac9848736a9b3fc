import type { Value, ValueObject } from './value.ts';

/** An event as the reference knows it. */
export interface LoggedEvent {
  readonly id: string;
  readonly micros: bigint;
  readonly project: string;
  readonly message: string;
  readonly metadata: ValueObject | null;
}

const second = 1_000_000n;
const minute = 60n * second;
const hour = 60n * minute;
const day = 24n * hour;

/** A Friday, in the middle of a day, an hour and a minute. */
export const now = BigInt(Date.UTC(2026, 4, 1, 12, 30, 30, 500)) * 1000n;
const at = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

/** Both sides of every edge that a word for a time has, and two events at one time. */
const times: readonly bigint[] = [
  now,
  now - 1n,
  now + 1n,
  now - 10n * second,
  now - 10n * second,
  now - 45n * second,
  now - 20n * minute,
  now - 2n * hour,
  now - 13n * hour,
  now + 2n * hour,
  now + 13n * hour,
  ...[
    '2026-05-01T12:30:00Z',
    '2026-05-01T12:00:00Z',
    '2026-05-01T00:00:00Z',
    '2026-04-30T00:00:00Z',
    '2026-04-27T00:00:00Z',
    '2026-04-20T00:00:00Z',
    '2026-04-01T00:00:00Z',
    '2026-01-01T00:00:00Z',
    '2025-01-01T00:00:00Z',
    '2024-02-29T10:00:00.250Z',
  ].flatMap((text) => [at(text), at(text) - 1n]),
  now - 4n * day,
  now - 400n * day,
  at('1969-12-31T23:59:59Z'),
];

/** What a member of metadata may hold in a log, and some that it should not. */
export const values: readonly Value[] = [
  200,
  404,
  500,
  0,
  -1,
  200.5,
  '200',
  '404',
  '5xx',
  '',
  'GET',
  'get',
  'é',
  '日本',
  '😀 up',
  '！',
  true,
  false,
  'true',
  null,
  9_007_199_254_740_993n,
  9_007_199_254_740_992n,
  -9_223_372_036_854_775_808n,
  9_223_372_036_854_775_807n,
  '9007199254740993',
  ' 7 ',
  '1e2',
  '0x10',
  'inf',
  '1_000',
  [],
  ['red', 'dark blue', 7],
  [7, '7', null, true],
  ['red', { x: 1 }],
  [['red'], 'blue'],
  [{ x: 1, status_code: 404, method: 'GET' }],
  [{ x: 1 }, { x: 2 }],
  [null],
  {},
  { x: 'GET' },
  { x: { y: 5 } },
  'NULL',
  'a "b" c',
  'C:\\temp',
  '(x) y',
  'error',
  'warning',
  '2026-05-01',
  'jane@example.com',
  '203.0.113.7',
  'red',
  'blue\nred',
  '-',
  '~x',
];

const messages: readonly string[] = [
  'GET | 200 | it\'s "fine"',
  'POST | 500 | timeout at C:\\temp',
  'get | 404 | Timeout',
  '',
  '日本 é 😀',
  '100%_done',
  'two\nlines',
  'from 203.0.113.7 by jane@example.com',
  '5',
  '-x ~y (z)',
  'NULL',
];

const of = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

/** Leaves out what is undefined. */
const members = (all: Readonly<Record<string, Value | undefined>>): ValueObject =>
  Object.fromEntries(Object.entries(all).filter((entry): entry is [string, Value] => entry[1] !== undefined));

/** Every member takes every value in one event, and which values meet depends on the seed. */
export function edgeEvents(seed: number): readonly LoggedEvent[] {
  return Array.from({ length: values.length + 6 }, (_, i): LoggedEvent => {
    const value = (n: number): Value | undefined => ((i + n) % 7 === 6 ? undefined : of(values, i * 1 + n * 11 + seed));
    // Hot members mostly hold what they are declared to hold.
    const method = i % 3 === 0 ? value(1) : of(['GET', 'POST', 'get', '', 'PUT'], i);
    const status = i % 3 === 1 ? value(2) : of([200, 404, 500, 301, 200.5, 9_007_199_254_740_993n], i);
    const time = i % 3 === 2 ? value(3) : of([0.5, 12, 200, 1e-7, 3], i);
    const request = of<Value | undefined>(
      [members({ method, path: value(4), url: value(5), headers: members({ host: value(6), x_real_ip: value(15) }) })],
      0,
    );
    const response = members({ status_code: status, origin_time: time });
    const whole: ValueObject = members({
      request: i % 9 === 4 ? value(7) : i % 9 === 5 && request !== undefined ? [request] : request,
      response: i % 9 === 6 ? value(8) : i % 9 === 7 ? [response] : response,
      n: value(9),
      s: value(10),
      tags: i % 2 === 0 ? of(values, i * 1 + 30 + seed) : of<Value>([['red', 7], ['7'], [], ['日本', true]], i),
      level: i % 2 === 0 ? value(12) : of(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'silly'], i),
      a: { b: { c: value(13) ?? null } },
      List: value(14),
    });
    return {
      id: `e${String((i * 7) % 100).padStart(2, '0')}`,
      micros: of(times, i * 5 + seed),
      project: i % 4 === 3 ? 'other' : 'own',
      message: of(messages, i + seed),
      metadata: i % 17 === 16 ? null : i % 17 === 15 ? {} : whole,
    };
  });
}

export function functionEvents(seed: number): readonly LoggedEvent[] {
  return Array.from({ length: 20 }, (_, i): LoggedEvent => {
    const project = i % 4 === 3 ? 'other' : 'own';
    const more = members({
      level: of<Value | undefined>(['info', 'error', 'debug', undefined, 'emergency', null, 'warning'], i),
      tags: of(values, i * 3 + seed),
      flag: of<Value>([true, false, 'true', 'FALSE', null, 1], i),
      event_type: of(['Log', 'Boot', ''], i),
    });
    return {
      id: `f${i}`,
      micros: of(times, i * 3 + seed),
      project,
      message: of(messages, i * 3 + seed),
      metadata: { project_ref: project, ...more },
    };
  });
}

const marks: readonly (readonly [string, string])[] = [
  ['jane@example.com', '[REDACTED:email]'],
  ['203.0.113.7', '[REDACTED:ip]'],
];

/** A value as a redacted call shows it. */
export function redacted<T extends Value>(value: T): T;
export function redacted(value: Value): Value {
  if (typeof value === 'string') return marks.reduce((text, [secret, mark]) => text.replaceAll(secret, mark), value);
  if (Array.isArray(value)) return value.map((each: Value) => redacted(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === 'x_real_ip' ? hidden(member) : redacted(member)]),
  );
}

/** What stands in a personal member: every text a mark, no number, the shape as it was. */
function hidden(value: Value): Value {
  if (typeof value === 'string') return '[REDACTED:ip]';
  if (typeof value === 'number' || typeof value === 'bigint') return null;
  if (Array.isArray(value)) return value.map((each: Value) => hidden(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hidden(member)]));
}
