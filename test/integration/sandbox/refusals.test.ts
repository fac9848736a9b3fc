import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { logStreams } from '../../support/logStreams.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nine = [...logStreams].sort();
const four = ['event_message', 'id', 'metadata', 'timestamp'] as const;
const parameters = ['@iso_timestamp_end', '@iso_timestamp_start', '@project'] as const;

/** What a refusal says besides its place (googlesql.md, section 5): rule, what is allowed here, the nearest name. */
interface Refusal {
  readonly code: string;
  /** The sentence that states the rule. */
  readonly rule: RegExp;
  /** Names among those listed as allowed, or what is said to be expected. */
  readonly allowed: readonly string[] | string;
  readonly nearest?: string;
  /** The offending piece of the text; absent where the whole query is. */
  readonly token?: string;
}

const table = (token: string, nearest?: string, more: readonly string[] = []): Refusal => ({
  code: 'sandbox.table',
  rule: /is not one of this endpoint's tables/,
  allowed: [...nine, ...more],
  token,
  ...(nearest === undefined ? {} : { nearest }),
});
const statement = (token: string): Refusal => ({
  code: 'sandbox.statement',
  rule: new RegExp(`^Only SELECT is allowed; got ${token.toUpperCase()} `),
  allowed: 'SELECT',
  token,
});
const second = (token: string): Refusal => ({
  code: 'sandbox.statement',
  rule: /^Only one statement is allowed/,
  allowed: 'the end of the text',
  token,
});
const tableFunction = (token: string): Refusal => ({
  code: 'sandbox.function',
  rule: /^Table functions are not available/,
  allowed: nine,
  token,
});
const systemFunction = (token: string): Refusal => ({
  code: 'sandbox.function',
  rule: /is not available: no function may read files, settings or the engine/,
  allowed: 'a function of GoogleSQL',
  token,
});
const column = (token: string, nearest: string, allowed: readonly string[] = four): Refusal => ({
  code: 'sql.unknown_name',
  rule: /^(?:Unknown column or alias|\w+ has no column|\w+ names `\w+`, which) /,
  allowed,
  token,
  nearest,
});
const tooComplex = (rule: RegExp, allowed: string): Refusal => ({ code: 'sql.too_complex', rule, allowed });

/** `‸` stands before what is refused and is not part of the query. */
const refusals: readonly (readonly [sql: string, refusal: Refusal])[] = [
  // Statements that are no query, by name.
  ...[
    'drop',
    'delete',
    'insert',
    'update',
    'create',
    'alter',
    'copy',
    'attach',
    'set',
    'pragma',
    'call',
    'explain',
  ].map((word) => [`‸${word} x`, statement(word)] as const),
  ['\n  ‸truncate table edge_logs', statement('truncate')],
  ['select 1; ‸select 2', second('select')],
  ['select 1;\n-- more\n ‸drop table edge_logs', second('drop')],
  // Foreign tables, wherever one can stand.
  ['select * from ‸edge_log', table('edge_log', 'edge_logs')],
  ['select *\nfrom\n  ‸sources.edge_logs', table('sources.edge_logs', 'edge_logs')],
  ['select * from ‸`sources.edge_logs`', table('sources.edge_logs', 'edge_logs')],
  ['select * from ‸`sources`.`auth_log`', table('sources.auth_log', 'auth_logs')],
  ['select * from ‸main.edge_logs', table('main.edge_logs', 'edge_logs')],
  ['select * from ‸main.information_schema.tables', table('main.information_schema.tables')],
  ['select * from ‸duckdb_tables', table('duckdb_tables')],
  ...['join', 'left join', 'right join', 'full join'].map(
    (join) => [`select 1 from edge_logs a ${join} ‸edge_logz b on true`, table('edge_logz', 'edge_logs')] as const,
  ),
  ...['cross join', ','].map(
    (join) => [`select 1 from edge_logs ${join} ‸authlogs`, table('authlogs', 'auth_logs')] as const,
  ),
  ['select 1 from ‸edgelogs a join auth_logs b on true', table('edgelogs', 'edge_logs')],
  ['select 1 from (‸nope a cross join edge_logs b)', table('nope')],
  ['select 1 from edge_logs a join (auth_logs b join ‸nope c on true) on true', table('nope')],
  ['select * from (select * from ‸nope)', table('nope')],
  ['select (select max(id) from ‸nope)', table('nope')],
  ['select id from edge_logs where (select count(*) from ‸nope) > 0', table('nope')],
  ['select count(*) from edge_logs group by (select max(id) from ‸nope)', table('nope')],
  ['select count(*) from edge_logs having count(*) > (select 1 from ‸nope)', table('nope')],
  ['select id from edge_logs order by (select max(id) from ‸nope)', table('nope')],
  ['select id from edge_logs qualify row_number() over (order by (select max(id) from ‸nope)) = 1', table('nope')],
  ['select 1 from edge_logs union all select 1 from ‸nope', table('nope')],
  ['select id from edge_logs except distinct (select id from ‸nope)', table('nope')],
  ['select id from edge_logs where exists (select 1 from ‸nope)', table('nope')],
  ['select id from edge_logs where id in (select id from ‸nope)', table('nope')],
  ['select array(select id from ‸nope)', table('nope')],
  ['with a as (select * from ‸nope) select * from a', table('nope')],
  ['with mine as (select 1 as x) select * from ‸mien', table('mien', 'mine', ['mine'])],
  ['with a as (select * from ‸b), b as (select 1 as x) select * from a', table('b')],
  // Functions.
  ["select * from ‸read_text('/etc/passwd')", tableFunction('read_text')],
  ['select * from edge_logs cross join ‸generate_series(1, 2)', tableFunction('generate_series')],
  ['select * from ‸duckdb_tables()', tableFunction('duckdb_tables')],
  ["select id, ‸getenv('HOME') from edge_logs", systemFunction('getenv')],
  ['select ‸current_setting("x")', systemFunction('current_setting')],
  [
    'select ‸lenght(id) from edge_logs',
    {
      code: 'sql.unknown_name',
      rule: /^Unknown function lenght/,
      allowed: 'a function of GoogleSQL',
      token: 'lenght',
      nearest: 'length',
    },
  ],
  [
    "select * from edge_logs ‸pivot (count(*) for id in ('a'))",
    { code: 'sql.unsupported', rule: /^PIVOT is not supported; use countif/, allowed: [], token: 'pivot' },
  ],
  // Names.
  ['select ‸idd from edge_logs', column('idd', 'id')],
  ['select e.‸tmestamp from edge_logs e', column('tmestamp', 'timestamp')],
  ['select ‸edg.id from edge_logs edge', column('edg', 'edge', ['edge', ...four])],
  ['select id from edge_logs where ‸event_mesage is null', column('event_mesage', 'event_message')],
  ['select count(*) from edge_logs group by ‸metadat', column('metadat', 'metadata')],
  ['select id as key from edge_logs order by ‸kye', column('kye', 'key', ['key', ...four])],
  ['select * except (‸idd) from edge_logs', column('idd', 'id')],
  ['select * replace (1 as ‸idd) from edge_logs', column('idd', 'id')],
  [
    'select ‸@projekt',
    {
      code: 'sql.unknown_name',
      rule: /^The endpoint declares no parameter @projekt/,
      allowed: parameters,
      token: '@projekt',
      nearest: '@project',
    },
  ],
  [
    'select cast(id as ‸int46) from edge_logs',
    {
      code: 'sql.type',
      rule: /^Unknown type INT46/,
      allowed: ['INT64', 'STRING'],
      token: 'INT46',
      nearest: 'INT64',
    },
  ],
  [
    'select sum(1) over ‸ww from edge_logs window w as (order by id)',
    { code: 'sql.unknown_name', rule: /^Unknown window ww/, allowed: ['w'], token: 'ww', nearest: 'w' },
  ],
  [
    'select ‸id from edge_logs, auth_logs',
    {
      code: 'sql.ambiguous_name',
      rule: /could be edge_logs.id or auth_logs.id; qualify it/,
      allowed: ['auth_logs.id', 'edge_logs.id'],
      token: 'id',
    },
  ],
  // Cost.
  [
    `select ${'('.repeat(99)}‸(1${')'.repeat(100)}`,
    tooComplex(/nested more than 100 levels deep/, 'at most 100 levels'),
  ],
  [
    `‸select ${Array.from({ length: 1001 }, (_, i) => `1 as a${i}`).join(', ')}`,
    tooComplex(/may return at most 1000 columns, but this one returns 1001/, 'at most 1000 columns'),
  ],
];

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: at('2026-05-01T12:00:00Z') });
  await service.define({
    id: '00000000-0000-4000-8000-000000000021',
    name: 'short.time',
    sandbox: true,
    timeout_ms: 500,
    query: 'with one as (select 1 as x) select x from one',
  });
});
afterAll(() => service.close());

const ask = (sql: string, endpoint = 'logs.all') =>
  service.call(endpoint, endpoint === 'logs.all' ? { project: 'own', sql } : { sql }, { method: 'POST' });

function placeOf(marked: string): { sql: string; line: number; column: number } {
  const before = marked.slice(0, marked.indexOf('‸')).split('\n');
  return { sql: marked.replace('‸', ''), line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

describe('a refusal says its rule, its place, what is allowed there and the nearest name', () => {
  it.each(refusals.map(([marked, refusal]) => [marked.slice(0, 100), marked, refusal] as const))(
    '%s',
    async (_, marked, { code, rule, allowed, nearest, token }) => {
      const { sql, line, column: place } = placeOf(marked);
      const { status, body } = await ask(sql);
      const [error = {}] = body.errors;
      expect({ status, code: body.code }).toEqual({ status: code.startsWith('sandbox.') ? 403 : 400, code });
      expect(body.detail).toMatch(rule);
      expect(body.detail).toContain(`line ${line}, column ${place}`);
      expect(error).toMatchObject({ line, column: place, ...(token === undefined ? {} : { token }) });
      if (typeof allowed === 'string') expect(error.expected).toBe(allowed);
      else if (allowed.length > 0) expect(error.allowed).toEqual(expect.arrayContaining([...allowed]));
      // Tables and columns beside those that the query may use would tell of what it may not.
      if (code === 'sandbox.table')
        expect([...(error.allowed as string[])].sort()).toEqual([...(allowed as string[])].sort());
      expect(error.nearest).toBe(nearest);
      if (nearest !== undefined) expect(body.detail).toContain(`Did you mean ${nearest}?`);
    },
  );

  it('of long chains of joins and operators', async () => {
    for (const sql of [
      `select 1 from edge_logs ${'cross join edge_logs '.repeat(400)}`,
      `select ${'1+'.repeat(400)}1`,
    ]) {
      const { status, body } = await ask(sql);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql.too_complex' });
      expect(body.detail).toMatch(/nests more than 300 constructs in one chain; split long chains.*line 1, column \d+/);
      expect(body.errors[0]).toMatchObject({ line: 1, expected: 'at most 300 nested constructs' });
    }
  });

  it('of too many syntax nodes', async () => {
    const { body } = await ask(`select ${'1,'.repeat(21_000)}1`);
    expect(body).toMatchObject({
      code: 'sql.too_complex',
      errors: [{ line: 1, expected: 'at most 12000 syntax nodes' }],
    });
  });

  it('of a text of too many bytes, which has no place', async () => {
    const { body } = await ask(`select '${'é'.repeat(33_000)}'`);
    expect(body).toMatchObject({
      code: 'sql.too_complex',
      detail: expect.stringMatching(/^The query is 66009 bytes long; at most 65536 bytes are allowed/),
      errors: [{ parameter: 'sql', expected: 'at most 65536 bytes' }],
    });
  });
});

describe('what grows while it runs is stopped with a bound and a place:', () => {
  it.each([
    ["select 1,\n ‸repeat('x', 1000000000)", /REPEAT would be longer than 4194304 bytes/],
    ["select ‸lpad('x', 1000000000)", /LPAD would be longer than 4194304 bytes/],
    ["select ‸rpad('x', 1000000000)", /RPAD would be longer than 4194304 bytes/],
    ["select ‸replace(repeat('a', 1000000), 'a', repeat('b', 1000000))", /REPLACE would be longer than 4194304 bytes/],
    ['select ‸generate_array(1, 1000000000)', /more than 100000 elements/],
    [
      "select ‸generate_timestamp_array(timestamp '2000-01-01', timestamp '2026-01-01', interval 1 second)",
      /more than 100000 elements/,
    ],
  ])('%s', async (marked, rule) => {
    const { sql, line, column: place } = placeOf(marked);
    const { status, body } = await ask(sql);
    expect({ status, code: body.code, place: body.errors[0] }).toMatchObject({
      status: 400,
      code: 'sql.data',
      place: { line, column: place },
    });
    expect(body.detail).toMatch(rule);
  });

  it('a width, where the format is read when it is compiled', async () => {
    const { sql, line, column } = placeOf("select ‸format('%1000000000d', 1)");
    const { status, body } = await ask(sql);
    expect({ status, code: body.code, place: body.errors[0] }).toMatchObject({
      status: 400,
      code: 'sql.type',
      place: { line, column },
    });
    expect(body.detail).toMatch(/Widths and precisions in FORMAT may be at most 10000/);
  });

  it('memory, with advice', async () => {
    const { status, body } = await ask("select string_agg(repeat('x', 1000000)) from unnest(generate_array(1, 10000))");
    expect({ status, code: body.code }).toEqual({ status: 504, code: 'query.memory' });
    expect(body.detail).toMatch(/Narrow its time range/);
  });

  it('time, with the bound, for cross products and patterns that explode', async () => {
    const many = 'unnest(generate_array(1, 100000))';
    for (const sql of [
      `select count(*) from ${many} a cross join ${many} b cross join ${many} c where mod(a * b + c, 7) = 8`,
      `select countif(regexp_contains(repeat('a', 4000), '(a*)*(a*)*b' || cast(a as string))) from ${many} a cross join ${many} b`,
    ]) {
      const { status, body } = await ask(sql, 'short.time');
      expect({ sql, status, code: body.code }).toEqual({ sql, status: 504, code: 'query.timeout' });
      expect(body.detail).toMatch(/longer than the limit of 500 ms/);
    }
    await expect.poll(async () => (await ask('select x from one', 'short.time')).body.result).toEqual([{ x: 1 }]);
  });

  it('a pattern that is too large, without its text', async () => {
    for (const pattern of ['((a{100}){100}){100}', '(', '[z-a]', 'a{1001}']) {
      const { status, body } = await ask(`select regexp_contains('x', '${pattern}')`);
      expect({ pattern, status, code: body.code }).toEqual({ pattern, status: 400, code: 'sql.data' });
      expect(body.detail).toMatch(/regular expression is not (?:a )?valid/);
    }
  });
});
