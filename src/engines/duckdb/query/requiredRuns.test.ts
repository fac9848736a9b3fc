import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStorage } from '../storage.fixture.ts';
import { answerOf, appendRequests, grouped, type Request, statementOf } from './requiredRuns.fixture.ts';

const name = 'abcdefghijklmnopqrst';
const within = `x${name}y`;
const other = 'qrstuvwxyzabcdefghij';
const token = '0123456789abcdef0123456789ABCDEF';
const head = name.repeat(52).slice(0, 1025);

/** Events by what is special about them: the project, and the URL or the member `request`. */
const events: readonly (readonly [title: string, project: string, url: string | { readonly request: unknown }])[] = [
  ['own name', name, `https://${name}.example.co/rest`],
  ['own name and a suffix', name, `https://${name}zz.example.co/`],
  ['own name and one character', name, `${name}0`],
  ['a prefix and own name', name, `https://zz${name}.example.co/`],
  ['one character and own name', name, `0${name}`],
  ['own name twice', name, `https://${name}${name}.example.co/`],
  ['own name twice, apart', name, `https://${name}.${name}.example.co/`],
  ['a part of own name', name, name.slice(4)],
  ['a part of own name and a suffix', name, `${name.slice(4)}77`],
  ['own name in upper case', name, `https://${name.toUpperCase()}.example.co/`],
  ['own name with one letter in upper case', name, `A${name.slice(1)}`],
  ["another's name", name, `https://${other}.example.co/`],
  ["another's name within a word", name, `k${other}k`],
  ['own name, which contains another', within, `https://${within}.example.co/`],
  ['a name within own name', within, `https://${name}.example.co/`],
  ['a name of which own name is a part', name, `https://${within}.example.co/`],
  ['a token', name, `https://${name}.example.co/?key=${token}`],
  ['a token with a name in it', other, `?key=${token}${name}${token}`],
  ['a token of 16 characters', other, '/fedcba9876543210/'],
  ['words of 15 characters', other, '/fedcba987654321/edcba9876543210'],
  ['a short name', 'short', 'https://short.example.co/rest'],
  ['a short name in a word', 'short', 'https://short0123456789shor.example.co/rest'],
  ['a name with dashes', 'a-longer-name-with-dashes', 'https://a-longer-name-with-dashes.example.co/'],
  ['a name with dashes and a long word', 'p-wordofmorethansixteen', 'https://p-wordofmorethansixteen.example.co/'],
  ['its long word alone', 'p-wordofmorethansixteen', 'https://wordofmorethansixteen.example.co/'],
  ['the name *', '*', `https://*.example.co/${'-'.repeat(9000)}/${token}star`],
  ['a very long URL', name, `${name}/${'-'.repeat(9000)}/${token}long`],
  ['8,192 bytes', name, `${token}edge`.padEnd(8192, '-')],
  ['8,193 bytes, of two each', name, `ü${token}over`.padEnd(8192, '-')],
  ['a very long run', name, `${'0'.repeat(1100)}${token}run`],
  ['a run that begins with a name of 1,025 characters', head, `${head}${token}head`],
  ['own name of 1,025 characters', head, head],
  ['letters that are not ASCII around a name', other, `ü${name}ü`],
  ['letters that are not ASCII in a name', other, `${name.slice(0, 10)}ä${name.slice(10)}`],
  ['a character of two UTF-16 code units', `😀${other}`, `😀${other}/${token}`],
  ['escapes', name, `%20${token}%2F\\n"${name}X"`],
  ['a NUL', name, `\0${token}nul\0${other}nul`],
  ['a replaced character', name, `\ufffd${token}sur`],
  ['a line break', name, `first\n${token}line`],
  ['empty', name, ''],
  ['no URL', name, { request: { method: 'GET' } }],
  ['a URL that is null', name, { request: { url: null } }],
  ['a request that is null', name, { request: null }],
  ['no requests', name, { request: [] }],
  ['a URL that is a number', 'numbers', { request: { url: 1234567890123456 } }],
  ['a URL that is a list', 'lists', { request: { url: [`${token}list`] } }],
  ['a URL that is an object', 'objects', { request: { url: { url: `${token}object` } } }],
  ['a list of one request', 'one', { request: [{ url: `https://${other}one.example.co/` }] }],
  ['a list of two requests', 'two', { request: [{ url: `${other}two` }, { url: `${token}two` }] }],
  ['a request that is text', 'text', { request: `{"url":"${token}text"}` }],
];
const requests: readonly Request[] = events.map(([message, project, given]) => ({
  project,
  message,
  request: typeof given === 'string' ? { url: given } : given.request,
}));

/** Runs in all URLs and names, and parts of them. */
const patterns: readonly string[] = [
  ...new Set(
    [...events.map(([, , given]) => JSON.stringify(given).replaceAll(/\\[ntu"]/g, '/')), ...events.map(([, p]) => p)]
      .flatMap((text) => text.match(/[0-9A-Za-z]{16,}/g) ?? [])
      .flatMap((run) => [run.slice(0, 600), run.slice(0, 16), run.slice(-16)])
      .concat([
        `${name}.${name}`,
        `https://${name}\\.example`,
        `${name.slice(8)}${name.slice(0, 8)}`,
        `${name.slice(0, 17)}.${token}`,
        `${other}X`,
      ]),
  ),
];

const found = (p: string): string =>
  `select t.event_message as v from sources.edge_logs as t where regexp_contains(t.metadata.request.url, r'${p}') order by v`;

describe.each([
  ['a segment for each event', 1, 100],
  ['one segment', requests.length, 100],
  ['a merged segment', 11, 2],
] as const)('with %s, a required run', (_, eventsOfSegment, mergeFiles) => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open({ frozenFilesMax: 100, mergeFiles });
    for (let at = 0; at < requests.length; at += eventsOfSegment) {
      await appendRequests(test, requests.slice(at, at + eventsOfSegment));
      await test.storage.sealNow();
    }
    await test.storage.mergeNow();
  });
  afterAll(async () => {
    await test.close();
  });

  /** Compares with a search in plain code, among the URLs as the engine reads them without a pattern. */
  const areFoundEverywhere = async (runs: readonly string[]) => {
    const all = await rowsOf(
      test,
      'select t.event_message as v, substr(t.metadata.request.url, 1) as u from sources.edge_logs as t order by v',
    );
    for (const { v, u } of all) if (typeof given(v) === 'string') expect(u, v).toBe(given(v));
    const wrong: unknown[] = [];
    for (const p of runs) {
      const rows = (await rowsOf(test, found(p))).map(({ v }) => v);
      const expected = all.filter(({ u }) => u !== null && new RegExp(p).test(u)).map(({ v }) => v);
      if (rows.join() !== expected.join()) wrong.push({ p, rows, expected });
    }
    expect(all).toHaveLength(events.length);
    expect(wrong).toEqual([]);
  };
  const segmentsFor = async (p: string) => new Set((await statementOf(test, found(p))).match(/"sealed_\d+"/g)).size;
  const absent = 'zyxwvutsrqponmlkjihg';

  it('is found in every URL that contains it, whatever the project is', () => areFoundEverywhere(patterns));

  if (eventsOfSegment === 1) {
    it('leaves out segments, except those whose URLs are not known to lack it', async () => {
      expect(await segmentsFor(grouped(absent))).toBe(requests.length);
      expect(await segmentsFor(absent)).toBe(unknown.length);
      const canHave = ([message, project, url]: (typeof events)[number]) =>
        unknown.includes(message) || project.includes(name) || (typeof url === 'string' && url.includes(name));
      expect(await segmentsFor(name)).toBe(events.filter(canHave).length);
    });

    it('is found in segments that were sealed without filters', async () => {
      for (const { sources, ...record } of await test.manifest.load()) {
        const older = sources.map((source) => {
          const { filters: _, ...rest } = source;
          return rest;
        });
        await test.manifest.commit({ ...record, sources: older }, []);
      }
      await test.reopen();
      expect(await segmentsFor(absent)).toBe(requests.length);
      await areFoundEverywhere(patterns.slice(0, 20));
    });
  }
});

/** Events whose segments have no filter, or one that is not used. */
const unknown = [
  'the name *',
  'a very long URL',
  '8,193 bytes, of two each',
  'a very long run',
  'a run that begins with a name of 1,025 characters',
  'a URL that is a number',
  'a URL that is a list',
  'a URL that is an object',
  'a list of one request',
  'a list of two requests',
  'a request that is text',
];

async function rowsOf(
  ...asked: Parameters<typeof answerOf>
): Promise<readonly { readonly v: string; readonly u: string | null }[]> {
  return JSON.parse(`[${await answerOf(...asked)}]`);
}

const given = (message: string) => events.find(([title]) => title === message)?.[2];

describe('a required run in', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open({ frozenFilesMax: 100, mergeFiles: 100 });
    for (const each of [
      ['own name', name, { url: `https://${name}.example.co/` }],
      ['another name', other, { url: `https://${other}.example.co/` }],
      ['a token', 'short', { url: `?key=${token}`, path: name }],
      ['both', 'both', { url: `https://${name}.example.co/?key=${token}` }],
      [name, 'message', { url: null }],
      ['none', 'none', {}],
    ] as const) {
      await appendRequests(test, [{ message: each[0], project: each[1], request: each[2] }]);
      await test.storage.sealNow();
    }
  });
  afterAll(async () => {
    await test.close();
  });

  const from = 'from sources.edge_logs as t';
  const u = 't.metadata.request.url';
  const has = (p: string, url = u) => `regexp_contains(${url}, r'${p}')`;
  const urls = `(select event_message, project, metadata.request.url as u ${from}) as t`;
  type Query = (p: string, q: string) => string;
  const queries: Readonly<Record<string, Query>> = {
    WHERE: (p) => `select t.event_message as v ${from} where ${has(p)}`,
    NOT: (p) => `select t.event_message as v ${from} where not ${has(p)}`,
    'IS NOT TRUE': (p) => `select t.event_message as v ${from} where ${has(p)} is not true`,
    'IS FALSE': (p) => `select t.event_message as v ${from} where ${has(p)} is false`,
    'IS NULL': (p) => `select t.event_message as v ${from} where ${has(p)} is null`,
    '= FALSE': (p) => `select t.event_message as v ${from} where ${has(p)} = false`,
    '!= TRUE': (p) => `select t.event_message as v ${from} where ${has(p)} != true`,
    'OR another column': (p) => `select t.event_message as v ${from} where ${has(p)} or t.project = 'none'`,
    'OR another pattern': (p, q) => `select t.event_message as v ${from} where ${has(p)} or ${has(q)}`,
    'OR the same of another member': (p) =>
      `select t.event_message as v ${from} where ${has(p)} or ${has(p, 't.metadata.request.path')}`,
    'AND another pattern': (p, q) => `select t.event_message as v ${from} where ${has(p)} and ${has(q)}`,
    'NOT (AND)': (p, q) => `select t.event_message as v ${from} where not (${has(p)} and ${has(q)})`,
    'NOT (OR)': (p, q) => `select t.event_message as v ${from} where not (not ${has(p)} or not ${has(q)})`,
    COALESCE: (p) => `select t.event_message as v ${from} where coalesce(${has(p)}, true)`,
    IF: (p) => `select t.event_message as v ${from} where if(t.project = 'short', true, ${has(p)})`,
    CASE: (p, q) =>
      `select t.event_message as v ${from} where case when t.project = 'short' then ${has(q)} else ${has(p)} end`,
    SAFE: (p) => `select t.event_message as v ${from} where safe.regexp_contains(${u}, r'${p}')`,
    'the message': (p) => `select t.event_message as v ${from} where ${has(p, 't.event_message')}`,
    'the project': (p) => `select t.event_message as v ${from} where ${has(p, 't.project')}`,
    lower: (p) => `select t.event_message as v ${from} where ${has(p, `lower(${u})`)}`,
    'a longer text': (p) => `select t.event_message as v ${from} where ${has(p, `concat(${u}, '${name}')`)}`,
    'a text or another': (p) => `select t.event_message as v ${from} where ${has(p, `ifnull(${u}, '${name}')`)}`,
    JSON_VALUE: (p) => `select t.event_message as v ${from} where ${has(p, "json_value(t.metadata, '$.request.url')")}`,
    'the whole metadata': (p) => `select t.event_message as v ${from} where ${has(p, 'to_json_string(t.metadata)')}`,
    'a subquery': (p) => `select t.event_message as v from ${urls} where ${has(p, 'u')}`,
    WITH: (p, q) =>
      `with t as (select event_message, metadata.request.url as u from sources.edge_logs) select a.event_message as v from t as a where ${has(p, 'u')} union all select a.event_message as v from t as a where ${has(q, 'u')}`,
    UNNEST: (p) => `select t.event_message as v ${from}, unnest(t.metadata.request) as r where ${has(p, 'r.url')}`,
    'UNNEST twice': (p) =>
      `select t.event_message as v ${from} cross join unnest(t.metadata) as m cross join unnest(m.request) as r where ${has(p, 'r.url')}`,
    'LEFT JOIN UNNEST': (p) =>
      `select t.event_message as v ${from} left join unnest(t.metadata.request) as r on ${has(p, 'r.url')}`,
    'WHERE after LEFT JOIN UNNEST': (p) =>
      `select t.event_message as v ${from} left join unnest(t.metadata.request) as r where ${has(p, 'r.url')}`,
    'EXISTS over UNNEST': (p) =>
      `select t.event_message as v ${from} where exists(select 1 from unnest(t.metadata.request) as r where ${has(p, 'r.url')})`,
    'NOT EXISTS': (p) =>
      `select t.event_message as v ${from} where not exists(select 1 from sources.edge_logs as s where ${has(p, 's.metadata.request.url')} and s.id = t.id)`,
    'a join': (p) =>
      `select concat(t.event_message, s.event_message) as v ${from} join sources.edge_logs as s on true where ${has(p)}`,
    'the condition of a join': (p) =>
      `select concat(t.event_message, s.event_message) as v ${from} join sources.edge_logs as s on ${has(p, 's.metadata.request.url')}`,
    'the condition of a left join, on its left': (p) =>
      `select concat(t.event_message, ifnull(s.event_message, '')) as v ${from} left join sources.edge_logs as s on ${has(p)}`,
    'the condition of a left join, on its right': (p) =>
      `select concat(t.event_message, ifnull(s.event_message, '')) as v ${from} left join sources.edge_logs as s on ${has(p, 's.metadata.request.url')}`,
    'the condition of a full join': (p) =>
      `select concat(ifnull(t.event_message, ''), ifnull(s.event_message, '')) as v ${from} full join sources.edge_logs as s on s.id = t.id and ${has(p)}`,
    'one arm of a union': (p) =>
      `select t.event_message as v ${from} where ${has(p)} union all select t.project as v ${from}`,
    'a union': (p) =>
      `select v from (select t.event_message as v, ${u} as u ${from} union all select t.project as v, ${u} as u ${from}) where ${has(p, 'u')}`,
    'what EXCEPT takes away': (p) =>
      `select t.event_message as v ${from} except distinct select t.event_message as v ${from} where ${has(p)}`,
    'IN (SELECT)': (p) =>
      `select t.event_message as v ${from} where t.id not in (select s.id from sources.edge_logs as s where ${has(p, 's.metadata.request.url')})`,
    'an aggregate': (p) => `select format('%d of %d', countif(${has(p)}), count(*)) as v ${from}`,
    'HAVING of a key': (p) => `select format('%d', count(*)) as v, ${u} as u ${from} group by u having ${has(p, 'u')}`,
    'HAVING of an aggregate': (p) =>
      `select t.project as v, max(${u}) as u ${from} group by v having regexp_contains(u, r'${p}')`,
    'HAVING of the aggregate of all': (p) =>
      `select format('%d', count(*)) as v, max(${u}) as u ${from} having regexp_contains(u, r'${p}')`,
    'rows of a window over all': (p) =>
      `select format('%s %d', t.event_message, n) as v from (select event_message, metadata.request.url as u, count(*) over () as n ${from}) as t where ${has(p, 'u')}`,
    'rows of a window over each': (p) =>
      `select format('%s %d', t.event_message, n) as v from (select event_message, metadata.request.url as u, count(*) over (partition by metadata.request.url) as n ${from}) as t where ${has(p, 'u')}`,
    'the first rows': (p) =>
      `select t.event_message as v from (select event_message, metadata.request.url as u ${from} order by event_message limit 3) as t where ${has(p, 'u')}`,
    'distinct rows': (p) =>
      `select u as v from (select distinct metadata.request.url as u ${from}) as t where ${has(p, 'u')}`,
    'the newest rows': (p) =>
      `select t.event_message as v ${from} where ${has(p)} order by t.timestamp desc, t.id limit 5`,
    'a scalar subquery': (p) =>
      `select t.event_message as v ${from} where (select count(*) from sources.edge_logs as s where ${has(p, 's.metadata.request.url')}) > 1`,
    pipes: (p) => `${from} |> where ${has(p)} |> select event_message as v`,
  };
  it.each(Object.entries(queries))('%s changes no answer', async (_, query) => {
    for (const [p, q] of [
      [name, token],
      [other, name],
    ] as const) {
      const ordered = (first: string, second: string) => `select v from (${query(first, second)}) order by v`;
      const whole = await answerOf(test, ordered(grouped(p), grouped(q)));
      const asked = [
        [p, q],
        [grouped(p), q],
        [p, grouped(q)],
      ] as const;
      for (const [first, second] of query.length === 1 ? asked.slice(0, 1) : asked)
        expect(await answerOf(test, ordered(first, second)), `${first} ${second}`).toBe(whole);
    }
  });

  it('a parameter, also of a stored query whose tables a caller reads, changes no answer', async () => {
    const stored = `with t as (select event_message as v, metadata.request.url as u from sources.edge_logs where regexp_contains(metadata.request.url, @p)) select v from t order by v`;
    for (const p of [name, other, token, 'zyxwvutsrqponmlkjihg']) {
      const whole = await answerOf(test, stored, { given: { p: grouped(p) } });
      expect(await answerOf(test, stored, { given: { p } })).toBe(whole);
      for (const sql of [
        'select v from t order by v',
        `select v from t where regexp_contains(u, r'${name}') order by v`,
        `select v from t where not regexp_contains(u, r'${name}') order by v`,
        'select count(*) as v from t',
      ])
        expect(await answerOf(test, sql, { stored, given: { p } })).toBe(
          await answerOf(test, sql, { stored, given: { p: grouped(p) } }),
        );
    }
  });

  it('the shipped usage.api-counts changes no answer', async () => {
    const stored = readFileSync('definitions/usage.api-counts.sql', 'utf8').replace(
      /like '%\/(?:rest|storage|auth|realtime)%'/g,
      'is null',
    );
    const counted = async (project: string, only: readonly string[] | null = null) =>
      await answerOf(test, stored, { given: { interval: 'daily', project, fill: 'none' }, only });
    for (const [p, count] of [
      [name, 2],
      [other, 1],
      [token, 1],
      ['zyxwvutsrqponmlkjihg', 0],
    ] as const) {
      const rows = JSON.parse(`[${await counted(p)}]`);
      expect(rows).toHaveLength(count === 0 ? 0 : 1);
      if (count > 0) expect(rows[0].total_rest_requests, p).toBe(count);
      expect(await counted(p)).toBe(await counted(grouped(p)));
      for (const only of [[name], [other, 'both'], ['nobody']])
        expect(await counted(p, only)).toBe(await counted(grouped(p), only));
    }
  });
});
