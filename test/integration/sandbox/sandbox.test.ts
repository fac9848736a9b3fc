import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, hour, second } from '../../support/instants.ts';
import { logStreams } from '../../support/logStreams.ts';
import { type Answer, allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { escapes } from './escapes.ts';
import { harmless, oddKeys } from './harmless.ts';

const now = at('2026-05-01T12:00:00Z');
const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const secret = 'SECRET-OF-ANOTHER-TENANT';

const nineTables = [...logStreams].sort();

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  const members = Object.fromEntries(oddKeys.map((key, i) => [key, i]));
  // `a.b` must be read as one member, not as a path: this is what the path would find.
  const metadata = { ...members, a: { b: 'a path' }, deep: { ...members, a: { b: 'a path' } } };
  await service.send('edge_logs', [
    { id: 'odd', timestamp: now - second, project: 'odd-keys', metadata },
    { id: secret, timestamp: now - second, event_message: secret, project: 'other', metadata: { secret } },
  ]);
});
afterAll(() => service.close());

const ask = (sql: string, endpoint = 'logs.all', more: Readonly<Record<string, string>> = {}) =>
  service.call(endpoint, { project: 'own', ...more, sql }, { method: 'POST' });

/** What only the engine, its files or the emitted statement can have said. */
const inner = [
  /duckdb/i,
  /Binder/,
  /Catalog/,
  /Parser Error/,
  /Conversion Error/,
  /LINE \d/,
  /\bmain\./,
  /\bactive[_-]\d/,
  /\bsealed[_-]\d/,
  /\b[ct]\d+\b/,
  /node_modules/,
  /\.ts\b/,
  /\bat .*:\d+:\d+/,
  /\/(?:tmp|home|work|usr|var|etc)\//,
];

function expectNothingInner({ text, body }: Answer, sql: string): void {
  expect(text).not.toContain(secret);
  const said = [body.detail, body.error.message, JSON.stringify(body.errors)].join('\n');
  for (const pattern of inner) if (!pattern.test(sql)) expect(said).not.toMatch(pattern);
  expect(said).not.toContain(service.dataDir);
}

describe('a caller query is refused that reaches out by', () => {
  it.each(escapes.map((each) => [each.title, each] as const))('%s', async (_, { sql, code }) => {
    for (const endpoint of ['logs.all', variantId]) {
      const answer = await ask(sql, endpoint);
      const { status, body } = answer;
      expect({ code: body.code, status }).toEqual({ code, status: code.startsWith('sandbox.') ? 403 : 400 });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(body.error).toEqual({ code, message: body.detail });
      expect(body.errors[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
      if (code === 'sandbox.table') {
        // A WITH table of the caller itself may stand among them, but no other name of the service's.
        expect(allowedNames(body)).toEqual(expect.arrayContaining(nineTables));
        expect(allowedNames(body).some((name) => name.includes('.'))).toBe(false);
      }
      expectNothingInner(answer, sql);
    }
  });

  it('the same ways, from the two endpoints of statistics', async () => {
    for (const [endpoint, parameters] of [
      ['functions.invocation-stats', { interval: '1day' }],
      ['usage.api-counts', { interval: 'daily' }],
    ] as const) {
      for (const { title, sql, code } of escapes) {
        const answer = await ask(sql, endpoint, parameters);
        // Their tables are others, so that a name may fail before the escape does; never does it succeed.
        expect([400, 403], `${endpoint}: ${title}`).toContain(answer.status);
        if (code === 'sandbox.statement' || code === 'sql.syntax') expect(answer.body.code).toBe(code);
        expectNothingInner(answer, sql);
      }
      for (const table of [...nineTables, 'sources.edge_logs']) {
        expect((await ask(`select * from ${table}`, endpoint, parameters)).body.code).toBe('sandbox.table');
      }
    }
  });

  it('a NUL or half a surrogate pair in the text', async () => {
    for (const sql of ["select 'a\u0000b'", 'select 1 \u0000; drop table x', "select '\ud800'", '\u0000']) {
      const answer = await ask(sql);
      expect({ sql, status: answer.status }).toEqual({ sql, status: 400 });
      expectNothingInner(answer, sql);
    }
  });

  it('nesting until something breaks', async () => {
    const bombs = [
      `select ${'('.repeat(5000)}1${')'.repeat(5000)}`,
      `select ${'- '.repeat(5000)}1`,
      `select ${'not '.repeat(5000)}true`,
      `select ${'1+'.repeat(8000)}1`,
      `${'select * from ('.repeat(2000)}select 1${')'.repeat(2000)}`,
      `select ${'['.repeat(3000)}${']'.repeat(3000)}`,
      `select ${'case when true then '.repeat(1500)}1${' end'.repeat(1500)}`,
      `select * from edge_logs ${'cross join edge_logs '.repeat(2000)}`,
      `select ${Array.from({ length: 5000 }, (_, i) => `1 as a${i}`).join(', ')}`,
    ];
    for (const sql of bombs) {
      const answer = await ask(sql);
      expect({ sql: sql.slice(0, 40), status: answer.status, code: answer.body.code }).toEqual({
        sql: sql.slice(0, 40),
        status: 400,
        code: 'sql.too_complex',
      });
      expectNothingInner(answer, sql);
    }
  });

  it('width, which is answered up to the bound of SELECTs', async () => {
    const { status, body } = await ask(`select 1 as x ${'union all select 1 '.repeat(499)}`);
    expect({ status, rows: body.meta.row_count }).toEqual({ status: 200, rows: 500 });
    const wider = await ask(`select 1 as x ${'union all select 1 '.repeat(500)}`);
    expect({ status: wider.status, code: wider.body.code }).toEqual({ status: 400, code: 'sql.too_complex' });
  });

  it('a text of more than 64 KiB', async () => {
    const answer = await ask(`select '${'x'.repeat(65 * 1024)}'`);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'sql.too_complex' });
  });
});

describe('what looks like an attack and is a query answers exactly its rows', () => {
  it.each(harmless.map((each) => [each.title, each] as const))('%s', async (_, { sql, rows, project = 'own' }) => {
    const { status, body } = await ask(sql, 'logs.all', { project });
    expect({ status, error: body.error, rows: body.result }).toEqual({ status: 200, error: undefined, rows });
  });
});

const hostileValues = [
  "x' or '1'='1",
  "'; drop table edge_logs; --",
  '"; select 1; --',
  '\\',
  "\\'",
  "\\\\'",
  "''",
  '`',
  '%',
  '_ther',
  'other%',
  'OTHER',
  'other ',
  ' other',
  '@project',
  '$1',
  `\${x}`,
  '{{x}}',
  '%27 or 1=1',
  '\u2019 or 1=1',
  'ｏther',
  'оther',
  'other\u200b',
  '\u202Eother',
  'a\nb',
  '/* */',
  '--',
  '😀',
  '\u0001',
];

describe('a parameter value is a value, whatever it holds:', () => {
  it.each(hostileValues)('%j', async (value) => {
    for (const endpoint of ['logs.all', variantId]) {
      const stored = await service.call(endpoint, { project: value });
      expect({ status: stored.status, rows: stored.body.result }).toEqual({ status: 200, rows: [] });
      const sql = 'select @project as p, (select count(*) from edge_logs) as n';
      expect((await ask(sql, endpoint, { project: value })).body.result).toEqual([{ p: value, n: 0 }]);
    }
    const stats = await service.call('functions.invocation-stats', {
      project: value,
      interval: '1hr',
      function_id: value,
    });
    expect({ status: stats.status, rows: stats.body.result }).toEqual({ status: 200, rows: [] });
    const bound = await service.call('logs.all', { project: 'own', iso_timestamp_start: value });
    expect(bound.status).toBe(400);
    expectNothingInner(bound, value);
  });

  it('a NUL is refused', async () => {
    const answer = await service.call('logs.all', { project: 'other\u0000' });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'parameter.invalid' });
    expectNothingInner(answer, '');
  });

  it.each(hostileValues)('%j as a pattern counts nothing but what it finds', async (value) => {
    const answer = await service.call('usage.api-counts', { project: value, interval: 'daily' });
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) expect(answer.body.result).toEqual([]);
    else expectNothingInner(answer, value);
  });
});

describe('a failure on data', () => {
  it.each([
    ['select 1 / 0', 'sql.data'],
    ['select mod(1, 0)', 'sql.data'],
    ["select cast('x' as int64)", 'sql.data'],
    ["select cast('x' as timestamp)", 'sql.data'],
    ['select [1][offset(5)]', 'sql.data'],
    ['select cast(id as int64) from edge_logs', 'sql.data'],
    ['select cast(9223372036854775807 as int64) + 1', 'sql.data'],
    ['select (select id from edge_logs union all select id from edge_logs)', 'sql.data'],
    ["select parse_timestamp('%Y', 'x')", 'sql.data'],
    ["select regexp_extract(id, '(') from edge_logs", 'sql.'],
    ["select json_value(event_message, '$[') from edge_logs", 'sql.'],
    ["select parse_json('{') ", 'sql.data'],
    ["select date '2026-02-30'", 'sql.'],
    ["select from_hex('xyz')", 'sql.data'],
    ["select from_base64('?')", 'sql.data'],
    ['select * from unnest(generate_array(1, 10, 0))', 'sql.data'],
    ['select sqrt(-1)', 'sql.data'],
    ['select ln(0)', 'sql.data'],
    ['select repeat("x", -1)', 'sql.data'],
    ["select timestamp('2026-05-01', 'No/Zone')", 'sql.'],
  ])('of %s is a 400 without engine text or stored values', async (sql, code) => {
    const answer = await ask(sql, 'logs.all', { project: 'other' });
    expect({ sql, status: answer.status }).toEqual({ sql, status: 400 });
    expect(answer.body.code.startsWith(code)).toBe(true);
    expectNothingInner(answer, sql);
  });
});

describe('an endpoint without a sandbox', () => {
  it('takes no query of a caller, and goes on answering without one', async () => {
    await service.define({
      id: '00000000-0000-4000-8000-000000000001',
      name: 'closed.example',
      query: 'with mine as (select 1 as x) select x from mine',
      sandbox: false,
    });
    const open = await service.call('closed.example', {});
    expect(open.body.result).toEqual([{ x: 1 }]);
    for (const parameter of ['sql', 'lql']) {
      const { status, body } = await service.call('closed.example', { [parameter]: 'select 1' });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'sandbox.disabled' });
      expect((await service.call('closed.example', { [parameter]: '' })).body.result).toEqual([{ x: 1 }]);
    }
  });
});

describe('a caller query', () => {
  it('is kept to max_rows, whatever its own LIMIT, and meta says so', async () => {
    const thousand = (limit: string) => ask(`select x from unnest(generate_array(1, 1500)) as x order by x ${limit}`);
    for (const limit of ['', 'limit 1001', 'limit 100000', 'limit 1500 offset 0']) {
      const { body } = await thousand(limit);
      expect(body.meta).toMatchObject({ row_count: 1000, truncated: true, truncated_by: 'max_rows' });
      expect(body.result.at(-1)).toEqual({ x: 1000 });
    }
    for (const [limit, rows] of [
      ['limit 1000', 1000],
      ['limit 7', 7],
      ['limit 0', 0],
      ['limit 10 offset 1495', 5],
    ] as const) {
      const { body } = await thousand(limit);
      expect(body.meta).toMatchObject({ row_count: rows, truncated: false });
    }
  });

  it('cannot widen the bounds of the call by a parameter of its own', async () => {
    const sql =
      'select count(*) as n from edge_logs where timestamp > timestamp_sub(@iso_timestamp_start, interval 30 day)';
    const { body } = await ask(sql, 'logs.all', {
      project: 'odd-keys',
      iso_timestamp_start: new Date((now - second) / 1000).toISOString(),
      iso_timestamp_end: new Date((now + hour) / 1000).toISOString(),
    });
    expect(body.result).toEqual([{ n: 0 }]);
  });

  it('and lql together are refused', async () => {
    const { status, body } = await service.call('logs.all', { project: 'own', sql: 'select 1', lql: 'x' });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'query.both' });
  });
});
