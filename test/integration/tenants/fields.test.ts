import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import type { WholeService } from '../../support/wholeService.ts';
import { now, openId, type ServiceWithFields, startServiceWithFields } from './serviceWithFields.ts';
import { alder, birch } from './tenantEvents.ts';

// Who may learn which fields events have, and which of their values (contract, sections 4 and 6).

const cedar = 'tenant-cedar';

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
let tokens: ServiceWithFields['tokens'];

beforeAll(async () => {
  ({ service, tokens } = await startServiceWithFields());
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
