import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { alder, birch, plainEvents } from './tenantEvents.ts';

// Who may learn which fields events have, and which of their values (contract, sections 4 and 6).

const now = at('2026-05-01T12:34:56.789Z') + 321;
const cedar = 'tenant-cedar';
const openId = '00000000-0000-4000-8000-000000000021';

interface Field {
  readonly table: string;
  readonly path: string;
  readonly types: readonly string[];
  readonly rows: number;
  readonly share: number;
  readonly distinct: number;
  readonly values: readonly { readonly value: unknown; readonly share: number }[];
  readonly personal: boolean;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
}

let service: WholeService;
let tokens: Readonly<Record<'alder' | 'birch' | 'all' | 'redacted' | 'ingest', string>>;

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now, settings: { redactionRowsMax: 2_000 } });
  for (const tenant of [alder, birch]) {
    for (const [stream, events] of plainEvents(tenant, now, 5)) await service.send(stream, events);
  }
  await service.send('pooler_logs', [
    {
      id: 'personal-1',
      timestamp: now - 1000,
      event_message: 'from 203.0.113.7',
      project: alder.project,
      metadata: {
        client: 'jane@example.com',
        peer: '203.0.113.7',
        user_email: 'jane@example.com',
        latitude: 48.1,
        seen: { 'jane@example.com': 1, 'max@example.com': 2 },
        headers: [{ name: 'Cookie', value: 'very-secret' }],
      },
    },
  ]);
  await service.send(
    'rest_api_logs',
    Array.from({ length: 4_500 }, (_, i) => ({
      id: `cedar-${i}`,
      timestamp: now - (i < 4_000 ? i : i * 1000) * 1000,
      event_message: '',
      project: cedar,
      metadata: i < 4_000 ? { recent: true } : { old: i },
    })),
  );
  await service.define({
    id: openId,
    name: 'open.events',
    sandbox: true,
    query: `with edge_logs as (select id, timestamp, project, metadata from sources.edge_logs),
      renamed as (select metadata.user_email as u, metadata.headers[0].value as v, metadata.peer as p from sources.pooler_logs)
      select id from edge_logs`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000025',
    name: 'altered.events',
    sandbox: true,
    query: `with cut as (select timestamp, left(event_message, 12) as start from sources.pooler_logs),
      born as (select timestamp_seconds(cast(metadata.latitude as int64)) as timestamp from sources.pooler_logs),
      mixed as (select timestamp, metadata, cast(id as int64) as broken from sources.pooler_logs)
      select start from cut`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000022',
    name: 'closed.events',
    sandbox: false,
    query: 'select id from sources.edge_logs',
  });
  tokens = {
    alder: await service.makeToken(['query'], [alder.project]),
    birch: await service.makeToken(['query'], [birch.project]),
    all: await service.makeToken(['query']),
    redacted: await service.makeToken(['query'], undefined, true),
    ingest: await service.makeToken(['ingest']),
  };
  service.clock.advanceMs(1000);
});
afterAll(() => service.close());

async function fieldsOf(
  token: string,
  endpoint: string,
  parameters: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const query = new URLSearchParams({ limit: '1000', ...parameters });
  const response = await fetch(`${service.url}/api/endpoints/${endpoint}/fields?${query}`, {
    headers: { 'x-api-key': token, ...headers },
  });
  const text = await response.text();
  const body = JSON.parse(text);
  const fields = new Map<string, Field>((body.result ?? []).map((field: Field) => [field.path, field]));
  return { status: response.status, text, body, fields };
}

describe(onEngine('fields of an endpoint'), () => {
  it('tell types, shares, values and times of every member of the project', async () => {
    const { status, fields, body } = await fieldsOf(tokens.all, 'logs.all', {
      project: alder.project,
      prefix: 'edge_logs.',
    });
    expect(status).toBe(200);
    expect(fields.get('edge_logs.metadata.response.status_code')).toMatchObject({
      types: ['INT64'],
      rows: 5,
      share: 1,
      distinct: 2,
      values: [
        { value: 200, share: 0.6 },
        { value: 500, share: 0.4 },
      ],
      personal: false,
      last_seen: '2026-05-01T12:33:56.789321Z',
    });
    expect(fields.get('edge_logs.metadata.words[]')).toMatchObject({ types: ['STRING'], distinct: 6 });
    expect(fields.get('edge_logs.timestamp')).toMatchObject({ types: ['TIMESTAMP'], share: 1 });
    expect(body.tables).toEqual([
      expect.objectContaining({ name: 'edge_logs', rows: 5, rows_read: 5, complete: true }),
    ]);
  });

  it('show nothing of other projects: no member, no value, no count', async () => {
    for (const [token, endpoint, parameters] of [
      [tokens.all, 'logs.all', { project: alder.project }],
      [tokens.alder, 'logs.all', { project: alder.project }],
      [tokens.alder, 'open.events', {}],
      [tokens.alder, openId, { prefix: 'edge_logs' }],
    ] as const) {
      const { status, text, fields } = await fieldsOf(token, endpoint, parameters);
      expect([status, text]).toEqual([200, expect.stringContaining('only_ALDER')]);
      expect(text).not.toContain('BIRCH');
      expect(text).not.toMatch(/888\d{4}/);
      expect(fields.get('edge_logs.metadata')).toMatchObject({ rows: 5, share: 1 });
    }
    const both = await fieldsOf(tokens.all, 'open.events', { prefix: 'edge_logs' });
    expect(both.fields.get('edge_logs.metadata.only_BIRCH')).toMatchObject({ rows: 5, share: 0.5 });
  });

  it('tell the nearest table to a caller whose prefix begins with none', async () => {
    for (const prefix of ['edge_log.', 'edge_logs[', 'edge_logss'])
      expect((await fieldsOf(tokens.all, 'open.events', { prefix })).body.errors[0].nearest).toBe('edge_logs');
  });

  it('are refused like a call for another project, and to tokens that may not call', async () => {
    const other = await fieldsOf(tokens.alder, 'logs.all', { project: birch.project });
    expect([other.status, other.body.code]).toEqual([403, 'auth.project']);
    expect(other.text).not.toContain('BIRCH');
    expect((await fieldsOf(tokens.alder, 'logs.all')).body.code).toBe('parameter.missing');
    expect((await fieldsOf(tokens.ingest, 'logs.all')).status).toBe(403);
    expect((await fieldsOf('wrong', 'logs.all')).status).toBe(401);
    expect((await fieldsOf(tokens.all, 'closed.events')).body.code).toBe('sandbox.disabled');
    const unknown = await fieldsOf(tokens.all, 'open.event');
    expect([unknown.status, unknown.body.errors[0].nearest]).toEqual([404, 'open.events']);
  });

  it('never show personal values, whether or not the call demands redaction', async () => {
    const header = { 'svc-endpoint-redact-pii': 'true' };
    for (const [token, headers] of [
      [tokens.all, {}],
      [tokens.all, header],
      [tokens.redacted, {}],
    ] as const) {
      const parameters = { project: alder.project, prefix: 'pooler_logs' };
      const { status, text, fields } = await fieldsOf(token, 'logs.all', parameters, headers);
      expect(status).toBe(200);
      expect(text).not.toMatch(/jane|max@|203\.0\.113|very-secret|48\.1/);
      expect(fields.get('pooler_logs.metadata.user_email')).toMatchObject({ personal: true, values: [] });
      expect(fields.get('pooler_logs.metadata.peer')?.values).toEqual([{ value: '[REDACTED:ip]', share: 1 }]);
      // An address as the name of a member.
      expect(fields.get('pooler_logs.metadata.seen.`[REDACTED:email]`')).toMatchObject({ types: ['INT64'] });
      // Members that the stored query renamed.
      const renamed = await fieldsOf(token, 'open.events', { prefix: 'renamed' }, headers);
      expect(renamed.text).not.toMatch(/jane|203\.0\.113|very-secret/);
      expect(renamed.fields.get('renamed.u')).toMatchObject({ personal: true, values: [] });
    }
  });

  it('come in pages that together are the whole list', async () => {
    const whole = await fieldsOf(tokens.all, 'logs.all', { project: alder.project });
    const paths: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await fieldsOf(tokens.all, 'logs.all', {
        project: alder.project,
        limit: '70',
        ...(cursor === '' ? {} : { cursor }),
      });
      expect(page.status).toBe(200);
      paths.push(...page.fields.keys());
      cursor = page.body.next;
    }
    expect(paths).toEqual([...whole.fields.keys()]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('are those of events within the time range, after `from` and up to `to`', async () => {
    const window = { from: '2026-05-01T12:26:56.789321Z', to: '2026-05-01T12:33:56.789321Z' };
    const parameters = { project: alder.project, prefix: 'edge_logs', ...window };
    const { fields } = await fieldsOf(tokens.all, 'logs.all', parameters);
    expect(fields.get('edge_logs.id')).toMatchObject({ rows: 1, values: [{ value: 'ALDER-edge_logs-0', share: 1 }] });
    const none = await fieldsOf(tokens.all, 'logs.all', { ...parameters, to: '2026-05-01T12:26:57Z' });
    expect([...none.fields.values()].map(({ path, share }) => [path, share])).toEqual([
      ['edge_logs.event_message', 0],
      ['edge_logs.id', 0],
      ['edge_logs.metadata', 0],
      ['edge_logs.timestamp', 0],
    ]);
  });

  it('are estimated from a sample that is spread over time, if a table is large', async () => {
    const { fields, body } = await fieldsOf(tokens.all, 'logs.all', { project: cedar, prefix: 'rest_api_logs' });
    const [table] = body.tables;
    expect(table).toMatchObject({ name: 'rest_api_logs', rows: 4_500, complete: false });
    expect(table.rows_read).toBeLessThanOrEqual(2_000);
    // Half of the time has only a ninth of the events.
    expect(fields.get('rest_api_logs.metadata.recent')?.share).toBeCloseTo(8 / 9, 1);
    expect(fields.get('rest_api_logs.metadata.old')?.share).toBeCloseTo(1 / 9, 1);
    expect(fields.get('rest_api_logs.metadata')).toMatchObject({ share: 1, rows: 4_500 });
  });

  it('are read from tables of any size if the call demands redaction, with the same answer', async () => {
    const parameters = { project: cedar, prefix: 'rest_api_logs' };
    const open = await fieldsOf(tokens.all, 'logs.all', parameters);
    const redacted = await fieldsOf(tokens.redacted, 'logs.all', parameters);
    expect([redacted.status, redacted.body.tables]).toEqual([200, open.body.tables]);
    expect([...redacted.fields.keys()]).toEqual([...open.fields.keys()]);
  });

  it('show no part of a redacted text, and no time made from a personal number, if the call demands redaction', async () => {
    const cut = { prefix: 'cut' };
    expect((await fieldsOf(tokens.all, 'altered.events', cut)).text).toContain('from 203.0.1');
    const born = { prefix: 'born', from: '1970-01-01T00:00:47Z', to: '1970-01-01T00:00:49Z' };
    expect((await fieldsOf(tokens.all, 'altered.events', born)).body.tables).toMatchObject([{ rows: 1 }]);
    for (const [token, headers] of [
      [tokens.redacted, {}],
      [tokens.all, { 'svc-endpoint-redact-pii': 'true' }],
    ] as const) {
      const { status, text } = await fieldsOf(token, 'altered.events', cut, headers);
      expect([status, text]).toEqual([200, expect.not.stringContaining('203.0')]);
      const hidden = await fieldsOf(token, 'altered.events', born, headers);
      expect(hidden.body.tables).toMatchObject([{ rows: 0 }]);
    }
  });

  it('are read from the columns that the prefix can reach, and no others', async () => {
    const broken = await fieldsOf(tokens.all, 'altered.events', { prefix: 'mixed' });
    expect([broken.status, broken.body.code]).toEqual([400, 'sql.data']);
    const { status, fields } = await fieldsOf(tokens.all, 'altered.events', { prefix: 'mixed.metadata.pe' });
    expect([status, [...fields.keys()]]).toEqual([200, ['mixed.metadata.peer']]);
    expect(fields.get('mixed.metadata.peer')?.first_seen).not.toBeNull();
  });

  it('refuses options that mean nothing, naming what is allowed', async () => {
    const project = { project: alder.project };
    for (const [parameters, code] of [
      [{ from: 'yesterday' }, 'parameter.invalid'],
      [{ limit: '0' }, 'parameter.invalid'],
      [{ cursor: 'forged' }, 'parameter.invalid'],
      [{ sql: 'select 1' }, 'parameter.unknown'],
      [{ prefix: 'edge_lgs.metadata' }, 'parameter.invalid'],
    ] as const) {
      expect((await fieldsOf(tokens.all, 'logs.all', { ...project, ...parameters })).body.code).toBe(code);
    }
    const misspelt = await fieldsOf(tokens.all, 'logs.all', { ...project, prefix: 'edge_lgs.metadata' });
    expect(misspelt.body.errors[0]).toMatchObject({ nearest: 'edge_logs' });
  });
});

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
