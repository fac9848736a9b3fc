import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationDescriptions } from '../../../src/http/openapi/operationDescriptions.ts';
import { allRoutes } from '../../../src/http/routes/allRoutes.ts';
import { second } from '../../support/instants.ts';
import { example, type ManagedService, startManagedService } from './managedService.ts';

// An empty name, id or bound is refused by every operation, and so is every `dry_run` that is not true or false:
// neither ever changes anything.

const id = '33333333-3333-4333-8333-333333333333';
const now = Date.UTC(2026, 4, 1) * 1000;

let managed: ManagedService;
let before: string;
const parts: Record<string, string> = {
  id,
  idOrName: id,
  version: '1',
  project: 'own',
  name: 'edge_logs',
  publicId: '',
};
beforeAll(async () => {
  managed = await startManagedService();
  const { service, ask } = managed;
  expect((await ask('POST', '', { ...example, id })).status).toBe(201);
  expect((await ask('PATCH', `/${id}`, { max_rows: 7 })).status).toBe(200);
  await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'A' }]);
  parts.publicId = (await send('GET', '/api/tokens')).body.result[0].id;
  before = await state();
});
afterAll(() => managed.close());

/** Calls the whole service; a body is sent as JSON, and a text as it is. */
async function send(method: string, path: string, body?: unknown) {
  const { url, adminToken } = managed.service;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': adminToken, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Everything that requests can change. */
async function state(): Promise<string> {
  const paths = [
    '/api/audit?limit=1000',
    '/api/endpoints?limit=1000',
    '/api/tokens?state=all',
    '/api/sources',
    '/api/projects/own/retention',
    '/api/projects/own/deletions',
    '/api/endpoints/query/logs.all?project=own',
  ];
  const answers = await Promise.all(paths.map((path) => send('GET', path)));
  const kept = answers.map(({ body }) => body.result ?? body);
  // Refused calls are told there as well, and change nothing.
  kept[0] = kept[0].filter(({ action }: { readonly action: string }) => !action.includes('refused'));
  // Use of a token is no change of it.
  return createHash('sha256')
    .update(JSON.stringify(kept, (key, value) => (key === 'last_used_at' ? undefined : value)))
    .digest('hex');
}

const operations = allRoutes
  .filter(({ credential, operation }) => credential === 'token' && operation !== 'endpoints.query')
  .flatMap((route) => route.methods.map((method) => ({ route, method, name: `${method} ${route.path}` })));

const filled = (path: string, replaced: Readonly<Record<string, string>> = {}) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => replaced[name] ?? encodeURIComponent(parts[name] ?? name));

const bodyOf = (operation: string) => operationDescriptions[operation]?.body?.example;

it('walks every operation of the description', async () => {
  const described = await send('GET', '/openapi.json');
  const paths = Object.keys(described.body.paths).filter((path) => !path.startsWith('/api/endpoints/query/'));
  for (const path of new Set(operations.map(({ route }) => route.path))) {
    expect(paths).toContain(path.replaceAll(/:(\w+)/g, '{$1}'));
  }
  expect(operations.length).toBeGreaterThan(35);
});

// A GET of nothing by name that changes nothing whatever its parameters are has nothing to refuse.
const refusing = operations.filter(
  ({ route, method }) => method !== 'GET' || route.urlParameters !== 'open' || route.path.includes(':'),
);

describe.each(refusing)('$name', ({ route, method }) => {
  const { operation, path } = route;
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

  if (named.length > 0)
    it('refuses a path with an empty name or ID', async () => {
      for (const name of named) {
        for (const blank of ['', '%20', '%E2%80%8B', '%09']) {
          const answer = await send(method, filled(path, { [name]: blank }), bodyOf(operation));
          // Another protocol has its own form of errors, which names the parameter only in a sentence.
          const named = route.renderError === undefined ? answer.body.errors[0].parameter : answer.body.error.reason;
          expect([answer.status, named]).toEqual([400, expect.stringContaining(name)]);
        }
      }
      expect(await state()).toBe(before);
    });

  if (route.urlParameters !== 'open')
    it('refuses a parameter of the URL that it does not have', async () => {
      const answer = await send(method, `${filled(path)}?no_such_parameter=1`, bodyOf(operation));
      expect([answer.status, answer.body.code]).toEqual([400, 'parameter.unknown']);
      expect(await state()).toBe(before);
    });

  const inUrl = (operationDescriptions[operation]?.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => String(name));

  if (inUrl.length > 0)
    it('refuses a parameter of the URL that is empty', async () => {
      for (const name of inUrl) {
        for (const blank of [name, `${name}=`, `${name}=%20`, `${name}=%00`]) {
          const answer = await send(method, `${filled(path)}?${blank}`, bodyOf(operation));
          expect([blank, answer.status]).toEqual([blank, 400]);
          expect(JSON.stringify(answer.body)).toContain(name);
        }
      }
      expect(await state()).toBe(before);
    });

  if (method !== 'GET')
    it('changes nothing with a dry_run in any spelling, and says so of one that it makes', async () => {
      for (const written of [
        'dry_run',
        'dry_run=',
        'dry_run=yes',
        'Dry_Run=true',
        'DRYRUN',
        'dry-run=true',
        'dryRun=1',
      ]) {
        const answer = await send(method, `${filled(path)}?${written}`, bodyOf(operation));
        expect([written, answer.status]).toEqual([written, 400]);
      }
      for (const written of ['dry_run=true', 'dry_run=TRUE', 'dry_run=1']) {
        const answer = await send(method, `${filled(path)}?${written}`, bodyOf(operation));
        if (!inUrl.includes('dry_run')) expect([written, answer.status]).toEqual([written, 400]);
        else if (answer.status === 200) {
          expect(answer.body).toMatchObject({ dry_run: true, message: expect.stringContaining('dry run') });
        } else expect(answer.status).toBeGreaterThanOrEqual(400);
      }
      expect(await state()).toBe(before);
    });

  if (method !== 'GET' && bodyOf(operation) === undefined)
    it('refuses a body, which it would not read', async () => {
      const answer = await send(method, filled(path), { dry_run: true, before: '2026-01-01' });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await state()).toBe(before);
    });
});

const bodies: readonly (readonly [string, string, object])[] = [
  ['POST', '/api/endpoints', { ...example, name: '' }],
  ['POST', '/api/endpoints', { ...example, id: '' }],
  ['POST', '/api/endpoints', { ...example, query: ' ' }],
  ['POST', '/api/endpoints', { ...example, parameters: { '': { type: 'string' } } }],
  ['PUT', `/api/endpoints/${id}`, { ...example, id: '' }],
  ['PATCH', `/api/endpoints/${id}`, { name: '' }],
  ['PATCH', `/api/endpoints/${id}`, { id: '' }],
  ['POST', `/api/endpoints/${id}/restore`, { version: '' }],
  ['POST', '/api/endpoints/deploy', { definitions: [{ ...example, id: '' }] }],
  ['POST', '/api/endpoints/deploy', { definitions: '' }],
  ['POST', '/api/endpoints/run', { definition: '' }],
  ['POST', '/api/tokens', { scopes: [''] }],
  ['POST', '/api/tokens', { scopes: '' }],
  ['POST', '/api/tokens', { scopes: ['query:endpoint:'] }],
  ['POST', '/api/tokens', { scopes: ['ingest:source:'] }],
  ['POST', '/api/tokens', { scopes: ['query'], expires_at: '' }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { projects: [''] } }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { projects: [' '] } }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { projects: '' } }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { networks: [''] } }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { parameters: { '': ['a'] } } }],
  ['POST', '/api/tokens', { scopes: ['query'], restrictions: { max_rows: '' } }],
  ['POST', '/api/sources', { name: '' }],
  ['POST', '/api/sources', { name: 'new_logs', project_field: '' }],
  ['POST', '/api/sources', { name: 'new_logs', aliases: [''] }],
  ['PUT', '/api/sources/edge_logs/aliases', { aliases: [''] }],
  ['PUT', '/api/sources/edge_logs/retention', { days: '' }],
  ['PUT', '/api/projects/own/retention', { days: '' }],
  ['PUT', '/api/projects/own/retention', { days: null, sources: { '': 1 } }],
];

it.each(bodies)('%s %s refuses %j', async (method, path, body) => {
  const { status } = await send(method, path, body);
  expect([400, 404, 422]).toContain(status);
  expect(await state()).toBe(before);
});

it.each([
  ['/api/tokens/:publicId/explain', { endpoint: '' }],
  ['/api/tokens/:publicId/explain', { endpoint: 'logs.all', address: '' }],
  ['/api/tokens/:publicId/rotate', { overlap_seconds: '' }],
])('POST %s refuses %j', async (path, body) => {
  expect((await send('POST', filled(path), body)).status).toBeLessThan(500);
  expect([400, 422]).toContain((await send('POST', filled(path), body)).status);
  expect(await state()).toBe(before);
});

describe('a call of an endpoint', () => {
  it('takes an empty parameter and a blank query for none, and refuses a dry_run without a value', async () => {
    const { service } = managed;
    const rows = await service.call('logs.all', 'project=own&iso_timestamp_start=&sql=%20&lql=');
    expect([rows.status, rows.body.result.length]).toEqual([200, 1]);
    for (const written of ['dry_run', 'dry_run=', 'dry_run=%20']) {
      const answer = await service.call('logs.all', `project=own&${written}`);
      expect([answer.status, answer.body.errors[0]?.parameter]).toEqual([400, 'dry_run']);
    }
  });

  it('needs an id or a name in its path', async () => {
    for (const path of ['/api/endpoints/query/', '/api/endpoints/query/%20']) {
      const answer = await send('GET', path);
      expect([answer.status, answer.body.code]).toEqual([404, 'endpoint.unknown']);
    }
  });
});

it('stores no event of a request that names its source or strict without a value, or asks for a dry run', async () => {
  const event = [{ id: 'two', timestamp: now - second, project: 'own', event_message: 'B' }];
  for (const query of [
    'source',
    'source=%20',
    'source=edge_logs&strict',
    'source=edge_logs&dry_run=true',
    'source_name=',
  ]) {
    for (const path of ['/api/logs', '/logs', '/api/events', '/v1/logs']) {
      expect([query, (await send('POST', `${path}?${query}`, event)).status]).toEqual([query, 400]);
    }
  }
  expect(await state()).toBe(before);
});

it('tells a dry deletion from a deletion', async () => {
  const dry = await send('DELETE', `/api/endpoints/${id}?dry_run=true`);
  expect(dry.body).toEqual({
    dry_run: true,
    message: 'This was a dry run: nothing was changed. The answer says what the change would do.',
    deleted: null,
    would_delete: id,
    name: example.name,
    version: 2,
    callers: expect.any(Array),
  });
  expect(await state()).toBe(before);
});
