import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// Definitions of another service become endpoints of a real one, and every member is accounted for.

const now = at('2026-05-01T12:00:00Z');

interface ReportedDefinition {
  readonly exported_name: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly outcome: string;
  readonly findings: readonly { readonly kind: string; readonly member: string; readonly message: string }[];
}

let service: WholeService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-import-'));
  service = await startWholeService({ nowMicros: now });
  await service.send('edge_logs', [
    { id: 'one', timestamp: now - second, project: 'own', event_message: 'ONE-ROW' },
    { id: 'two', timestamp: now - second, project: 'other', event_message: 'OTHER-ROW' },
  ]);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const logmill = (...args: readonly string[]) => runCommandLine(service, args);

const logmillWith = (token: string, ...args: readonly string[]) => runCommandLine(service, args, token);

function exported(name: string, definitions: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(definitions));
  return file;
}

async function report(
  ...args: readonly string[]
): Promise<{ code: number; definitions: readonly ReportedDefinition[] }> {
  const { code, out, err } = await logmill('endpoints', 'import', '--json', ...args);
  expect(out, err).not.toBe('');
  return { code, definitions: (JSON.parse(out) as { definitions: readonly ReportedDefinition[] }).definitions };
}

const members = (definition: ReportedDefinition | undefined, kind: string) =>
  definition?.findings.filter((finding) => finding.kind === kind).map(({ member }) => member) ?? [];

const good = {
  id: 17,
  token: '0c9f3a52-6a3e-4c43-9f0e-6f1f8f0e2b11',
  name: 'Team.Edge Rows',
  description: 'Rows of a project.',
  query:
    "with rows_ as (select t.id, t.event_message from `acme.logs.edge_logs` as t where t.project = @project and (@id = '' or @id is null or t.id = @id)) select * from rows_",
  language: 'bq_sql',
  cache_duration_seconds: 60,
  proactive_requerying_seconds: 1800,
  max_limit: 50_000,
  sandboxable: true,
  enable_auth: true,
  redact_pii: false,
  source_mapping: { 'edge.logs': '11111111-2222-4333-8444-555555555555' },
  labels: 'team=edge',
  inserted_at: '2024-01-01T00:00:00Z',
};

describe('an exported definition', () => {
  it('becomes an endpoint that answers, by the id it had', async () => {
    const { code, definitions } = await report(exported('good.json', [good]));
    expect(code).toBe(0);
    expect(definitions.map(({ id, name, outcome }) => [id, name, outcome])).toEqual([
      [good.token, 'team.edge-rows', 'imported'],
    ]);
    service.clock.advanceMs(1000);
    for (const path of [good.token, 'team.edge-rows']) {
      const { status, body } = await service.call(path, { project: 'own', id: '' });
      expect([status, body.result]).toEqual([200, [{ id: 'one', event_message: 'ONE-ROW' }]]);
    }
    const own = await service.call('team.edge-rows', { project: 'own', sql: 'select count(*) as n from rows_' });
    expect(own.body.result).toEqual([{ n: 1 }]);
  });

  it('is reported member by member, none left unsaid', async () => {
    const { definitions } = await report(exported('report.json', [good]), '--dry-run');
    const [definition] = definitions;
    const told = new Set(definition?.findings.map(({ member }) => member));
    expect(Object.keys(good).filter((member) => !told.has(member))).toEqual([]);
    expect(members(definition, 'needs_person')).toEqual([]);
    expect(members(definition, 'left_out')).toEqual(['id', 'labels', 'inserted_at']);
    expect(new Set(members(definition, 'changed'))).toEqual(
      new Set(['name', 'query', 'proactive_requerying_seconds', 'max_limit']),
    );
    const messages = definition?.findings.map(({ message }) => message).join('\n') ?? '';
    expect(messages).toContain('reduced from 1800 to 59 (allowed: 5–59 with 60 s of caching)');
    expect(messages).toContain('reduced from 50000 to 10000 (allowed: 1–10000)');
    expect(messages).toContain('table acme.logs.edge_logs becomes sources.edge_logs');
    expect(messages).toContain(
      '@id is declared as an optional string; NULL if absent, and can be empty because the query compares it',
    );
  });

  it('can be imported again, and is then as it was', async () => {
    const [first, again] = [
      await report(exported('again.json', [{ name: 'no.id', query: 'select 1 as n' }])),
      await report(exported('again.json', [{ name: 'no.id', query: 'select 1 as n' }])),
    ];
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.definitions[0]?.id).toBe(first.definitions[0]?.id);
    const { out } = await logmill('endpoints', 'list', '--json');
    expect(out.match(/"no\.id"/g)).toHaveLength(1);
  });
});

describe('what needs a person', () => {
  const bad = [
    { name: 'broken', query: 'select id\nfrom `edge.logs` where', enable_auth: false },
    { name: 'elsewhere', query: 'select id from `billing.invoices`' },
    { name: 'postgres', query: 'select 1', language: 'pg_sql' },
    { name: 'secret', query: 'select 1 as n', token: 'a-secret-value' },
    { name: 'twice', query: 'select 1 as n' },
    { name: 'TWICE', query: 'select 2 as n' },
    { name: 'typed', query: 'select 1 as n', max_limit: 'many', cache_duration_seconds: '60' },
    { name: '', query: null },
  ];

  it('is told with its place, and does not stop the others', async () => {
    const { code, definitions } = await report(exported('bad.json', bad));
    expect(code).toBe(1);
    expect(definitions.map(({ exported_name, outcome }) => [exported_name, outcome])).toEqual([
      ['broken', 'not_imported'],
      ['elsewhere', 'not_imported'],
      ['postgres', 'not_imported'],
      ['secret', 'imported'],
      ['twice', 'imported'],
      ['TWICE', 'not_imported'],
      ['typed', 'imported'],
      ['(no name)', 'not_imported'],
    ]);
    const [broken, elsewhere, postgres, secret, , , typed, nameless] = definitions;
    expect(members(typed, 'needs_person').sort()).toEqual(['cache_duration_seconds', 'max_limit']);
    expect(members(typed, 'taken')).toEqual(['name', 'query']);
    expect(members(nameless, 'needs_person')).toEqual(['name', 'query']);
    const messages = (definition: ReportedDefinition | undefined) =>
      definition?.findings
        .filter(({ kind }) => kind === 'needs_person')
        .map(({ message }) => message)
        .join('\n') ?? '';
    expect(messages(broken)).toMatch(/line 2, column \d+/);
    expect(members(broken, 'needs_person')).toContain('enable_auth');
    expect(messages(elsewhere)).toContain('billing.invoices (line 1, column 16)');
    expect(members(postgres, 'needs_person')).toEqual(['language']);
    expect(members(secret, 'needs_person')).toEqual(['token']);
    expect(JSON.stringify(definitions)).not.toContain('a-secret-value');
    service.clock.advanceMs(1000);
    expect((await service.call('broken', {})).status).toBe(404);
    expect((await service.call('secret', {})).body.result).toEqual([{ n: 1 }]);
  });

  it('is a table that --source then names', async () => {
    const file = exported('given.json', [{ name: 'given', query: 'select id from `billing.invoices`' }]);
    const { code, definitions } = await report(file, '--dry-run', '--source', 'billing.invoices=edge_logs');
    expect([code, definitions[0]?.outcome]).toEqual([0, 'ready']);
    const wrong = await logmill('endpoints', 'import', file, '--source', 'billing.invoices=edge_log');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('edge_logs')]);
  });

  it('is told of a file that is no export', async () => {
    for (const text of ['{', '[1]']) {
      const file = join(folder, 'none.json');
      writeFileSync(file, text);
      const { code, err } = await logmill('endpoints', 'import', file);
      expect([code, err]).toEqual([1, expect.stringContaining('none.json')]);
    }
    expect((await logmill('endpoints', 'import', join(folder, 'missing.json'))).code).toBe(2);
  });
});

it('knows the streams that the service has besides, and their other names', async () => {
  const created = await fetch(`${service.url}/api/sources`, {
    method: 'POST',
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'payment_logs', project_field: 'project', aliases: ['billing.events'] }),
  });
  expect(created.status).toBe(201);
  const file = exported('sources.json', [
    { name: 'by.name', query: 'select id, metadata.amount as amount from `acme.payment_logs`' },
    { name: 'by.alias', query: 'select id from `billing.events`' },
  ]);
  const { code, definitions } = await report(file);
  expect([code, definitions.map(({ outcome }) => outcome)]).toEqual([0, ['imported', 'imported']]);
  service.clock.advanceMs(1000);
  expect((await service.call('by.alias', {})).body.result).toEqual([]);
});

it('does nothing in a dry run, for which no service is needed', async () => {
  const file = exported('dry.json', [{ name: 'only.dry', query: 'select 1 as n' }]);
  const { code, out, err } = await logmillWith(
    '',
    'endpoints',
    'import',
    file,
    '--dry-run',
    '--url',
    'http://127.0.0.1:1',
  );
  expect([code, out]).toEqual([0, expect.stringContaining('only.dry → only.dry')]);
  expect(err).toContain('nothing was changed');
  expect((await service.call('only.dry', {})).status).toBe(404);
});

it('writes files that deploy to the same, and writes over nothing', async () => {
  const to = join(folder, 'files');
  const file = exported('files.json', [good, { name: 'plain', query: 'select 1 as n' }]);
  const { code, definitions } = await report(file, '--to', to);
  expect([code, definitions.map(({ outcome }) => outcome)]).toEqual([0, ['written', 'written']]);
  expect(readdirSync(to).sort()).toEqual(['plain.sql', 'plain.yaml', 'team.edge-rows.sql', 'team.edge-rows.yaml']);
  const checked = await logmill('endpoints', 'deploy', to, '--dry-run');
  expect(checked.err).toContain('1 created, 0 changed, 1 unchanged');
  const again = await logmill('endpoints', 'import', file, '--to', to);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('nothing was written')]);
});
