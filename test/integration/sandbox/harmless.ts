/** A text that looks like an attack and is an ordinary query: it must give exactly these rows. */
export interface Harmless {
  readonly title: string;
  readonly sql: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The project of the call; one that has no events unless given. */
  readonly project?: string;
}

/** Keys that mean something to a path, a quote or a pattern. */
export const oddKeys = [
  'a"b',
  "c'd",
  'a.b',
  '*',
  '$',
  '[0]',
  '$.x',
  '#-1',
  '%',
  '/',
  '~0',
  '\\',
  'e\\"f',
  ' ',
  'ünï',
  '"',
  '""',
  '`',
];

const literal = (title: string, text: string, value: string): Harmless => ({
  title,
  sql: `select ${text} as x`,
  rows: [{ x: value }],
});

const alias = (name: string): Harmless => ({
  title: `the alias ${JSON.stringify(name)}`,
  sql: `select 1 as \`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\n', '\\n')}\``,
  rows: [{ [name]: 1 }],
});

export const harmless: readonly Harmless[] = [
  literal('two single quotes', `'a'' or 1=1 --'`, `a' or 1=1 --`),
  literal('an escaped quote', `'a\\' or 1=1 --'`, `a' or 1=1 --`),
  literal('an escaped backslash before an escaped quote', `'\\\\\\' or 1=1 --'`, `\\' or 1=1 --`),
  literal(
    'a double-quoted text with quotes and a semicolon',
    `"'; drop table edge_logs; --"`,
    `'; drop table edge_logs; --`,
  ),
  literal('an escaped double quote', `"\\"; drop"`, `"; drop`),
  literal('a triple-quoted text', `'''a'b''c; drop'''`, `a'b''c; drop`),
  literal('a raw text that ends in backslashes', `r'\\\\'`, '\\\\'),
  literal('a raw text with a quote', `r"'"`, "'"),
  literal('dollar signs and braces', `'$1 $$ \${x} {} {0} %s ?'`, `$1 $$ \${x} {} {0} %s ?`),
  literal('a text that names tables', `'sources.edge_logs'`, 'sources.edge_logs'),
  literal('comment marks in a text', `'/* -- # */'`, '/* -- # */'),
  literal('an escaped NUL', `'a\\x00b'`, 'a\u0000b'),
  literal('a NUL by its code point', `'a\\u0000b'`, 'a\u0000b'),
  literal('a line separator, an emoji and a combining mark', `'\u2028😀e\u0301'`, '\u2028😀e\u0301'),
  literal('a right-to-left override', `'\u202Edrop'`, '\u202Edrop'),
  literal('control characters', `'\\x01\\x1f\\x7f\\u009f'`, '\u0001\u001f\u007f\u009f'),
  literal('every kind of quote', `'\\'"\`\u2019'`, `'"\`\u2019`),
  literal('a quote in a function', `concat('a''b', "c\\"d")`, `a'bc"d`),
  literal('a quote in a replacement', `replace("a'b", "'", '"')`, 'a"b'),
  literal('a quote in a pattern', `regexp_replace("a'b", r"[']", '"')`, 'a"b'),
  literal('a percent sign in a pattern', `if("a%b" like r'a\\%b', "it's", 'no')`, "it's"),
  literal('a quote in a time format', `format_timestamp("'%Y;--", timestamp '2026-05-01')`, "'2026;--"),
  literal('a quote in a number format', `format("'%d'", 5)`, "'5'"),
  literal('a quote in a separator', `array_to_string(['a', 'b'], "','")`, "a','b"),
  { title: 'the parameter in a text', sql: `select '@project' as x`, rows: [{ x: '@project' }] },
  { title: 'a comment that hides the end', sql: 'select 1 as x -- from sources.edge_logs', rows: [{ x: 1 }] },
  { title: 'a hash comment', sql: 'select 1 as x # ; drop table edge_logs', rows: [{ x: 1 }] },
  { title: 'a comment in the middle', sql: 'select /* ; drop table edge_logs; */ 1 as x', rows: [{ x: 1 }] },
  { title: 'a comment that begins like its end', sql: 'select /*/ 2 */ 1 as x', rows: [{ x: 1 }] },
  { title: 'a comment with quotes', sql: `select 1 as x /* ' " \` */ , 2 as y -- '`, rows: [{ x: 1, y: 2 }] },
  { title: 'a trailing semicolon', sql: 'select 1 as x;', rows: [{ x: 1 }] },
  { title: 'carriage returns as line ends', sql: 'select 1 as x -- a\r, 2 as y', rows: [{ x: 1, y: 2 }] },
  ...[
    '"',
    '"; drop table x; --',
    "'",
    'a"b',
    '\\',
    '`',
    'c1',
    't1',
    'rowid',
    'a\nb',
    `\${x}`,
    '%',
    ' ',
    'select',
    '\u202E',
    '😀',
  ].map(alias),
  {
    title: 'an alias that looks generated, beside others',
    sql: 'with t1 as (select 1 as c1, 2 as c2) select c2 as c1, c1 as c2 from t1 as t2',
    rows: [{ c1: 2, c2: 1 }],
  },
  {
    title: 'a WITH table that shadows one of the endpoint, for its own text only',
    sql: "with edge_logs as (select 'mine' as id) select id, (select count(*) from database_logs) as n from edge_logs",
    rows: [{ id: 'mine', n: 0 }],
  },
  {
    title: 'a table alias with quotes',
    sql: `select \`a"b'c\`.x from (select 1 as x) as \`a"b'c\``,
    rows: [{ x: 1 }],
  },
  {
    title: 'struct members with quotes',
    sql: 'select struct(1 as `a"b`, 2 as `c\'d`) as s, struct(1 as `a"b`).`a"b` as v',
    rows: [{ s: { 'a"b': 1, "c'd": 2 }, v: 1 }],
  },
  {
    title: 'a JSON path with quotes',
    sql: `select json_value('{"a.b": 1, "a": {"b": 2}}', '$."a.b"') as x`,
    rows: [{ x: '1' }],
  },
  {
    title: 'members whose names are paths, patterns or quotes, each read by its own name',
    project: 'odd-keys',
    sql: `select ${oddKeys
      .map((key, i) => `m.\`${key.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\` as v${i}`)
      .join(', ')} from edge_logs t cross join unnest(t.metadata) m`,
    rows: [Object.fromEntries(oddKeys.map((_, i) => [`v${i}`, i]))],
  },
  {
    title: 'the same members by their full path, as text and as numbers',
    project: 'odd-keys',
    sql: `select ${oddKeys
      .map(
        (key, i) =>
          `cast(t.metadata.deep.\`${key.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\` as int64) + 0 as v${i}`,
      )
      .join(', ')} from edge_logs t`,
    rows: [Object.fromEntries(oddKeys.map((_, i) => [`v${i}`, i]))],
  },
];
