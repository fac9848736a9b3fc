import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceOf } from '../../../src/sources/sourceDeclaration.ts';
import { hasClickHouse, hasStandIn, type TestClickHouse } from '../../clickhouse/startClickHouse.ts';
import type { User } from '../../clickhouse/users.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { clickhouse, sharedClickHouse, withoutTheirs, withoutViews } from './clickhouseEngine.ts';
import { TestClickHouseStorage } from './testClickHouseStorage.ts';

const nowMicros = Date.parse('2026-05-20T12:00:00Z') * 1000;

/** The rows of a table of others; the same are sent as events to a source of our own. */
const rows = Array.from({ length: 60 }, (_, i) => ({
  at: new Date(Date.parse('2026-05-20T11:00:00Z') + i * 1000).toISOString(),
  tenant: i % 3 === 0 ? 'other' : 'mine',
  line: `${i % 2 === 0 ? 'GET' : 'POST'} /é/${i} by user${i}@example.com`,
  status: i % 7 === 0 ? null : 200 + (i % 5) * 100,
  took: i / 4 + 0.125,
  host: i % 4 === 0 ? null : `host-${i % 3}`,
  tags: { email: `tag${i}@example.com`, n: String(i) },
  ok: i % 2 === 0,
}));

/** Queries over one of the sources, written `S`; each gives the same rows in the same order for both. */
const queries: readonly string[] = [
  'select event_message from S order by timestamp desc limit 7',
  'select event_message, t.metadata.status as s from S as t where t.metadata.status >= 400 order by timestamp',
  'select t.metadata.host as h, count(*) as n, avg(t.metadata.took) as a from S as t group by h order by h',
  'select m.status as s, count(distinct m.host) as n from S cross join unnest(metadata) as m group by s order by s',
  "select count(*) as n from S where regexp_contains(event_message, '^GET /é')",
  "select t.metadata.tags.n as n from S as t where t.metadata.ok is true and t.metadata.host = 'host-1' order by timestamp",
  'select timestamp_trunc(timestamp, minute) as m, max(t.metadata.took) as x from S as t group by m',
  'select sum(t.metadata.took) as a, min(t.metadata.status) as b, countif(t.metadata.status is null) as c from S as t',
  'select safe_cast(t.metadata.took as string) as a, t.metadata.tags as b from S as t order by timestamp limit 9',
  'select a.event_message from S as a join S as b on a.id = b.id order by a.timestamp limit 3',
];

describe.skipIf(!hasClickHouse)('a source that reads a table of others', () => {
  let server: TestClickHouse;
  let service: WholeService;
  let theirs: string;
  const manage = async (method: string, path: string, body?: unknown, token = service.adminToken) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const define = async (definition: object) => {
    expect((await manage('POST', '/api/endpoints', definition)).status).toBe(201);
  };
  const columns = { time: 'at', project: 'tenant', message: 'line' };
  /** The answer to a query of a caller. */
  const ask = async (source: string, sql: string, options: { project?: string; token?: string } = {}) => {
    const { project = 'mine', token = service.adminToken } = options;
    const answer = await service.call(
      `test.${source}`,
      { project, sql: sql.replaceAll(/\bS\b/g, source) },
      { headers: { 'x-api-key': token } },
    );
    return { status: answer.status, body: answer.body, rows: JSON.stringify(answer.body.result ?? answer.body) };
  };

  beforeAll(async () => {
    server = await sharedClickHouse();
    theirs = await server.createDatabase();
    await server.run(
      `CREATE TABLE ${theirs}.lines (at DateTime64(3, 'Europe/Berlin'), tenant LowCardinality(String), line String, status Nullable(UInt16), took Float32, host Nullable(String), tags Map(String, String), ok Bool) ENGINE = MergeTree ORDER BY (tenant, at)`,
    );
    await server.run(
      `CREATE TABLE ${theirs}.documents (at DateTime, key UInt32, tenant String, line String, body String) ENGINE = ReplacingMergeTree ORDER BY key`,
    );
    const text = rows.map((row) => JSON.stringify({ ...row, at: Date.parse(row.at) })).join('\n');
    await server.run(`INSERT INTO ${theirs}.lines FORMAT JSONEachRow\n${text}`);
    service = await startWholeService({
      nowMicros,
      settings: { events: 'clickhouse', retentionDays: 7 },
      openEngine: clickhouse.openForService,
    });
    const table = { name: `${theirs}.lines`, ...columns };
    expect(await manage('POST', '/api/sources', { name: 'lines', table })).toMatchObject({
      status: 201,
      body: { table: { name: `${theirs}.lines`, members: ['status', 'took', 'host', 'tags', 'ok'] } },
    });
    expect((await manage('POST', '/api/sources', { name: 'twin' })).status).toBe(201);
    const sent = rows.map(({ at, tenant, line, ...metadata }) => ({
      timestamp: at,
      project: tenant,
      event_message: line,
      metadata,
    }));
    await service.send('twin', sent);
    for (const name of ['lines', 'twin', 'documents']) {
      if (name === 'documents') {
        const documents = { ...table, name: `${theirs}.documents`, id: 'key', metadata: 'body' };
        expect((await manage('POST', '/api/sources', { name, table: documents })).status).toBe(201);
      }
      await define({
        name: `test.${name}`,
        query: `with ${name} as (select id, timestamp, event_message, metadata from sources.${name} where project = @project) select * from ${name}`,
        parameters: { project: { type: 'string', required: true } },
        sandbox: true,
        cache_seconds: 0,
        max_rows: 1000,
      });
    }
  });
  afterAll(async () => await service.close());

  it.each(queries)('answers as a source of our own with the same events: %s', async (sql) => {
    for (const token of [service.adminToken, await service.makeToken(['query'], ['mine'], true)]) {
      const expected = await ask('twin', sql, { token });
      expect(expected.status).toBe(200);
      expect((await ask('lines', sql, { token })).rows).toBe(expected.rows);
    }
  });

  it('has no pages and no tail, because the table does not say which rows are new', async () => {
    const refused = await manage('GET', '/api/endpoints/tail/test.lines?project=mine');
    expect(refused).toMatchObject({ status: 422, body: { code: 'tail.refused' } });
    expect(refused.body.detail).toContain('the source lines, whose table does not record when its rows arrived');
    const { status, body } = await service.call('test.lines', { project: 'mine', page_size: '5' });
    expect([status, body.code, body.detail]).toEqual([
      422,
      'page.unorderable',
      expect.stringContaining('the source lines, whose table does not record when its rows arrived'),
    ]);
    expect((await service.call('test.twin', { project: 'mine', page_size: '5' })).status).toBe(200);
  });

  it('gives every row an ID, also without a message, and takes no project that could be two', async () => {
    await server.run(
      `CREATE TABLE ${theirs}.bare (at DateTime, tenant String, fixed FixedString(16), line Nullable(String), unread String EPHEMERAL) ENGINE = MergeTree ORDER BY at`,
    );
    const bare = [1, 2, 3].map(
      (n) => `{"at":${nowMicros / 1e6 - n},"tenant":"mine","line":${n === 3 ? '"x"' : 'null'}}`,
    );
    await server.run(`INSERT INTO ${theirs}.bare FORMAT JSONEachRow\n${bare.join('\n')}`);
    const table = { name: `${theirs}.bare`, ...columns };
    expect(
      await manage('POST', '/api/sources', { name: 'fixed', table: { ...table, project: 'fixed' } }),
    ).toMatchObject({
      status: 422,
    });
    expect(await manage('POST', '/api/sources', { name: 'bare', table })).toMatchObject({
      status: 201,
      body: { table: { members: ['fixed'] } },
    });
    const query = 'select id, event_message from sources.bare where project = @project order by timestamp';
    await define({ name: 'test.bare', query, parameters: { project: { type: 'string' } }, max_rows: 10 });
    const { body } = await service.call('test.bare', { project: 'mine' });
    expect(body.result.map(({ event_message: text }) => text)).toEqual(['x', '', '']);
    expect(new Set(body.result.map(({ id }) => id)).size).toBe(3);
    for (const { id } of body.result) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('shows a token only the rows of its projects, whatever it asks for', async () => {
    const token = await service.makeToken(['query'], ['mine']);
    const others = rows.filter(({ tenant }) => tenant === 'other').map(({ line }) => line);
    const sql = 'select event_message, metadata from S where 1 = 1 or event_message is null';
    const { body, rows: shown } = await ask('lines', sql, { token });
    expect(body.result).toHaveLength(40);
    for (const line of others) expect(shown).not.toContain(line);
    expect((await ask('lines', sql, { token, project: 'other' })).status).toBe(403);
    // Without the project in the query, only the token holds it to its own.
    const every = 'select project, count(*) as n from sources.lines group by project order by project';
    await define({ name: 'test.every', query: every, parameters: {}, sandbox: false, max_rows: 100 });
    const of = async (headers: Readonly<Record<string, string>>) =>
      (await service.call('test.every', {}, { headers })).body.result;
    expect(await of({ 'x-api-key': token })).toEqual([{ project: 'mine', n: 40 }]);
    expect(await of({})).toHaveLength(2);
  });

  it('is redacted by the same rules', async () => {
    const token = await service.makeToken(['query'], ['mine'], true);
    const { rows: shown } = await ask('lines', 'select event_message, metadata from S', { token });
    expect(shown).not.toContain('@example.com');
    expect((await ask('lines', 'select event_message, metadata from S')).rows).toContain('@example.com');
  });

  it('refuses events, retention and deletion, and is left out of those of a whole project', async () => {
    const event = { project: 'mine', event_message: 'x', timestamp: '2026-05-20T11:00:00Z' };
    for (const [method, path, body] of [
      ['POST', '/api/logs?source=lines', [event]],
      ['POST', '/api/logs', { source: 'lines', events: [event] }],
      ['GET', '/api/sources/lines/retention', undefined],
      ['PUT', '/api/sources/lines/retention', { days: 1 }],
      ['PUT', '/api/projects/mine/retention', { sources: { lines: 1 } }],
      ['DELETE', '/api/projects/mine/events?source=lines', undefined],
    ] as const) {
      expect(await manage(method, path, body), path).toMatchObject({ status: 409, body: { code: 'source.read_only' } });
    }
    const resourceLogs = [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'x' } }] }] }];
    expect((await manage('POST', '/v1/logs?source=lines', { resourceLogs })).status).toBe(409);
    expect((await manage('PUT', '/api/projects/mine/retention', { days: 1 })).status).toBe(200);
    expect((await manage('DELETE', '/api/projects/mine/events')).status).toBe(202);
    service.clock.advanceMs(3 * 86_400_000);
    const { body } = await ask('lines', 'select count(*) as n from S');
    expect(body).toMatchObject({ result: [{ n: 40 }], meta: { notices: [] } });
    expect((await ask('twin', 'select count(*) as n from S')).body.result).toEqual([{ n: 0 }]);
    expect(await server.run(`SELECT count() FROM ${theirs}.lines`)).toBe('60\n');
  });

  it('reads one column of JSON as metadata, without replaced rows, and shows none that is no JSON object', async () => {
    const insert = `INSERT INTO ${theirs}.documents VALUES`;
    const values = [
      ['1', 'mine', '{"a":{"b":1},"c":"x@example.com"}'],
      ['2', 'mine', '{"secret":"hidden'],
      ['3', 'mine', ''],
      ['4', 'mine', '{"a":1,"a":2}'],
      ['5', '', '{}'],
      ['6', 'm\\xff', '{}'],
    ];
    for (const [key, tenant, body] of [...values, ['1', 'mine', '{"a":{"b":2.50}}']])
      await server.run(`${insert} ('2026-05-20 11:00:0${key}', ${key}, '${tenant}', 'line', '${body}')`);
    const { body } = await ask('documents', 'select id, metadata, t.metadata.a.b as b from S as t order by id');
    expect(body.result).toEqual([
      { id: '1', metadata: { a: { b: 2.5 } }, b: 2.5 },
      { id: '2', metadata: { unreadable: true }, b: null },
      { id: '3', metadata: null, b: null },
      { id: '4', metadata: expect.anything(), b: null },
    ]);
  });

  it.each([
    [{ name: 'none.lines' }, 'table.name', 'there is no such table'],
    [{ name: 'system.query_log' }, 'table.name', 'cannot be a source'],
    [{ time: 'att' }, 'table.time', 'Did you mean at?'],
    [{ time: 'line' }, 'table.time', 'must be DateTime or DateTime64'],
    [{ project: 'tags' }, 'table.project', 'must be String'],
    [{ metadata: 'tags' }, 'table.metadata', 'must be JSON or String'],
    [{ name: 'VIEW' }, 'table.name', 'its engine is View'],
  ])('is refused if it cannot be: %j', async (changes, parameter, reason) => {
    const table = { name: `${theirs}.lines`, ...columns, ...changes };
    if (table.name === 'VIEW') {
      await server.run(`CREATE VIEW ${theirs}.shown AS SELECT * FROM ${theirs}.lines`);
      table.name = `${theirs}.shown`;
    }
    const answer = await manage('POST', '/api/sources', { name: 'wrong', table });
    expect(answer).toMatchObject({ status: 422, body: { code: 'source.invalid', errors: [{ parameter }] } });
    expect(answer.body.detail).toContain(reason);
  });

  it.skipIf(!hasStandIn)('is refused with the right that is missing, and the user who lacks it', async () => {
    const choice = { database: theirs, table: 'lines', ...columns, id: null, metadata: null };
    const test = await TestClickHouseStorage.create(server);
    const withAccount = async (changes: Partial<Record<'writer' | 'reader', User>>) =>
      await test.another({ sources: [], ...changes });
    try {
      const reading = await withAccount({ reader: withoutTheirs });
      const described = await reading.describeTable?.(choice).catch((error: unknown) => error);
      expect(described).toMatchObject({ code: 'engine.denied' });
      expect(described).toHaveProperty(
        'message',
        expect.stringContaining(`GRANT SELECT ON ${theirs}.lines TO without_theirs`),
      );
      await reading.close();
      const storage = await withAccount({ writer: withoutViews });
      const existing = await storage.describeTable?.(choice);
      const source = sourceOf({ name: 'web', projectField: { kind: 'column' }, description: '', existing });
      await expect(storage.addSource(source)).rejects.toMatchObject({
        code: 'engine.denied',
        message: expect.stringContaining(`GRANT CREATE VIEW, DROP VIEW ON ${test.place.database}.web TO without_views`),
      });
      await storage.close();
    } finally {
      await test.close();
    }
  });

  it('is refused to a manager of single projects, because it opens those of all', async () => {
    const token = await service.makeToken(['manage'], ['mine']);
    const table = { name: `${theirs}.lines`, ...columns };
    expect(await manage('POST', '/api/sources', { name: 'mine', table }, token)).toMatchObject({
      status: 403,
      body: { code: 'auth.project' },
    });
  });
});
