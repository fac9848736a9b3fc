import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import type { WholeService } from '../../support/wholeService.ts';
import { type ServiceWithFields, startServiceWithFields } from './serviceWithFields.ts';
import { alder, birch } from './tenantEvents.ts';

// What queries, their notices and completions tell of fields, and to whom (contract, sections 4 and 6).

let service: WholeService;
let tokens: ServiceWithFields['tokens'];

beforeAll(async () => {
  ({ service, tokens } = await startServiceWithFields());
});
afterAll(() => service.close());

describe(onEngine('INFORMATION_SCHEMA'), () => {
  const ask = (token: string, endpoint: string, parameters: Readonly<Record<string, string>>) =>
    service.call(endpoint, parameters, { method: 'POST', headers: { 'x-api-key': token } });

  it('has the tables and columns of the sandbox, and no others', async () => {
    const sql = `select t.table_name, t.table_type, c.column_name, c.data_type
      from information_schema.tables as t join INFORMATION_SCHEMA.COLUMNS as c using (table_name)
      order by t.table_name, c.ordinal_position`;
    const { status, body } = await ask(tokens.alder, 'open.events', { sql });
    expect(status).toBe(200);
    const row = (table: string, column: string, type: string) => ({
      table_name: table,
      table_type: 'TABLE',
      column_name: column,
      data_type: type,
    });
    expect(body.result).toEqual([
      row('edge_logs', 'id', 'STRING'),
      row('edge_logs', 'timestamp', 'TIMESTAMP'),
      row('edge_logs', 'project', 'STRING'),
      row('edge_logs', 'metadata', 'JSON'),
      ...['u', 'v', 'p'].map((name) => row('renamed', name, 'JSON')),
    ]);
    const mine = 'with mine as (select 1 as x) select count(*) as n from mine, information_schema.tables';
    expect((await ask(tokens.alder, 'open.events', { sql: mine })).body.result).toEqual([{ n: 2 }]);
    const unknown = await ask(tokens.alder, 'open.events', { sql: 'select * from information_schema.column' });
    expect([unknown.status, unknown.body.errors[0]?.nearest]).toEqual([403, 'INFORMATION_SCHEMA.COLUMNS']);
  });

  it('has the fields of the tables as the caller may read them: own projects, no personal value', async () => {
    const sql = `select field_path, data_type, row_count, share, frequent_values, last_seen
      from information_schema.fields where table_name = 'edge_logs' order by field_path`;
    for (const [token, endpoint, parameters] of [
      [tokens.all, 'logs.all', { project: alder.project }],
      [tokens.alder, 'open.events', {}],
    ] as const) {
      const { status, body, text } = await ask(token, endpoint, { ...parameters, sql });
      expect(status).toBe(200);
      expect(text).not.toContain('BIRCH');
      expect(body.result).toContainEqual({
        field_path: 'metadata.response.status_code',
        data_type: 'INT64',
        row_count: 5,
        share: 1,
        frequent_values: ['200', '500'],
        last_seen: '2026-05-01T12:33:56.789321Z',
      });
    }
    const other = await ask(tokens.alder, 'logs.all', { project: birch.project, sql });
    expect([other.status, other.body.code]).toEqual([403, 'auth.project']);
    const personal = `select * from information_schema.fields where table_name in ('pooler_logs', 'renamed')`;
    for (const token of [tokens.all, tokens.redacted]) {
      for (const endpoint of ['logs.all', 'open.events']) {
        const { status, text } = await ask(token, endpoint, { project: alder.project, sql: personal });
        expect(status).toBe(200);
        expect(text).toContain('REDACTED:ip');
        expect(text).not.toMatch(/jane|max@|203\.0\.113|very-secret/);
      }
    }
  });

  it('reads only the tables that the conditions of the query name', async () => {
    await service.define({
      id: '00000000-0000-4000-8000-000000000024',
      name: 'broken.table',
      sandbox: true,
      query: `with edge_logs as (select id, metadata from sources.edge_logs),
        broken as (select cast(id as int64) as n from sources.edge_logs)
        select id from edge_logs`,
    });
    const sql = 'select count(*) > 0 as found from information_schema.fields';
    const named = await ask(tokens.alder, 'broken.table', { sql: `${sql} where table_name = 'edge_logs'` });
    expect([named.status, named.body.result]).toEqual([200, [{ found: true }]]);
    const all = await ask(tokens.alder, 'broken.table', { sql });
    expect([all.status, all.body.code]).toEqual([400, 'sql.data']);
  });

  it('cannot be read by way of a parameter, or by a stored query', async () => {
    const { body } = await ask(tokens.all, 'open.events', { sql: 'select @fields as f' });
    expect([body.code, body.errors[0]?.allowed]).toEqual(['sql.unknown_name', []]);
    await service.define({
      id: '00000000-0000-4000-8000-000000000023',
      name: 'stored.schema',
      query: 'select table_name from information_schema.tables',
    });
    expect((await ask(tokens.all, 'stored.schema', {})).body.code).toBe('sql.unknown_name');
  });
});

describe(onEngine('a caller query with a member that no event has'), () => {
  const noticesOf = async (token: string, endpoint: string, parameters: Readonly<Record<string, string>>) => {
    const { status, body } = await service.call(endpoint, parameters, {
      method: 'POST',
      headers: { 'x-api-key': token },
    });
    expect(status).toBe(200);
    return body.meta.notices;
  };
  const notice = (path: string, nearest?: string) => ({
    code: 'sql.path_unknown',
    message: `No row of edge_logs has ${path}, so it is NULL.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
  });

  it('is told so, with the nearest member that events have', async () => {
    const project = alder.project;
    for (const [sql, expected] of [
      ['select metadata.request.pth from edge_logs', notice('metadata.request.pth', 'metadata.request.path')],
      [
        'select r.pth from edge_logs as t, unnest(t.metadata.request) as r',
        notice('metadata.request.pth', 'metadata.request.path'),
      ],
      ['select metadata.origin_time from edge_logs', notice('metadata.origin_time', 'metadata.response.origin_time')],
      ['select metadata.entirely_different_words from edge_logs', notice('metadata.entirely_different_words')],
    ] as const) {
      const [found] = await noticesOf(tokens.all, 'logs.all', { project, sql });
      expect(found, sql).toEqual(expected);
    }
  });

  it('is not told of members that events have, that sources declare, or of empty tables', async () => {
    const project = alder.project;
    for (const sql of [
      'select metadata.only_ALDER, metadata.n, metadata.words from edge_logs',
      'select metadata.request.search from edge_logs',
      'select w from edge_logs, unnest(metadata.words) as w',
      'select metadata.nothing from edge_logs limit 0',
    ]) {
      const count = sql.includes('nothing') ? 1 : 0;
      expect(await noticesOf(tokens.all, 'logs.all', { project, sql }), sql).toHaveLength(count);
    }
    const sql = 'select metadata.nothing from edge_logs';
    expect(await noticesOf(tokens.all, 'logs.all', { project: 'tenant-nobody', sql })).toEqual([]);
  });

  it('never learns of members of other projects, also after others asked the same', async () => {
    for (const [token, path, nearest] of [
      [tokens.birch, 'metadata.only_BIRC', 'metadata.only_BIRCH'],
      [tokens.all, 'metadata.only_BIRC', 'metadata.only_BIRCH'],
      [tokens.alder, 'metadata.only_BIRC', undefined],
      [tokens.alder, 'metadata.only_BIRCH', undefined],
      [tokens.alder, 'metadata.only_ALDE', 'metadata.only_ALDER'],
    ] as const) {
      const sql = `select ${path} from edge_logs`;
      const notices = await noticesOf(token, 'open.events', { sql });
      const [found] = notices;
      expect(found?.code).toBe('sql.path_unknown');
      expect(found?.message).not.toContain(token === tokens.alder ? 'Did you mean metadata.only_BIRCH' : 'only_ALDER');
      if (nearest !== undefined) expect(found).toEqual(notice(path, nearest));
    }
    // A member of its own project is none that no event has.
    expect(await noticesOf(tokens.birch, 'open.events', { sql: 'select metadata.only_BIRCH from edge_logs' })).toEqual(
      [],
    );
  });

  it('costs the same work whether another project has the member or nobody', async () => {
    const queriesFor = async (member: string) => {
      const before = service.observations.length;
      const [found] = await noticesOf(tokens.alder, 'open.events', {
        sql: `select metadata.${member} as m from edge_logs`,
      });
      expect(found?.message).toContain(member);
      return service.observations.slice(before).flatMap((each) => {
        return each.kind === 'query.ended' ? [[each.endpoint, each.outcome]] : [];
      });
    };
    expect(await queriesFor('only_BIRCH')).toEqual(await queriesFor('only_NOBDY'));
  });

  it('gets no personal value in the notice', async () => {
    const sql = 'select metadata.seen.`jan@example.com` from pooler_logs';
    for (const token of [tokens.all, tokens.redacted]) {
      const [found] = await noticesOf(token, 'logs.all', { project: alder.project, sql });
      expect(found?.code).toBe('sql.path_unknown');
      expect(found?.message).not.toContain('jane@');
    }
  });
});

describe(onEngine('completion of a command line'), () => {
  const complete = async (token: string, line: string) => {
    const { code, out, err } = await runCommandLine(service, ['completion', 'bash', line], token);
    return { code, err, words: out.split('\n').filter((word) => word !== '') };
  };

  it('knows the endpoints of the token, the tables, and the next step of a path', async () => {
    const endpoints = await complete(tokens.alder, 'query ');
    expect(endpoints.words).toEqual(expect.arrayContaining(['logs.all', 'open.events']));
    expect((await complete(tokens.alder, 'query open.')).words).toEqual(['open.events']);
    expect((await complete(service.adminToken, 'endpoints show clo')).words).toEqual(['closed.events']);
    expect((await complete(tokens.alder, 'describe open.events ')).words).toEqual([
      'edge_logs',
      'edge_logs.',
      'renamed',
      'renamed.',
    ]);
    const line = `describe logs.all -p project=${alder.project} edge_logs.metadata.re`;
    expect((await complete(tokens.alder, line)).words).toEqual(
      ['request', 'response'].flatMap((name) => [`edge_logs.metadata.${name}`, `edge_logs.metadata.${name}.`]),
    );
    for (const none of ['describe --url ', 'sources alias ', 'endpoints ', 'tokens revoke ']) {
      expect((await complete(tokens.alder, none)).words).toEqual([]);
    }
  });

  it('knows no member of other projects', async () => {
    const { words } = await complete(tokens.alder, 'describe open.events edge_logs.metadata.only_');
    expect(words).toEqual(['edge_logs.metadata.only_ALDER']);
    const other = await complete(tokens.alder, `describe logs.all -p project=${birch.project} edge_logs.metadata.`);
    expect([other.code, other.words]).toEqual([1, []]);
  });

  it('gives only words that no shell reads otherwise', async () => {
    const { words } = await complete(tokens.all, `describe logs.all -p project=${alder.project} pooler_logs.metadata.`);
    expect(words).toContain('pooler_logs.metadata.seen.');
    expect(words.filter((word) => !/^[\w.]+$/.test(word))).toEqual([]);
  });
});
