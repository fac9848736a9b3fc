import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { alder, birch, plainEvents } from '../tenants/tenantEvents.ts';
import { manage, tokenWith } from './tokenCalls.ts';

const now = at('2026-05-01T12:34:56.789Z');
const numberedId = '00000000-0000-4000-8000-000000000021';
const versionedId = '00000000-0000-4000-8000-000000000022';

let service: WholeService;
let locked: string;
let numbered: string;

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  for (const tenant of [alder, birch]) {
    for (const [stream, events] of plainEvents(tenant, now, 3)) await service.send(stream, events);
  }
  await service.define({
    id: numberedId,
    name: 'locked.numbered',
    query: 'select id, @tenant as tenant from sources.edge_logs where id like (if(@tenant = 7, "ALDER-%", "%"))',
    parameters: { tenant: { type: 'int64', default: '8' } },
  });
  await service.define({ id: versionedId, name: 'locked.versioned', query: 'select id from sources.edge_logs' });
  const changed = await manage(service, `/api/endpoints/${versionedId}?allow_breaking=true`, {
    method: 'PUT',
    body: {
      name: 'locked.versioned',
      query: 'select id from sources.edge_logs where project = @project',
      parameters: { project: { type: 'string' } },
    },
  });
  expect(changed.status).toBe(200);
  const scopes = ['query', 'query:version', 'query:explain', 'query:fresh'];
  locked = await tokenWith(service, { parameters: { project: alder.project } }, scopes);
  numbered = await tokenWith(service, { parameters: { tenant: '7' } }, scopes);
});
afterAll(() => service.close());

const endpoints = [
  'logs.all',
  'd9a2e433-3286-44d9-a3b2-96b88c809d76',
  '6827BA9B-37CA-425D-8CDE-4F10A8DD70F3',
  'locked.versioned',
  'locked.numbered',
  'functions.invocation-stats',
];
const names = [
  'project',
  'project',
  'project',
  'Project',
  'PROJECT',
  ' project',
  'project[]',
  'project[0]',
  'pr\u043eject',
  'project\u200b',
  '@project',
  'tenant',
];
const values = [
  alder.project,
  birch.project,
  birch.project,
  '',
  ' ',
  `${alder.project} `,
  'TENANT-BIRCH',
  'tenant-b\u0131rch',
  'tenant-%',
  '.',
  `${alder.project}' or '1'='1`,
  `${alder.project},${birch.project}`,
  'null',
  '%',
  '7',
  '8',
];
const queries = [
  'select id, metadata from edge_logs',
  `select id from edge_logs where project = '${birch.project}'`,
  "select id from edge_logs where @project = 'tenant-birch' or true",
  'select id, @project as p from edge_logs union all select id, @project from auth_logs',
  "with project as (select 'tenant-birch' as p) select e.id from edge_logs e, project",
  'select id from sources.edge_logs',
  'select * from function_edge_logs join edge_logs using (id)',
  'from edge_logs |> select id',
];

/** Once in so many times, else null. */
const rarely = <T>(values: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ arbitrary: fc.constant(null), weight: times - 1 }, { arbitrary: values, weight: 1 });

/** One call: how it is sent, and everything in it. */
const call = fc.record({
  endpoint: fc.constantFrom(...endpoints),
  method: fc.constantFrom('GET', 'GET', 'FORM', 'JSON', 'JSON', 'BOTH'),
  entries: fc.uniqueArray(
    fc.tuple(
      fc.oneof({ arbitrary: fc.constant('project'), weight: 3 }, { arbitrary: fc.constantFrom(...names), weight: 2 }),
      fc.oneof(fc.constant(alder.project), fc.constant(birch.project), fc.constantFrom(...values)),
    ),
    // A name that stands twice is refused as such; that is looked at often enough.
    { maxLength: 3, selector: ([name, value]) => (value === birch.project ? `${name} ${value}` : name) },
  ),
  sql: rarely(fc.constantFrom(...queries), 3),
  lql: rarely(fc.constantFrom('f:edge_logs', `f:edge_logs project:${birch.project}`, 's:* f:auth_logs'), 6),
  version: rarely(fc.constantFrom('1', '2', '0', '01', '1 '), 5),
  dryRun: rarely(fc.constant('true'), 8),
  wrap: fc.constantFrom('text', 'text', 'text', 'text', 'array', 'object'),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

async function send(token: string, { endpoint, method, entries, sql, lql, version, dryRun, wrap }: Call) {
  const others = Object.entries({ sql, lql, version, dry_run: dryRun, interval: '1hr' }).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value] as const],
  );
  const all = [...entries, ...others];
  const query = new URLSearchParams(all.map(([name, value]): [string, string] => [name, value]));
  const url = `${service.url}/api/endpoints/query/${endpoint}`;
  const headers = { 'x-api-key': token };
  const members = (wrap === 'text' ? all : entries).map(([name, value]) => {
    const wrapped = wrap === 'array' ? [value] : wrap === 'object' ? { value } : value;
    return `${JSON.stringify(name)}:${JSON.stringify(wrapped)}`;
  });
  const body = method === 'FORM' ? query.toString() : `{${members.join(',')}}`;
  const type = method === 'FORM' ? 'application/x-www-form-urlencoded' : 'application/json';
  if (method === 'GET') return fetch(`${url}?${query}`, { headers });
  const target = method === 'BOTH' ? `${url}?${query}` : url;
  return fetch(target, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
}

describe('a token that is locked to a value of a parameter', () => {
  it('shows no rows of another value, however the call is spelled', async () => {
    let shown = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(call, async (each) => {
        for (const token of [locked, numbered]) {
          const response = await send(token, each);
          const text = await response.text();
          expect(text, JSON.stringify(each)).not.toContain(`${birch.tag}-`);
          expect([200, 400, 403, 404], text).toContain(response.status);
          if (response.status === 403) refused++;
          if (response.status === 200 && text.includes(`${alder.tag}-`)) shown++;
        }
      }),
      { numRuns: 250 },
    );
    // Some forty by chance.
    expect(shown).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(20);
  });

  const ask = (token: string, endpoint: string, parameters: Record<string, string>) =>
    service.call(endpoint, parameters, { headers: { 'x-api-key': token } });
  const outcome = async (token: string, endpoint: string, parameters: Record<string, string>) => {
    const { status, body } = await ask(token, endpoint, parameters);
    return status === 200 ? `200 with ${body.result.length} rows` : `${status} ${body.code}`;
  };

  it('binds the value where the call names none, and refuses another one', async () => {
    expect(await outcome(locked, 'logs.all', {})).toBe('200 with 3 rows');
    expect(await outcome(locked, 'logs.all', { project: '' })).toBe('200 with 3 rows');
    expect(await outcome(locked, 'logs.all', { project: alder.project })).toBe('200 with 3 rows');
    expect(await outcome(locked, 'logs.all', { project: birch.project })).toBe('403 parameter.locked');
    const { body } = await ask(locked, 'logs.all', { project: birch.project });
    expect(body.errors).toEqual([{ parameter: 'project', allowed: [alder.project] }]);
  });

  it('compares what the text means by its declared type', async () => {
    for (const tenant of ['7', '07', '0000007']) {
      expect(await outcome(numbered, 'locked.numbered', { tenant })).toBe('200 with 3 rows');
    }
    expect(await outcome(numbered, 'locked.numbered', {})).toBe('200 with 3 rows');
    expect(await outcome(numbered, 'locked.numbered', { tenant: '8' })).toBe('403 parameter.locked');
    expect(await outcome(numbered, 'locked.numbered', { tenant: '+7' })).toBe('400 parameter.invalid');
  });

  it('calls no endpoint, and no version of one, that does not declare the parameter', async () => {
    expect(await outcome(locked, 'locked.numbered', {})).toBe('403 parameter.locked');
    expect(await outcome(locked, 'locked.versioned', {})).toBe('200 with 3 rows');
    expect(await outcome(locked, 'locked.versioned', { version: '1' })).toBe('403 parameter.locked');
    expect(await outcome(locked, 'locked.versioned', { version: '1', project: alder.project })).toBe(
      '403 parameter.locked',
    );
  });
});
