import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';

interface ListedQuery {
  readonly id: string;
  readonly endpoint: { readonly id: string; readonly name: string };
  readonly token: string | null;
  readonly stage: string;
  readonly started_at: string;
  readonly elapsed_ms: number;
}

const numbers = 'unnest(generate_array(1, 100000))';
/** Runs for hours if it is let. */
const endless = `select count(*) as n from ${numbers} a cross join ${numbers} b where mod(a * b, 7) = 3`;

let service: WholeService;
let enginePid: number | undefined;
beforeAll(async () => {
  service = await startWholeService({
    nowMicros: at('2026-05-01T12:00:00Z'),
    settings: { queryTimeoutMs: 120_000, queryConcurrency: 2 },
  });
  const started = service.observations.find((each) => each.kind === 'engine.started');
  enginePid = started?.pid;
});
afterAll(() => service.close());

const ask = (sql: string, token?: string): Promise<Answer> =>
  service.call(
    'logs.all',
    { project: 'quietlyhidden', sql },
    { method: 'POST', ...(token === undefined ? {} : { headers: { 'x-api-key': token } }) },
  );

async function request(path: string, method = 'GET', token = service.adminToken) {
  const response = await fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': token } });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function listed(token?: string): Promise<readonly ListedQuery[]> {
  const { status, body } = await request('/api/queries', 'GET', token);
  expect(status).toBe(200);
  return body.queries;
}

/** The queries, as soon as so many of them are in the stage. */
async function once(count: number, stage: string): Promise<readonly ListedQuery[]> {
  const inStage = async () => (await listed()).filter((each) => each.stage === stage);
  await expect.poll(async () => (await inStage()).length).toBe(count);
  return await inStage();
}

const cli = (...args: readonly string[]) => runCommandLine(service, args);

describe('running queries', () => {
  it('are listed without texts and values, and killed; the engine goes on', async () => {
    expect(await listed()).toEqual([]);
    const answer = ask(endless);
    const [query] = await once(1, 'running');
    expect(query).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      endpoint: { id: expect.any(String), name: 'logs.all' },
      token: expect.any(String),
      stage: 'running',
      started_at: '2026-05-01T12:00:00.000000Z',
      elapsed_ms: expect.any(Number),
    });
    const killed = await request(`/api/queries/${query?.id}`, 'DELETE');
    expect({ status: killed.status, body: killed.body }).toEqual({ status: 200, body: { killed: query?.id } });
    const { status, body } = await answer;
    expect({ status, code: body.code }).toEqual({ status: 504, code: 'query.killed' });
    await expect.poll(listed).toEqual([]);
    expect((await ask('select 1 as x')).body.result).toEqual([{ x: 1 }]);
    const pids = service.observations.flatMap((each) => (each.kind === 'engine.started' ? [each.pid] : []));
    expect(pids).toEqual([enginePid]);
    expect(service.observations).toContainEqual({
      kind: 'query.killed',
      queryId: query?.id,
      endpoint: 'logs.all',
      killedBy: query?.token,
    });
  });

  it('are killed while they wait for a place', async () => {
    const answers = [ask(endless), ask(endless), ask(endless)];
    const [waiting] = await once(1, 'waiting');
    await request(`/api/queries/${waiting?.id}`, 'DELETE');
    const first = await Promise.race(answers);
    expect({ status: first.status, code: first.body.code }).toEqual({ status: 504, code: 'query.killed' });
    for (const { id } of await once(2, 'running')) await request(`/api/queries/${id}`, 'DELETE');
    expect((await Promise.all(answers)).map(({ body }) => body.code)).toEqual(Array(3).fill('query.killed'));
    await expect.poll(listed).toEqual([]);
  });

  it('exist for a token restricted to projects only where they are its own', async () => {
    const restricted = await service.makeToken(['query', 'observe', 'manage'], ['quietlyhidden']);
    const others = ask(endless);
    const [query] = await once(1, 'running');
    expect(await listed(restricted)).toEqual([]);
    const refused = await request(`/api/queries/${query?.id}`, 'DELETE', restricted);
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 404, code: 'query.unknown' });
    const own = ask(endless, restricted);
    await once(2, 'running');
    const [mine] = await listed(restricted);
    expect((await request(`/api/queries/${mine?.id}`, 'DELETE', restricted)).status).toBe(200);
    expect((await own).body.code).toBe('query.killed');
    await request(`/api/queries/${query?.id}`, 'DELETE');
    expect((await others).body.code).toBe('query.killed');
    await expect.poll(listed).toEqual([]);
  });

  it('need the scope observe to be listed and manage to be killed', async () => {
    const observer = await service.makeToken(['observe']);
    const caller = await service.makeToken(['query']);
    const outcomes = await Promise.all([
      request('/api/queries', 'GET', observer),
      request('/api/queries/x', 'DELETE', observer),
      request('/api/queries', 'GET', caller),
      request('/api/queries/x', 'DELETE'),
      request('/api/queries/x', 'GET'),
    ]);
    expect(outcomes.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, 'auth.scope'],
      [403, 'auth.scope'],
      [404, 'query.unknown'],
      [405, 'request.method_not_allowed'],
    ]);
  });

  it('are listed and killed on the command line', async () => {
    const answer = ask(endless);
    const [query] = await once(1, 'running');
    const table = await cli('queries', 'list');
    expect(table).toMatchObject({ code: 0, err: '' });
    expect(table.out).toMatch(new RegExp(`${query?.id}.*logs\\.all.*running`));
    const json = await cli('queries', 'list', '--json');
    expect(JSON.parse(json.out)).toMatchObject([{ id: query?.id, stage: 'running' }]);
    expect(await cli('queries', 'kill', query?.id ?? '')).toEqual({
      code: 0,
      out: `Killed ${query?.id}.\n`,
      err: '',
    });
    expect((await answer).body.code).toBe('query.killed');
    const unknown = await cli('queries', 'kill', '00000000-0000-4000-8000-000000000000');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('[query.unknown]');
  });

  it('are killed by the name of their endpoint, if it has no other query', async () => {
    await expect.poll(listed).toEqual([]);
    const none = await cli('queries', 'kill', 'logs.all');
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No query of an endpoint named logs.all') });
    const answers = [ask(endless), ask(endless)];
    await expect.poll(async () => (await listed()).length).toBe(2);
    const running = await listed();
    const both = await cli('queries', 'kill', 'logs.all');
    expect(both).toMatchObject({ code: 2, out: '' });
    for (const { id } of running) expect(both.err).toContain(id);
    await request(`/api/queries/${running[0]?.id}`, 'DELETE');
    await expect.poll(async () => (await listed()).map(({ id }) => id)).toEqual([running[1]?.id]);
    expect(await cli('queries', 'kill', 'logs.all')).toEqual({ code: 0, out: `Killed ${running[1]?.id}.\n`, err: '' });
    expect((await Promise.all(answers)).map(({ body }) => body.code)).toEqual(['query.killed', 'query.killed']);
  });
});
