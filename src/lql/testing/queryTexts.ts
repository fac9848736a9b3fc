import fc from 'fast-check';
import { levels } from '../query.ts';

/** Random texts of the grammar of lql.md, for property tests. */

const name = fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/);
const path = fc
  .tuple(fc.constantFrom('', 'm.', 'metadata.', 't.', 'timestamp.'), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([prefix, steps]) => `${prefix}${steps.join('.')}`);
const starOrPath = fc.oneof(fc.constant('*'), path);

const anything = fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', '\\d', ':', ' ', '~', '-', '.'), fc.string()) });
const quoted = anything.map((text) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`);
const carelesslyQuoted = fc.constantFrom('"\\d+"', '"a\\\\b"', '"\\""', '"x\\ny"', '""');
const parenthesised = fc.stringMatching(/^[^)]{0,8}$/).map((text) => `(${text})`);
const number = fc.stringMatching(/^-?\d{1,17}(?:\.\d{1,4})?$/);
const bareText = fc.stringMatching(/^[A-Za-z0-9_-]{1,9}$/);
const rangeEnd = fc.oneof(number, bareText, quoted);
const range = fc.tuple(rangeEnd, rangeEnd).map(([from, to]) => `${from}..${to}`);
const plainValue = fc.oneof(number, bareText, quoted, carelesslyQuoted, parenthesised);

const field = fc.oneof(
  fc.tuple(path, fc.constantFrom(':', ':>=', ':<=', ':>', ':<', ':@>'), plainValue).map((parts) => parts.join('')),
  fc.tuple(path, fc.constantFrom(':~', ':@>~'), plainValue).map((parts) => parts.join('')),
  fc.tuple(path, fc.oneof(range, fc.constantFrom('NULL', 'true', 'false'))).map(([at, value]) => `${at}:${value}`),
);

const pad = (digits: number) => (value: number) => String(value).padStart(digits, '0');
const date = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => `${pad(4)(year)}-${pad(2)(month)}-${pad(2)(day)}`);
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map(pad(2)).join(':'));
const fraction = fc.stringMatching(/^(?:\.\d{1,6})?$/);
const zone = fc.constantFrom('', 'Z', '+02:00', '-11:30');
const unix = fc.constantFrom('1777636800', '1777636800123', '1777636800123456');
const instant = fc.oneof(
  date,
  fc.tuple(date, clock, fraction, zone).map(([day, time, part, offset]) => `${day}T${time}${part}${offset}`),
  unix,
);
const unit = fc.constantFrom('s', 'm', 'h', 'd', 'w', 'mm', 'y', 'second', 'minutes', 'hour', 'days', 'week', 'years');
const period = fc.oneof(
  fc.tuple(instant, instant).map(([from, to]) => `${from}..${to}`),
  fc.constantFrom('2026-04-{07..09}T00:{00..40}:00Z', '{2025..2026}-01-01', '2026-04-07T{00..23}:00:00.{5..7}+01:00'),
  fc.constantFrom('today', 'yesterday'),
  unit.map((each) => `this@${each}`),
  fc.tuple(fc.stringMatching(/^\d{0,4}$/), unit).map(([count, each]) => `last@${count}${each}`),
);
const timeName = fc.constantFrom('t', 'timestamp');
const time = fc.oneof(
  fc.tuple(timeName, fc.constantFrom(':', ':>=', ':<=', ':>', ':<'), fc.oneof(instant, fc.constant('now'))),
  fc.tuple(timeName, fc.constantFrom(':', ':>=', ':<'), period),
);

const word = fc.stringMatching(/^[^\s":-][^\s":]{0,8}$/);
const text = fc
  .tuple(fc.constantFrom('', '~'), fc.oneof(word, quoted, carelesslyQuoted))
  .map((parts) => parts.join(''));
const level = fc
  .tuple(fc.constantFrom('m', 'metadata'), fc.constantFrom(...levels), fc.constantFrom(...levels))
  .map(([of, from, to]) => `${of}.level:${from}..${to}`);

const filter = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      field,
      time.map((parts) => parts.join('')),
      level,
      text,
    ),
  )
  .map((parts) => parts.join(''));
const select = fc
  .tuple(
    fc.constantFrom('s', 'select'),
    fc.oneof(
      starOrPath,
      fc.tuple(path, name).map(([at, as]) => `${at}@a${as}`),
    ),
  )
  .map((parts) => parts.join(':'));
const from = fc
  .tuple(fc.constantFrom('f', 'from'), fc.stringMatching(/^[A-Za-z0-9_.-]{1,9}$/))
  .map((parts) => parts.join(':'));
const aggregate = fc
  .tuple(
    fc.constantFrom('c', 'chart'),
    fc.constantFrom('avg', 'countd', 'count', 'sum', 'max', 'min', 'p50', 'p95', 'p99'),
    path,
  )
  .map(([prefix, fn, at]) => `${prefix}:${fn}(${at})`);
const chartPeriod = fc
  .tuple(
    fc.constantFrom('c', 'chart'),
    timeName,
    fc.constantFrom('s', 'second', 'm', 'minute', 'h', 'hour', 'd', 'day'),
  )
  .map(([prefix, of, each]) => `${prefix}:group_by(${of}::${each})`);

const space = fc.constantFrom(' ', '  ', '\n', '\t ');

/** A query that parses, unless a random path or value makes it one that the rules refuse. */
export const queryText = fc
  .tuple(
    fc.array(fc.oneof({ weight: 6, arbitrary: filter }, { weight: 1, arbitrary: select }), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.option(from),
    fc.option(fc.oneof(aggregate, fc.constant('c:count(*)'))),
    fc.option(chartPeriod),
    space,
  )
  .map(([clauses, ...rest]) => [...clauses, ...rest.slice(0, 3).filter((each) => each !== null)].join(String(rest[3])));
