import { randomUUID } from 'node:crypto';
import { parseQuery } from '../../src/googlesql/syntax/parser.ts';
import type { HoldCase } from './holdCase.ts';
import type { HoldAnswer, HoldClient } from './holdClient.ts';

const textBytes = 64 * 1024;
const redacted = { 'svc-endpoint-redact-pii': 'true' };

/** A text of 64 KiB: as many parts as fit between a beginning and an end. */
function text(beginning: string, part: (n: number) => string, end: string): string {
  let result = beginning + part(0);
  for (let n = 1; ; n++) {
    const next = part(n);
    if (result.length + next.length + end.length > textBytes) return result + end;
    result += next;
  }
}

/** As many parts between a beginning and an end as a query may have. */
function largest(beginning: string, part: (n: number) => string, end: string): string {
  const of = (count: number) => beginning + Array.from({ length: count }, (_, n) => part(n)).join('') + end;
  let readable = 1;
  for (let beyond = textBytes; beyond - readable > 1; ) {
    const middle = Math.floor((readable + beyond) / 2);
    if (isRead(of(middle))) readable = middle;
    else beyond = middle;
  }
  return of(readable);
}

function isRead(sql: string): boolean {
  try {
    parseQuery(sql);
    return true;
  } catch {
    return false;
  }
}

/** The slowest queries that are not rejected for their size. */
const largestQueries: Readonly<Record<string, () => string>> = {
  conditions: () => largest('select id from edge_logs where true', (n) => ` and id<>'${n}'`, ' limit 1'),
  'conditions of one or another': () =>
    largest('select id from edge_logs where true', (n) => ` or id='${n}'`, ' limit 1'),
  BETWEEN: () =>
    largest('select id from edge_logs where true', (n) => ` and length(id) between ${n} and ${n + 1}`, ' limit 1'),
  CASE: () => largest('select case', (n) => ` when id='${n}' then ${n}`, ' end as x from edge_logs limit 1'),
  'WITH tables': () => largest('with a as (select 1 as x)', (n) => `,t${n} as (select 1 as x)`, ' select x from a'),
  'a union of tables': () => largest('select id from edge_logs', () => ' union all select id from edge_logs', ''),
  'a union BY NAME': () => largest('select 1 as x', () => ' union all by name select 1 as x', ''),
  'LIKE ANY': () =>
    largest("select id from edge_logs where event_message like any ('x'", (n) => `,'%${n}'`, ') limit 1'),
  'LIKE ANY UNNEST': () =>
    largest("select id from edge_logs where event_message like any unnest(['x'", (n) => `,'%${n}'`, ']) limit 1'),
  'a STRUCT as a key': () =>
    largest('select count(*) as n from edge_logs group by struct(id', (n) => `,length(id)+${n}`, ')'),
  'a step of ROLLUP': () =>
    largest('select count(*) as n from edge_logs group by rollup((id', (n) => `,length(id)+${n}`, '))'),
  'keys of groups': () => largest('select count(*) as n from edge_logs group by id', (n) => `,length(id)+${n}`, ''),
  'keys of an order': () => largest('select id from edge_logs order by id', (n) => `,length(id)+${n}`, ' limit 1'),
  'adjacent literals': () => largest("select 'a'", () => " 'b'", ' as x'),
  'a concatenation': () => largest('select concat(id', () => ",'a'", ') as x from edge_logs limit 1'),
  calls: () => largest('select concat(id', () => ',upper(id)', ') as x from edge_logs limit 1'),
  'an array': () => largest('select [1', () => ',1', '] as x'),
  // Last, because the engine takes too long to plan it, and a caller who ends the engine is held back.
  subqueries: () =>
    largest('select id from edge_logs where true', () => ' and id in (select id from auth_logs)', ' limit 1'),
};

const queries: Readonly<Record<string, () => string>> = {
  'a sum': () => text('select 1', () => '+1', ' as x from edge_logs'),
  'a select list': () => text('select id', (n) => `,id as c${n}`, ' from edge_logs limit 1'),
  'a list of texts': () => text("select id from edge_logs where id in ('x'", (n) => `,'${n}'`, ')'),
  members: () => text('select id', (n) => `,m.a${n}.b`, ' from edge_logs cross join unnest(metadata) as m limit 1'),
  conditions: () => text('select id from edge_logs where true', (n) => ` and id<>'${n}'`, ' limit 1'),
  'conditions of one or another': () => text('select id from edge_logs where true', (n) => ` or id='${n}'`, ' limit 1'),
  CASE: () => text('select case', (n) => ` when id='${n}' then ${n}`, ' end as x from edge_logs limit 1'),
  'WITH tables': () => text('with a as (select 1 as x)', (n) => `,t${n} as (select 1 as x)`, ' select x from a'),
  'a union': () => text('select 1 as x', () => ' union all select 1', ''),
  joins: () => text('select 1 as x from edge_logs a', (n) => ` join edge_logs b${n} on true`, ''),
  calls: () => text('select concat(id', () => ',upper(id)', ') as x from edge_logs limit 1'),
  'a long name': () => `select ${'x'.repeat(textBytes - 100)} from edge_logs`,
  'a long text': () => `select '${'x'.repeat(textBytes - 100)}' as x`,
  'a long comment': () => `select 1 as x /*${'*'.repeat(textBytes - 100)}`,
  spaces: () => `select 1 as x ${' '.repeat(textBytes - 100)} from`,
  brackets: () => '('.repeat(textBytes),
  'an array': () => text('select [1', () => ',1', '] as x'),
  'a struct': () => text('select struct(1 as a', (n) => `,${n} as a${n}`, ') as x'),
  pipes: () => text('from edge_logs', (n) => `|> extend 1 as e${n}`, ''),
  escapes: () => `select '${'\\n'.repeat(textBytes / 2 - 100)}' as x`,
};

const lql: Readonly<Record<string, () => string>> = {
  words: () => text('a', () => ' a', ''),
  fields: () => text('m.a:1', (n) => ` m.a${n}:${n}`, ''),
  'a long field': () => `m.${'x'.repeat(textBytes - 100)}:1`,
  'an expression': () => `~"${'a?'.repeat(textBytes / 2 - 100)}"`,
};

/** Rows of events with long texts, so that an answer has the maximum size. */
const longTexts: Readonly<Record<string, string>> = {
  plain: 'GET /rest/v1/items 200 ok from the edge ',
  addresses: '203.0.113.7 ',
  'e-mail addresses': 'jane.doe@example.com ',
  encoded: 'a%40b.example%20',
  'at signs': 'a@',
  digits: '1.2.3.',
  hyphens: '1-2-3-',
  colons: 'ab:',
  gaps: '1::',
  quotes: '"a":',
  escapes: '\\\\n',
  slashes: '//a:',
  brackets: '[{',
  words: 'Bearer ',
  prefixes: 'lm_a',
  eyJ: 'eyJ.',
  'nested JSON': '{"a":"b c d e f"} ',
};

const longTextChars = 900_000;

function filled(part: string): string {
  return part.repeat(Math.floor(longTextChars / part.length));
}

async function sendLongTexts(client: HoldClient, project: string, part: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const answer = await client.json('POST', '/api/logs?source=edge_logs', [
      { project, id: `${project}-${n}`, event_message: filled(part) },
    ]);
    if (answer.status !== 200) throw new Error(`a long text was answered with ${answer.status} ${answer.code}`);
  }
}

const projectOf = (name: string) => `long-${name.replaceAll(/\W/g, '-')}`;

function storedRows(name: string, part: string, headers: Readonly<Record<string, string>>): HoldCase {
  const project = projectOf(name);
  return {
    name: `stored rows of long texts: ${name}${headers === redacted ? ', redacted' : ''}`,
    prepare: (client) => (headers === redacted ? sendLongTexts(client, project, part, 4) : Promise.resolve()),
    run: (client) => client.call('logs.all', { project }, headers),
  };
}

const manyEndpoints = 1000;

const endpointName = (n: number) => `bench.${'endpoint'.repeat(8)}-${n}`;

async function makeEndpoints(client: HoldClient): Promise<void> {
  const definitions = Array.from({ length: manyEndpoints }, (_, n) => ({
    id: randomUUID(),
    name: endpointName(n),
    query: `select ${n} as n, @project as p`,
    parameters: { project: { type: 'string' } },
  }));
  for (let from = 0; from < manyEndpoints; from += 100) {
    const answer = await client.json('POST', '/api/endpoints/deploy', {
      definitions: definitions.slice(from, from + 100),
    });
    if (answer.status !== 200)
      throw new Error(`definitions were answered with ${answer.status} ${answer.code}: ${answer.detail}`);
  }
}

const columnsQuery = () =>
  `with t as (select ${Array.from({ length: 900 }, (_, n) => `1 as ${'c'.repeat(50)}${n}`).join(',')}) select ${'d'.repeat(50)} from t`;

/** Calls and queries that may make the service work long. */
export const callCases: readonly HoldCase[] = [
  ...Object.entries(queries).map(
    ([name, sql]): HoldCase => ({
      name: `SQL of 64 KiB: ${name}`,
      run: (client) => client.call('logs.all', { project: 'own', sql: sql() }),
    }),
  ),
  ...Object.entries(largestQueries).flatMap(([name, sql]): readonly HoldCase[] => [
    {
      name: `the largest SQL that is read: ${name}`,
      run: (client) => client.call('logs.all', { project: 'own', sql: sql() }),
    },
    {
      name: `a dry run of it: ${name}`,
      run: (client) => client.call('logs.all', { project: 'own', dry_run: 'true', sql: sql() }),
    },
  ]),
  ...Object.entries(lql).map(
    ([name, of]): HoldCase => ({
      name: `LQL of 64 KiB: ${name}`,
      run: (client) => client.call('logs.all', { project: 'own', lql: of() }),
    }),
  ),
  {
    name: 'an unknown column beside 900',
    run: (client) => client.call('logs.all', { project: 'own', sql: columnsQuery() }),
  },
  ...Object.entries(longTexts).map(([name, part]) => storedRows(name, part, redacted)),
  {
    name: 'an answer of 64 MiB',
    prepare: (client) => sendLongTexts(client, 'large', 'x', 66),
    run: (client) => client.call('logs.all', { project: 'large' }),
  },
  { name: 'an answer of 64 MiB, redacted', run: (client) => client.call('logs.all', { project: 'large' }, redacted) },
  {
    name: 'an answer of 64 MiB, gzipped',
    run: (client) => client.call('logs.all', { project: 'large' }, { 'accept-encoding': 'gzip' }),
  },
  {
    name: 'an answer of 64 MiB, brotli',
    run: (client) => client.call('logs.all', { project: 'large' }, { 'accept-encoding': 'br' }),
  },
  {
    name: 'an unknown endpoint among 1,000',
    prepare: makeEndpoints,
    run: (client) => client.call(`bench.${'endpiont'.repeat(8)}-x`, {}),
  },
  {
    name: 'an unknown endpoint by an id among 1,000',
    run: (client) => client.call('d9a2e433-3286-44d9-a3b2-000000000000', {}),
  },
  { name: 'the list of 1,000 endpoints', run: (client) => client.send('GET', '/api/endpoints') },
  { name: 'OpenAPI of 1,000 endpoints', run: (client) => client.send('GET', '/openapi.json') },
  {
    name: 'metrics after 1,000 endpoints were called',
    prepare: callEach,
    run: (client) => client.send('GET', '/metrics'),
  },
  { name: 'the audit trail', run: (client) => client.send('GET', '/api/audit?limit=1000') },
  {
    name: 'a definition of 16 MiB',
    run: (client) => client.json('POST', '/api/endpoints', { name: 'x.y', query: 'x'.repeat(16_000_000) }),
  },
  {
    name: 'a definition of members',
    run: (client) =>
      client.json(
        'POST',
        '/api/endpoints',
        Object.fromEntries(Array.from({ length: 1_000_000 }, (_, n) => [`k${n}`, 1])),
      ),
  },
  { name: 'parameters of the longest query string', run: manyParameters },
  { name: 'a path of slashes', run: (client) => client.send('GET', '/'.repeat(120_000)) },
  {
    name: 'a token of a large body',
    run: (client) =>
      client.json('POST', '/api/tokens', {
        description: 'x',
        scopes: Array.from({ length: 100_000 }, (_, n) => `q${n}`),
      }),
  },
];

async function callEach(client: HoldClient): Promise<void> {
  for (let n = 0; n < manyEndpoints; n++) await client.call(endpointName(n), { project: 'own' });
}

function manyParameters(client: HoldClient): Promise<HoldAnswer> {
  const query = Array.from({ length: 12_000 }, (_, n) => `p${n}=1`).join('&');
  return client.send('GET', `/api/endpoints/query/logs.all?${query}`);
}
