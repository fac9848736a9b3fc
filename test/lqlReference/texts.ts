import fc from 'fast-check';
import { values } from './events.ts';
import { textOf } from './value.ts';

/** Texts in LQL over the tables of the comparison: every line of the grammar, in every spelling, most of them with an answer. */

type Text = fc.Arbitrary<string>;

const oneOf = (...choices: readonly string[]): Text => fc.constantFrom(...choices);
const joined = (...parts: readonly Text[]): Text => fc.tuple(...parts).map((each) => each.join(''));
const weighted = (...choices: readonly (readonly [number, Text])[]): Text =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const memberPath = joined(
  oneOf('m.', 'm.', 'metadata.', 'Metadata.'),
  oneOf(
    'request.method',
    'request.path',
    'request.url',
    'request.headers.host',
    'request.headers.x_real_ip',
    'request.headers',
    'request',
    'response.status_code',
    'response.origin_time',
    'response',
    'n',
    's',
    'tags',
    'level',
    'a.b.c',
    'a.b.c.x',
    'a',
    'List',
    'list',
    'n.x',
    's.x.y',
    'tags.x',
    'request.x',
    'flag',
    'event_type',
    'nothing',
    'timestamp',
    '0',
  ),
);
const columnPath = weighted(
  [8, oneOf('id', 'event_message', 'metadata')],
  [2, oneOf('ID', 'Event_Message', 'timestamp')],
  [1, oneOf('m', 't', 's', 'c', 'f', 'nothing')],
);
const typedPath = weighted(
  [20, oneOf('name', 'n', 'half', 'young', 'words', 'c', 'N')],
  [1, columnPath],
  [1, memberPath],
);

type Kind = 'log' | 'typed' | 'timed' | 'odd';
const paths: Readonly<Record<Kind, Text>> = {
  log: weighted([30, memberPath], [6, columnPath], [1, typedPath]),
  typed: typedPath,
  odd: weighted([20, oneOf('t', 's', 'm', 'f', 'chart', 'timestamp', 'id', 'm.n')], [1, columnPath]),
  timed: weighted([8, oneOf('n', 'id', 'event_message', 'N', 'n.x')], [1, columnPath]),
};

const texts = [...new Set(values.flatMap((value) => textOf(value) ?? [])), 'e21', 'Log', 'Boot', 'PUT', 'timeout'];
const quote = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

/** A text as a value: in quotes, in parentheses or bare, where it can be. */
const spelled = (text: string): Text => {
  const spellings = [quote(text)];
  // A backslash before anything else need not be doubled.
  if (!/["]|\\$|\\\\/.test(text)) spellings.push(`"${text}"`);
  if (!text.includes(')')) spellings.push(`(${text})`);
  if (/^[A-Za-z0-9_-]+$/.test(text)) spellings.push(text, text);
  return oneOf(...spellings);
};
const textValue: Text = fc.constantFrom(...texts).chain(spelled);
const number = oneOf(
  '200',
  '404',
  '0',
  '-1',
  '200.5',
  '500',
  '7',
  '007',
  '-0',
  '100',
  '1000',
  '5.0',
  '16',
  '0.5',
  '12',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '0.0000001',
  '2026',
);
const pattern = oneOf(
  '^GET',
  'e$',
  '[0-9]+',
  '(?i)get',
  'a.c',
  '\\d+',
  'é',
  '^$',
  '日本',
  'red',
  '^dark',
  't.o',
  'x|y',
  '.',
  '[45]..',
  'lines',
  '^.*$',
  '(',
  '[a',
  '*',
  '5',
  'NULL',
  'true',
  'REDACTED',
  'example',
  '203',
).chain((each) =>
  oneOf(
    quote(each),
    `"${each}"`,
    ...(each.includes(')') ? [] : [`(${each})`]),
    ...(/^[A-Za-z0-9_-]+$/.test(each) ? [each] : []),
  ),
);
const rangeEnd: Text = weighted([3, number], [2, textValue.filter((text) => !text.startsWith('('))]);
const range = fc.tuple(rangeEnd, rangeEnd).map((ends) => ends.join('..'));
const constant = oneOf('NULL', 'NULL', 'true', 'false', 'null', 'TRUE');
const level = oneOf(
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
  '"info"',
  '"error"',
);

const comparison = oneOf(':', ':', ':', ':>=', ':<=', ':>', ':<');
const field = (kind: Kind): Text => {
  const path = paths[kind];
  return weighted(
    [4, joined(path, comparison, number)],
    [4, joined(path, comparison, textValue)],
    [3, joined(path, oneOf(':'), constant)],
    [3, joined(path, oneOf(':'), range)],
    [3, joined(path, oneOf(':~', ':@>~'), pattern)],
    [3, joined(path, oneOf(':@>'), weighted([3, number], [6, textValue], [1, constant]))],
    // Mostly refused.
    [1, joined(path, oneOf(':>', ':~', ':@>', ':@>~', ':<='), weighted([1, range], [1, constant], [1, number]))],
    [kind === 'log' ? 2 : 0, joined(oneOf('m.level:', 'metadata.level:'), level, oneOf('..'), level)],
  );
};

const point = oneOf(
  '2026-05-01',
  '2026-05-01T12:30:20.500Z',
  '2026-05-01T12:00:00',
  '2026-05-01T14:30:00+02:00',
  '2026-04-30T23:59:59.999999Z',
  '2026-05-01T00:00:00-11:30',
  '1777636800',
  '1777636800123',
  '1777638630500000',
  '2024-02-29T10:00:00.25Z',
  '2026-02-30',
  '2026-05-01T24:00:00',
  '0001-01-01',
  '9999-12-31',
  '0000-01-01',
  '1000000000',
  '2026-05-01T12:30:30.500000+14:00',
);
const unit = oneOf(
  's',
  'm',
  'h',
  'd',
  'w',
  'mm',
  'y',
  'second',
  'seconds',
  'minute',
  'hours',
  'day',
  'weeks',
  'month',
  'months',
  'year',
  'years',
);
const braces = oneOf(
  '2026-04-{07..30}T00:{00..40}:00Z',
  '2026-{04..05}-01',
  '{2024..2026}-01-01',
  '2026-05-01T{10..12}:{00..30}:{00..20}.500Z',
  '2026-05-01T12:30:30.{1..500000}Z',
  '2026-05-{01..31}',
  '2026-0{4..5}-01',
  '2026-02-{01..30}',
  '2026-05-{02..01}',
  '2026-05-01T{00..12}:00:00+02:00',
);
const span = weighted(
  [2, fc.tuple(point, point).map((ends) => ends.join('..'))],
  [2, braces],
  [2, oneOf('today', 'yesterday')],
  [2, joined(oneOf('this@'), unit)],
  [4, joined(oneOf('last@'), oneOf('', '0', '1', '2', '15', '30', '0012', '9999'), unit)],
);
const timeName = oneOf('t', 'timestamp');
const time = weighted(
  [3, joined(timeName, comparison, weighted([3, point], [1, oneOf('now')]))],
  [4, joined(timeName, oneOf(':', ':', ':', ':', ':', ':', ':>=', ':>=', ':<', ':<', ':>', ':<='), span)],
);

const word = oneOf(
  'GET',
  'timeout',
  "it's",
  '100%_done',
  '日本',
  '😀',
  '5',
  '-x',
  '~y',
  'é',
  '(z)',
  '|',
  '\\',
  'C',
  'NULL',
  'm.x',
  'from',
  '203.0.113.7',
  '[REDACTED',
  'x..y',
  '@',
  '*',
);
const quotedText = oneOf('two\nlines', 'it\'s "fine"', 'C:\\temp', ' | ', '', '~y', 'f:x', '\\', '\\"').chain((text) =>
  oneOf(quote(text), ...(/["]|\\$|\\\\/.test(text) ? [] : [`"${text}"`])),
);
const textFilter = weighted(
  [3, word],
  [2, quotedText],
  [2, pattern.filter((each) => !each.startsWith('(')).map((each) => `~${each}`)],
);

const filter = (kind: Kind): Text => {
  const isLog = kind === 'log' || kind === 'timed';
  return joined(
    oneOf('', '', '-'),
    weighted([isLog ? 10 : 20, field(kind)], [isLog ? 5 : 1, time], [isLog ? 4 : 1, textFilter]),
  );
};

const select = (kind: Kind): Text =>
  joined(
    oneOf('s:', 'select:'),
    weighted(
      [1, oneOf('*')],
      [5, paths[kind]],
      [2, joined(paths[kind], oneOf('@'), oneOf('x', 'id', 'timestamp', 'x_1', '_', 'edge', 'TypeD', '1x'))],
    ),
  );
const aggregate = (kind: Kind): Text =>
  joined(
    oneOf('c:', 'chart:'),
    weighted(
      [6, oneOf('count(*)')],
      [
        30,
        joined(
          oneOf('avg', 'countd', 'count', 'sum', 'max', 'min', 'p50', 'p95', 'p99'),
          oneOf('('),
          paths[kind],
          oneOf(')'),
        ),
      ],
      [1, oneOf('avg(*)', 'median(m.n)', 'group_by(t::week)')],
    ),
  );
const period = joined(
  oneOf('c:', 'chart:'),
  oneOf('group_by('),
  timeName,
  oneOf('::'),
  oneOf('second', 's', 'minute', 'm', 'hour', 'h', 'day', 'd'),
  oneOf(')'),
);

const space = oneOf(' ', ' ', '  ', '\n', '\t', '\r\n');

function query(table: string, kind: Kind): Text {
  const from = weighted(
    [40, oneOf(`f:${table}`, `from:${table}`, `f:${table.toUpperCase()}`)],
    [1, oneOf('f:none', '')],
  );
  const filters = fc.array(filter(kind), { maxLength: 3 });
  const isLog = kind === 'log' || kind === 'timed';
  const shape = fc.oneof(
    { weight: 20, arbitrary: fc.constant<string[]>([]) },
    { weight: 16, arbitrary: fc.array(select(kind), { minLength: 1, maxLength: 4 }) },
    { weight: isLog ? 8 : 1, arbitrary: fc.tuple(aggregate(kind)) },
    { weight: isLog ? 3 : 0, arbitrary: fc.tuple(period) },
    { weight: isLog ? 16 : 1, arbitrary: fc.tuple(aggregate(kind), period) },
    { weight: 1, arbitrary: fc.tuple(aggregate(kind), select(kind)) },
  );
  return fc
    .tuple(from, filters, shape, space, fc.boolean())
    .map(([of, some, more, between, isLast]) =>
      (isLast ? [...some, ...more, of] : [of, ...more, ...some]).filter((clause) => clause !== '').join(between),
    );
}

export const lqlText: Text = weighted(
  [6, query('edge', 'log')],
  [2, query('own_edge', 'log')],
  [3, query('work', 'log')],
  [3, query('typed', 'typed')],
  [2, query('timed', 'timed')],
  [1, query('odd', 'odd')],
  [2, oneOf('metadata', 'timestamp', 'element', 'chart', 'count').chain((table) => query(table, 'log'))],
);
