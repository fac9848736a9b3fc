import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const secret = 'SECRET-OF-ANOTHER-TENANT';

let service: WholeService;
let tokens: Readonly<Record<'query' | 'explain' | 'manager' | 'walledManager', string>>;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.send('edge_logs', [
    {
      id: 'own',
      timestamp: now - second,
      project: 'own',
      event_message: 'OWN-ROW',
      metadata: { request: { path: '/own' } },
    },
    { id: secret, timestamp: now - second, project: 'other', event_message: secret, metadata: { secret } },
  ]);
  tokens = {
    query: await service.makeToken(['query']),
    explain: await service.makeToken(['query', 'query:explain']),
    manager: await service.makeToken(['query', 'query:explain', 'manage']),
    walledManager: await service.makeToken(['query', 'query:explain', 'manage'], ['own']),
  };
  // The store is looked at twice a second.
  service.clock.advanceMs(1000);
});
afterAll(() => service.close());

interface DryRun {
  readonly language: string;
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly parameters: readonly { readonly name: string; readonly used: boolean }[];
  readonly rows_max: number;
  readonly sources?: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly engine?: { readonly statement: string; readonly plan: string };
}

async function dryRun(parameters: Readonly<Record<string, string>>, token: keyof typeof tokens, endpoint = 'logs.all') {
  const answer = await service.call(
    endpoint,
    { project: 'own', dry_run: 'true', ...parameters },
    { method: 'POST', headers: { 'x-api-key': tokens[token] } },
  );
  const body = JSON.parse(answer.text) as {
    readonly dry_run: DryRun;
    readonly meta: { readonly notices: readonly { readonly code: string }[] };
  };
  return { ...answer, ...body };
}

describe('a dry run', () => {
  it('is none with dry_run=false, and refused without a value', async () => {
    const { status, text } = await service.call('logs.all', { project: 'own', dry_run: 'false' });
    expect(status).toBe(200);
    expect(text).toContain('OWN-ROW');
    const bare = await service.call('logs.all', { project: 'own', dry_run: '' });
    expect({ status: bare.status, code: JSON.parse(bare.text).code }).toEqual({
      status: 400,
      code: 'parameter.invalid',
    });
  });

  it.each([{}, { sql: 'select 1' }, { lql: 'f:edge_logs x' }])('needs the scope query:explain: %j', async (query) => {
    const { status, text } = await dryRun(query, 'query');
    expect({ status, code: JSON.parse(text).code }).toEqual({ status: 403, code: 'auth.scope' });
  });

  it('of SQL names what the caller reads of the tables of the endpoint', async () => {
    const sql = `select r.path, count(*) as n from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r
      where t.timestamp > timestamp '2026-01-01' group by 1 limit 20`;
    const { status, dry_run, meta } = await dryRun({ sql, ref: 'x' }, 'explain');
    expect(status).toBe(200);
    expect(dry_run).toEqual({
      language: 'sql',
      tables: [{ name: 'edge_logs', columns: ['metadata.request.path', 'timestamp'] }],
      columns: [
        { name: 'path', type: 'JSON' },
        { name: 'n', type: 'INT64' },
      ],
      parameters: [
        { name: 'project', type: 'string', required: true, used: true },
        { name: 'iso_timestamp_start', type: 'timestamp', required: false, used: true },
        { name: 'iso_timestamp_end', type: 'timestamp', required: false, used: true },
      ],
      rows_max: 20,
    });
    expect(meta.notices.map(({ code }) => code)).toEqual(['parameter.unknown']);
  });

  it('of LQL does so as well', async () => {
    const { dry_run } = await dryRun(
      { lql: 'f:edge_logs timeout m.response.status_code:>=500 c:p95(m.response.origin_time)' },
      'explain',
    );
    expect(dry_run).toMatchObject({
      language: 'lql',
      tables: [
        {
          name: 'edge_logs',
          columns: ['event_message', 'metadata.response.origin_time', 'metadata.response.status_code', 'timestamp'],
        },
      ],
      columns: [
        { name: 'timestamp', type: 'TIMESTAMP' },
        { name: 'p95', type: 'FLOAT64' },
      ],
      rows_max: 1000,
    });
    expect(dry_run.parameters.map(({ name }) => name)).toEqual(['project', 'iso_timestamp_start', 'iso_timestamp_end']);
  });

  it('of the stored query does so as well', async () => {
    const { dry_run } = await dryRun({ interval: '1day' }, 'explain', 'functions.invocation-stats');
    expect(dry_run.language).toBe('stored');
    expect(dry_run.tables.map(({ name }) => name)).toEqual(['dates', 'agg']);
    expect(dry_run.columns.map(({ name }) => name)).toContain('p95_execution_time');
  });

  it.each([{}, { sql: 'select * from edge_logs' }, { lql: 'f:edge_logs OWN' }])(
    'tells a caller who is no manager nothing of sources, statement, plan or data: %j',
    async (query) => {
      const { dry_run, text } = await dryRun(query, 'explain');
      expect(dry_run.sources).toBeUndefined();
      expect(dry_run.engine).toBeUndefined();
      expect(text).not.toMatch(/sources|active_|sealed_|duckdb|OWN-ROW|SECRET/i);
    },
  );

  it.each([
    [{}, { name: 'edge_logs', columns: ['event_message', 'id', 'metadata', 'project', 'timestamp'] }],
    [{ sql: 'select count(*) as n from edge_logs' }, { name: 'edge_logs', columns: ['project', 'timestamp'] }],
    [
      { lql: 'f:edge_logs s:m.request.path' },
      { name: 'edge_logs', columns: ['metadata.request.path', 'project', 'timestamp'] },
    ],
  ])('tells a manager the sources, the statement and the plan, and no data: %j', async (query, source) => {
    const { dry_run, text } = await dryRun(query, 'manager');
    expect(dry_run.sources).toEqual([source]);
    expect(dry_run.engine?.statement).toMatch(/^\s*(?:select|with)\b/i);
    expect(dry_run.engine?.plan).toContain(source.name);
    expect(text).not.toMatch(/OWN-ROW|SECRET/);
  });

  it('does not tell a manager who is held to some projects how many events others have', async () => {
    const { status, dry_run } = await dryRun({}, 'walledManager');
    expect(status).toBe(200);
    expect(dry_run.sources).toBeDefined();
    expect(dry_run.engine).toBeUndefined();
    const other = await dryRun({ project: 'other' }, 'walledManager');
    expect({ status: other.status, code: JSON.parse(other.text).code }).toEqual({ status: 403, code: 'auth.project' });
  });

  it.each(['explain', 'manager'] as const)(
    'runs nothing: what would fail or never end is described (%s)',
    async (token) => {
      const failing = await dryRun({ sql: 'select 1 / (length(id) - length(id)) as x from edge_logs' }, token);
      expect(failing.status, failing.text).toBe(200);
      const endless = await dryRun(
        {
          sql: 'select count(*) as n from unnest(generate_array(1, 100000)), unnest(generate_array(1, 100000)), unnest(generate_array(1, 100000))',
        },
        token,
      );
      expect(endless.status, endless.text).toBe(200);
    },
  );

  it.each([
    [{ sql: 'select nothing from edge_logs' }, 400, 'sql.unknown_name'],
    [{ sql: 'select 1 from sources.edge_logs' }, 403, 'sandbox.table'],
    [{ lql: 'm.x:' }, 400, 'lql.syntax'],
    [{ project: '' }, 400, 'parameter.missing'],
  ])('refuses what the call would be refused for: %j', async (query, status, code) => {
    const { status: given, text } = await dryRun(query, 'manager');
    expect({ status: given, code: JSON.parse(text).code }).toEqual({ status, code });
  });
});
