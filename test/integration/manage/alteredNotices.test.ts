import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { type ManagedService, startManagedService } from './managedService.ts';

let managed: ManagedService;
beforeAll(async () => {
  managed = await startManagedService();
});
afterAll(() => managed.close());

const id = '0ee00000-0000-4000-8000-000000000001';
const cutting = {
  id,
  name: 'short.messages',
  redact_pii: true,
  query: 'select id,\n  left(event_message, 8) as start\nfrom sources.edge_logs where project = @project',
  parameters: { project: { type: 'string', required: true } },
};
const whole = { ...cutting, query: cutting.query.replace('left(event_message, 8)', 'event_message') };
const notice = {
  code: 'redaction.unrecognised',
  message:
    'The column start contains a part of event_message, made by LEFT. Redaction examines the finished rows, so it does not recognise a personal value that was cut, and the rest of it is shown. Return the whole text.',
  line: 2,
  column: 3,
};

const checked = async (definition: object) => {
  const { status, body } = await managed.ask('POST', '/check', definition);
  expect([status, body.problem]).toEqual([200, null]);
  return body.notices as readonly { readonly code: string; readonly message: string }[];
};
const messages = async (expression: string, more: object = {}) =>
  (
    await checked({
      name: 'altered.checked',
      query: `select ${expression} as x from sources.edge_logs as t cross join unnest(t.metadata) as m`,
      ...more,
    })
  ).map(({ message }) => message);

describe('a definition whose rows redaction cannot read', () => {
  it('is told so by a check, a change, a deployment and their dry runs; one that stays as it is is not', async () => {
    expect(await checked(cutting)).toEqual([notice]);
    const dry = await managed.ask('POST', '?dry_run=true', cutting);
    expect(dry.body.notices).toEqual([notice]);
    const created = await managed.ask('POST', '', whole);
    expect([created.status, created.body.notices]).toEqual([201, []]);
    const changed = await managed.ask('PUT', `/${id}`, cutting);
    expect([changed.body.outcome, changed.body.notices]).toEqual(['changed', [notice]]);
    const again = await managed.ask('PUT', `/${id}`, cutting);
    expect([again.body.outcome, again.body.notices]).toEqual(['unchanged', []]);
    const patched = await managed.ask('PATCH', `/${id}`, { redact_pii: false });
    expect([patched.body.outcome, patched.body.notices]).toEqual(['changed', [notice]]);
    const deployed = await managed.ask('POST', '/deploy', { definitions: [cutting] });
    expect(deployed.body.result).toMatchObject([{ outcome: 'changed', notices: [notice] }]);
  });

  it('is told by the command line, with the name of the endpoint and the place', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logmill-altered-'));
    writeFileSync(
      join(folder, 'a.yaml'),
      "id: 0ee00000-0000-4000-8000-000000000002\nname: short.files\nquery: select upper(event_message) as loud from sources.edge_logs where project = 'p'\n",
    );
    for (const command of ['check', 'diff', 'deploy']) {
      const { err } = await runCommandLine(managed.service, ['endpoints', command, folder]);
      expect(err).toMatch(/^notice: short\.files: The column loud .* made by UPPER\. .* \(line 1, column 8\)\n/);
    }
    rmSync(folder, { recursive: true });
  });

  it('is told what to write instead, by what was done to the text', async () => {
    expect(await messages("concat(m.status, '-', t.event_message)")).toEqual([
      expect.stringMatching(
        /^The column x contains metadata\.status, event_message joined directly to other text by CONCAT\..* Put a space/,
      ),
    ]);
    expect(await messages('to_base64(cast(t.event_message as bytes))')).toEqual([
      expect.stringMatching(
        /^The column x contains event_message in another form, made by TO_BASE64\..*Return the text unchanged\.$/,
      ),
    ]);
    expect(await messages('parse_json(t.event_message)')).toEqual([]);
    const sandbox = {
      sandbox: true,
      query: 'with t as (select event_message as e from sources.edge_logs) select left(e, 3) as x from t',
    };
    expect(await messages('', sandbox)).toEqual([
      expect.stringMatching(/Return the whole text, or do it in caller queries \(sql\), which read redacted tables\.$/),
    ]);
  });

  it('is told nothing of columns that are replaced whole, and nothing where every redacted call reads redacted events', async () => {
    expect(await messages('left(cast(m.user_email as string), 3)')).toEqual([]);
    const found = async (type: string, required: boolean) =>
      (
        await checked({
          name: 'altered.found',
          query:
            'select left(event_message, 3) as x from sources.edge_logs where event_message like @what or regexp_contains(id, @what)',
          parameters: { what: { type, required } },
        })
      ).length;
    expect(await found('regex', false)).toBe(0);
    expect(await found('string', true)).toBe(0);
    expect(await found('string', false)).toBe(1);
  });
});

describe('a dry run of a call', () => {
  it('with redaction tells who may see the query, and a call tells nobody', async () => {
    const { service } = managed;
    await managed.ask('PUT', `/${id}`, cutting);
    const codes = async (parameters: Record<string, string>, token = service.adminToken) => {
      const { status, body } = await service.call(
        id,
        { project: 'p', ...parameters },
        { headers: { 'x-api-key': token } },
      );
      expect(status).toBe(200);
      return body.meta.notices.map(({ code }) => code);
    };
    expect(await codes({ dry_run: 'true' })).toEqual(['redaction.unrecognised']);
    expect(await codes({})).toEqual([]);
    const asker = await service.makeToken(['query', 'query:explain']);
    expect(await codes({ dry_run: 'true' }, asker)).toEqual([]);
    await managed.ask('PATCH', `/${id}`, { redact_pii: false });
    expect(await codes({ dry_run: 'true' })).toEqual([]);
  });
});
