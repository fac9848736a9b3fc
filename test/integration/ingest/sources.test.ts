import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-05-01T12:00:00Z') * 1000;
const settings = { sources: 'configured_logs:metadata.tenant', sourceAliases: 'edge.requests=edge_logs' };

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings });
});
afterAll(() => service.close());

async function ask(method: string, path: string, body?: unknown, token = service.adminToken) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Asks again while files wait to be sealed, as a 503 says. */
async function create(body: unknown, token?: string) {
  for (;;) {
    const answer = await ask('POST', '/api/sources', body, token);
    if (answer.status !== 503) return answer;
  }
}

const send = (source: string, events: readonly object[], token?: string) =>
  ask('POST', `/api/logs?source=${encodeURIComponent(source)}`, events, token);

/** The messages of a source, read by an endpoint that is made for it. */
async function messagesOf(source: string, project: string) {
  const name = `test.${source}`;
  if ((await ask('GET', `/api/endpoints?name=${name}`)).body.result.length === 0) {
    const query = `select event_message, metadata.level as level from sources.${source} where project = @project order by event_message`;
    const parameters = { project: { type: 'string', required: true } };
    await ask('POST', '/api/endpoints', { name, query, parameters, max_rows: 100, sandbox: false });
  }
  const { body, text } = await service.call(name, { project });
  if (body.result === undefined) throw new Error(`${source} could not be read: ${text}`);
  return body.result;
}

describe('a source that is added', () => {
  it('takes events at once, and they can be read', async () => {
    const made = await create({ name: 'nginx_logs', description: 'Access logs', aliases: ['nginx.access'] });
    expect(made).toEqual({
      status: 201,
      body: {
        name: 'nginx_logs',
        description: 'Access logs',
        project_field: 'project',
        aliases: ['nginx.access'],
        origin: 'added',
      },
    });
    const events = [{ project: 'p', event_message: 'one', level: 'info' }];
    expect((await send('nginx_logs', events)).body).toMatchObject({ accepted: 1 });
    expect((await send('nginx.access', [{ project: 'p', message: 'two' }])).body).toMatchObject({ accepted: 1 });
    expect(await messagesOf('nginx_logs', 'p')).toEqual([
      { event_message: 'one', level: 'info' },
      { event_message: 'two', level: null },
    ]);
  });

  it('leaves events of other sources where they were, and is in the audit trail', async () => {
    await service.send('edge_logs', [{ project: 'p', event_message: 'before' }]);
    await create({ name: 'later_logs' });
    await service.send('edge_logs', [{ project: 'p', event_message: 'after' }]);
    const sql = 'select event_message from edge_logs order by event_message';
    const { body } = await service.call('logs.all', { project: 'p', sql });
    expect(body.result).toEqual([{ event_message: 'after' }, { event_message: 'before' }]);
    const audit = await ask('GET', '/api/audit');
    expect(audit.body.result).toContainEqual(
      expect.objectContaining({ action: 'source.create', target: 'later_logs' }),
    );
  });

  it('may carry its project in metadata', async () => {
    await create({ name: 'app_logs', project_field: 'metadata.tenant' });
    await send('app_logs', [
      { event_message: 'x', metadata: { tenant: 't' } },
      { event_message: 'y', tenant: 't' },
    ]);
    expect(await messagesOf('app_logs', 't')).toHaveLength(2);
    expect((await send('app_logs', [{ event_message: 'z' }])).status).toBe(422);
  });

  it('is made once where it is asked for many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'raced_logs' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect((await send('raced_logs', [{ project: 'p', event_message: 'x' }])).status).toBe(200);
  });

  it.each<[string, unknown, number, string]>([
    ['a name with capitals', { name: 'Nginx' }, 422, 'a-z'],
    ['a name of the service itself', { name: 'svc_calls' }, 422, 'svc_'],
    ['no name', {}, 422, 'name is missing'],
    ['an unknown member', { name: 'a_logs', colour: 1 }, 422, 'colour is not a member; allowed: name'],
    ['an unknown field', { name: 'a_logs', project_field: 'metadata.a.b' }, 422, 'project_field must be project or'],
    ['a strange alias', { name: 'a_logs', aliases: ['a b'] }, 422, 'printable'],
    ['a list', [], 422, 'JSON object'],
    ['a built-in name', { name: 'edge_logs' }, 409, 'edge_logs is taken'],
    ['an alias as its name', { name: 'a_logs', aliases: ['edge_logs'] }, 409, 'edge_logs is taken'],
    [
      'an alias of another source',
      { name: 'a_logs', aliases: ['edge.requests'] },
      409,
      'it means the source edge_logs',
    ],
  ])('is refused with %s', async (_what, body, status, message) => {
    const refused = await create(body);
    expect([refused.status, refused.body.code]).toEqual([
      status,
      status === 409 ? 'source.conflict' : 'source.invalid',
    ]);
    expect(refused.body.detail).toContain(message);
    expect((await send('a_logs', [{ project: 'p' }])).status).toBe(404);
  });
});

describe('aliases', () => {
  it('are set anew, of built-in sources too, and match exactly', async () => {
    const set = (aliases: unknown, name = 'auth_logs') => ask('PUT', `/api/sources/${name}/aliases`, { aliases });
    expect((await set(['gotrue.logs', 'auth'])).body.aliases).toEqual(['auth', 'gotrue.logs']);
    expect((await send('gotrue.logs', [{ project: 'p', event_message: 'x' }])).status).toBe(200);
    expect((await send('GoTrue.logs', [{ project: 'p', event_message: 'x' }])).status).toBe(404);
    expect((await set(['gotrue.logs'])).body.aliases).toEqual(['gotrue.logs']);
    expect((await send('auth', [{ project: 'p', event_message: 'x' }])).status).toBe(404);
    expect((await set(['gotrue.logs'], 'storage_logs')).status).toBe(409);
    expect(await set(['x'], 'no_logs')).toMatchObject({ status: 404, body: { code: 'source.unknown' } });
    expect((await set('x')).status).toBe(422);
    expect((await set(['mine'], 'edge_logs')).body.aliases).toEqual(['edge.requests', 'mine']);
  });
});

describe('the list of sources', () => {
  it('shows a sender what it may send to, and a manager everything', async () => {
    const all = await ask('GET', '/api/sources');
    const names = all.body.sources.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['edge_logs', 'configured_logs', 'nginx_logs']));
    expect(names).not.toContain('svc_calls');
    const one = await ask('GET', '/api/sources', undefined, await service.makeToken(['ingest:source:nginx_logs']));
    expect(one.body.sources.map(({ name }: { name: string }) => name)).toEqual(['nginx_logs']);
    expect((await ask('GET', '/api/sources', undefined, await service.makeToken(['query']))).status).toBe(403);
    expect((await create({ name: 'b_logs' }, await service.makeToken(['ingest']))).status).toBe(403);
  });
});

describe('rejected events', () => {
  it('are counted by source and reason, with a redacted one of each, for managers of every project only', async () => {
    await create({ name: 'strict_logs' });
    const bad = {
      project: 'p',
      id: '',
      event_message: 'mail to ada@example.com',
      metadata: { password: 'hunter2', n: 1 },
    };
    expect((await send('strict_logs', [{ project: 'p', event_message: 'fine' }, bad])).body.rejected).toHaveLength(1);
    // A batch of only bad events stores nothing, and they count as well.
    expect((await send('strict_logs', [bad, { event_message: 'x' }])).status).toBe(422);
    expect((await send('strict_logs', [{ project: 'p', id: 7, event_message: 'y'.repeat(5000) }])).status).toBe(422);
    const path = '/api/sources/strict_logs/rejections';
    const { source, rejections } = (await ask('GET', path)).body;
    expect(source).toBe('strict_logs');
    expect(rejections.map(({ code, count }: { code: string; count: number }) => [code, count])).toEqual([
      ['event.id_invalid', 3],
      ['event.project_missing', 1],
    ]);
    const [{ event, message, meaning, last_at: lastAt }] = rejections;
    expect([meaning, lastAt]).toEqual([expect.stringContaining('id'), '2026-05-01T12:00:00.000Z']);
    expect(message).toContain('id');
    expect(event).toContain('mail to [REDACTED:email]');
    expect(event).not.toMatch(/ada@|hunter2/);
    expect(JSON.parse(rejections[1].event)).toEqual({ event_message: 'x' });
    expect((await ask('GET', '/api/sources/pooler_logs/rejections')).body.rejections).toEqual([]);
    expect((await ask('GET', '/api/sources/no_logs/rejections')).body.code).toBe('source.unknown');
    const restricted = await service.makeToken(['manage'], ['p']);
    expect((await ask('GET', path, undefined, restricted)).body.code).toBe('auth.project');
    for (const scope of ['ingest', 'observe'])
      expect((await ask('GET', path, undefined, await service.makeToken([scope]))).body.code).toBe('auth.scope');
  });
});

describe('members that queries read', () => {
  it('are counted for each query that runs, with those that are typed columns, for managers of every project only', async () => {
    const sql =
      "select m.mine from edge_logs cross join unnest(metadata) as m where m.response.status_code = 500 and m.mine = 'x'";
    const read = async () => {
      const { body } = await ask('GET', '/api/sources/edge_logs/members-read');
      const members = body.members as { member: string; queries: number; typed: boolean }[];
      return members.filter(({ member }) => /\.(mine|response\.status_code)$/.test(member));
    };
    expect(await read()).toEqual([]);
    await service.call('logs.all', { project: 'members', sql });
    await service.call('logs.all', { project: 'others', sql });
    expect(await read()).toEqual([
      { member: 'metadata.mine', queries: 2, typed: false },
      { member: 'metadata.response.status_code', queries: 2, typed: true },
    ]);
    const path = '/api/sources/edge_logs/members-read';
    const restricted = await service.makeToken(['manage'], ['p']);
    expect((await ask('GET', path, undefined, restricted)).body.code).toBe('auth.project');
    expect((await ask('GET', path, undefined, await service.makeToken(['observe']))).body.code).toBe('auth.scope');
  });
});

describe('a source of the configuration', () => {
  it('takes events, also under its alias', async () => {
    const events = [{ event_message: 'configured', metadata: { tenant: 't' } }];
    expect((await send('configured_logs', events)).status).toBe(200);
    expect(await messagesOf('configured_logs', 't')).toEqual([{ event_message: 'configured', level: null }]);
    expect((await send('edge.requests', [{ project: 'p', event_message: 'x' }])).status).toBe(200);
  });

  it.each([
    [{ sources: 'edge_logs' }, 'a source with this name already exists'],
    [{ sourceAliases: 'x=edge_log' }, 'Did you mean edge_logs?'],
    [{ sourceAliases: 'auth_logs=edge_logs' }, 'but a source has this name'],
  ])('that cannot be is refused at the start: %j', async (wrong, message) => {
    await expect(startWholeService({ nowMicros, settings: wrong })).rejects.toThrow(message);
  });
});

describe('after a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-sources-'));
  const adminToken = 'the-token-of-a-test-that-starts-twice';
  let running: RunningService | undefined;
  afterAll(async () => {
    await running?.close('end of the test');
    rmSync(folder, { recursive: true, force: true });
  });

  it('sources, aliases and their events are there, and new events are taken', async () => {
    const start = () =>
      startService({
        settings: settingsSchema.parse({ port: 0, dataDir: folder, logLevel: 'silent', adminToken }),
        clock: new ManualClock(nowMicros),
        randomness: systemRandomness,
        observe: () => undefined,
        demo: false,
        progress: () => undefined,
      });
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${running?.url}${path}`, {
        method,
        headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const count = async () => {
      const { body } = await ask('GET', '/api/endpoints/query/test.kept');
      return body.result[0].n;
    };
    running = await start();
    await ask('POST', '/api/sources', { name: 'kept_logs', project_field: 'metadata.tenant', aliases: ['kept'] });
    await ask('PUT', '/api/sources/edge_logs/aliases', { aliases: ['edge'] });
    await ask('POST', '/api/logs?source=kept', [{ tenant: 't', message: 'one' }]);
    const query = 'select count(*) as n from sources.kept_logs';
    await ask('POST', '/api/endpoints', { name: 'test.kept', query, max_rows: 1, sandbox: false });
    expect(await count()).toBe(1);
    await running.close('to be started again');
    running = await start();
    const { body } = await ask('GET', '/api/sources');
    expect(body.sources.at(-1)).toEqual({
      name: 'kept_logs',
      description: '',
      project_field: 'metadata.tenant',
      aliases: ['kept'],
      origin: 'added',
    });
    expect(await count()).toBe(1);
    expect((await ask('POST', '/api/logs?source=kept', [{ tenant: 't', message: 'two' }])).status).toBe(200);
    expect((await ask('POST', '/api/logs?source=edge', [{ project: 'p', message: 'x' }])).status).toBe(200);
    expect(await count()).toBe(2);
  });
});
