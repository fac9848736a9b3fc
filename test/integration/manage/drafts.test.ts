import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { example, type ManagedService, startManagedService } from './managedService.ts';

let managed: ManagedService;
beforeAll(async () => {
  managed = await startManagedService();
});
afterAll(() => managed.close());

const ask: ManagedService['ask'] = (...args) => managed.ask(...args);
const call = (idOrName: string, parameters: Record<string, string>) => managed.service.call(idOrName, parameters);

describe('POST /api/endpoints/check', () => {
  it('tells columns, parameters, tables and rows of a definition, and stores nothing', async () => {
    const { status, body } = await ask('POST', '/check', { ...example, name: 'check.one' });
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: true,
      problem: null,
      errors: [],
      parameters: [
        { name: 'n', line: 1, column: 25, type: 'int64' },
        { name: 'label', line: 2, column: 23, type: 'string' },
      ],
      columns: [
        { name: 'next', type: 'INT64' },
        { name: 'label', type: 'STRING' },
      ],
      tables: [{ name: 'numbers', columns: [{ name: 'n', type: 'INT64' }] }],
      rows_max: 1000,
      notices: [],
    });
    expect((await ask('GET', '?name=check.one')).body.result).toEqual([]);
  });

  it('tells what is wrong with its place, and the parameters that it found', async () => {
    const { status, body } = await ask('POST', '/check', { name: 'check.two', query: 'select @who,\n unknown' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, parameters: [{ name: 'who', line: 1, column: 8, type: null }] });
    expect(body.errors[0]).toMatchObject({ line: 1, column: 8 });
    expect((await ask('POST', '/check', 7)).body).toMatchObject({ valid: false, parameters: [] });
  });
});

describe('POST /api/endpoints/run', () => {
  it('runs a draft with the rules of calls, and keeps nothing of it', async () => {
    const run = (definition: object, parameters: object, token = managed.service.adminToken) =>
      ask('POST', '/run', { definition, parameters }, { 'x-api-key': token });
    const draft = { ...example, name: 'run.draft', cache_seconds: 60 };
    const { status, body } = await run(draft, { n: 1, label: 'a', sql: 'select n * 7 as seven from numbers' });
    expect([status, body.result]).toEqual([200, [{ seven: 7 }]]);
    expect(body.meta.endpoint).toMatchObject({ name: 'run.draft', version: 0 });
    const other = await run({ ...draft, query: example.query.replace('n + 1', 'n - 1') }, { n: 1 });
    expect(other.body.result).toEqual([{ next: 0, label: null }]);
    expect((await run(draft, {})).body.code).toBe('parameter.missing');
    expect((await run({ ...draft, query: 'select' }, { n: 1 })).status).toBe(422);
    expect((await call('run.draft', { n: '1' })).status).toBe(404);
    const manageOnly = await managed.service.makeToken(['manage']);
    expect((await run(draft, { n: 1 }, manageOnly)).body.code).toBe('auth.scope');
    const queryOnly = await managed.service.makeToken(['query']);
    expect((await run(draft, { n: 1 }, queryOnly)).body.code).toBe('auth.scope');
  });

  it('adds no series to the metrics, whatever its name is', async () => {
    const { service } = managed;
    const ended = () => service.observations.filter(({ kind }) => kind === 'query.ended');
    const before = ended().length;
    await ask('POST', '/run', { definition: { ...example, name: 'run.named_by_the_caller' }, parameters: { n: 1 } });
    expect(ended().slice(before)).toEqual([expect.objectContaining({ endpoint: '#draft' })]);
  });

  it('shows a token only the projects that it reaches', async () => {
    const { service } = managed;
    const timestamp = new Date(service.clock.nowMicros() / 1000).toISOString();
    await service.send('edge_logs', [
      { timestamp, project: 'mine', event_message: 'm' },
      { timestamp, project: 'theirs', event_message: 't' },
    ]);
    const token = await service.makeToken(['manage', 'query'], ['mine']);
    const definition = { name: 'run.wall', query: 'select project from sources.edge_logs order by project' };
    const walled = await ask('POST', '/run', { definition }, { 'x-api-key': token });
    expect([walled.status, walled.body.result]).toEqual([200, [{ project: 'mine' }]]);
    const open = await ask('POST', '/run', { definition });
    expect(open.body.result).toEqual([{ project: 'mine' }, { project: 'theirs' }]);
  });
});

describe('POST /api/endpoints/deploy', () => {
  const id = (n: number) => `0dd00000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const one = { ...example, id: id(1), name: 'deploy.one' };
  const two = { ...example, id: id(2), name: 'deploy.two' };

  it('creates, changes and leaves alone in one step; the same again changes nothing', async () => {
    const created = await ask('POST', '/deploy?note=ci', { definitions: [one, two] });
    expect(created.body.result.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['created', 'created']);
    const definitions = [one, { ...two, max_rows: 9 }];
    const dry = await ask('POST', '/deploy?dry_run=true', { definitions });
    expect(dry.body).toMatchObject({
      dry_run: true,
      result: [
        { name: 'deploy.one', outcome: 'unchanged', version: 1 },
        { name: 'deploy.two', outcome: 'changed', version: 2, diff: { settings: [{ field: 'max_rows' }] } },
      ],
    });
    expect((await ask('GET', `/${id(2)}`)).body.version).toBe(1);
    expect((await ask('POST', '/deploy', { definitions })).body.result[1]).toMatchObject({ version: 2 });
    const again = await ask('POST', '/deploy', { definitions });
    expect(again.body.result.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['unchanged', 'unchanged']);
    expect((await ask('GET', `/${id(1)}`)).body).toMatchObject({ version: 1, note: 'ci' });
  });

  it('changes nothing at all where one definition is wrong, breaks callers or collides, and tells which', async () => {
    const three = { ...example, id: id(3), name: 'deploy.three' };
    const attempt = async (other: object) => {
      const { status, body } = await ask('POST', '/deploy', { definitions: [three, other] });
      expect((await ask('GET', `/${id(3)}`)).status).toBe(404);
      return { status, body };
    };
    const wrong = await attempt({ ...one, query: 'select @n, @label, nothing' });
    expect([wrong.status, wrong.body.errors[0]]).toEqual([422, expect.objectContaining({ index: 1, line: 1 })]);
    const breaking = await attempt({ ...one, sandbox: false });
    expect([breaking.status, breaking.body.code]).toEqual([409, 'definition.breaking']);
    expect(breaking.body.errors).toEqual([expect.objectContaining({ rule: 'sandbox.closed', value: 'deploy.one' })]);
    const noId = await attempt({ ...example, name: 'deploy.four' });
    expect([noId.status, noId.body.errors[0]]).toEqual([422, expect.objectContaining({ index: 1, token: 'id' })]);
    expect((await attempt(three)).status).toBe(422);
    expect((await ask('POST', '/deploy', { definition: [] })).status).toBe(400);
  });

  it('takes a name over in the same step in which another endpoint gives it away', async () => {
    await ask('POST', '/deploy', { definitions: [{ ...example, id: id(5), name: 'deploy.handover' }] });
    const definitions = [
      { ...example, id: id(5), name: 'deploy.old' },
      { ...example, id: id(6), name: 'deploy.handover', primary: true },
    ];
    const { status, body } = await ask('POST', '/deploy?allow_breaking=true', { definitions });
    expect([status, body.code]).toEqual([200, undefined]);
    expect((await ask('GET', '?name=deploy.handover')).body.result).toMatchObject([{ id: id(6), primary: true }]);
    expect((await ask('GET', '?name=deploy.old')).body.result).toMatchObject([{ id: id(5), primary: true }]);
  });
});
