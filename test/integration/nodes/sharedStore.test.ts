import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { runDoctor } from '../../../src/start/doctor/runDoctor.ts';
import { thisMachine } from '../../../src/start/doctor/thisMachine.ts';
import { openEngine } from '../../../src/start/openEngine.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { CuttableProxy } from '../../support/cuttableProxy.ts';
import { memory } from '../../support/enginesUnderTest.ts';
import { type FreshSchema, freshSchema, hasPostgres } from '../../support/postgresStores.ts';

const adminToken = 'administration-token-of-all-nodes-0000';
const definition = { name: 'nodes.one', query: 'select 1 as n', cache_seconds: 0 };

/** The members of answers that these tests read. */
interface Body {
  readonly code: string;
  readonly token: string;
  readonly id: string;
  readonly days: number | null;
  readonly result: readonly {
    readonly id: string;
    readonly name: string;
    readonly version: number;
    readonly action: string;
  }[];
  readonly deletions: readonly unknown[];
  readonly meta: { readonly notices: readonly unknown[] };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Body;
}

describe.skipIf(!hasPostgres)('nodes that share a store in PostgreSQL', () => {
  let schema: FreshSchema;
  let folder: string;
  let nodes: RunningService[];
  let proxies: CuttableProxy[];
  let observed: Observation[];
  beforeEach(async () => {
    schema = await freshSchema();
    folder = mkdtempSync(join(tmpdir(), 'logmill-nodes-'));
    nodes = [];
    proxies = [];
    observed = [];
  });
  afterEach(async () => {
    for (const proxy of proxies) proxy.restore();
    await Promise.all(nodes.map((node) => node.close('end of the test')));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await schema.drop();
    rmSync(folder, { recursive: true });
  });

  const settingsOf = (given: Readonly<Record<string, unknown>> = {}) =>
    settingsSchema.parse({
      port: 0,
      dataDir: join(folder, `data-${nodes.length}`),
      logLevel: 'silent',
      store: schema.url,
      adminToken,
      ...given,
    });

  async function startNode(
    given: Readonly<Record<string, unknown>> = {},
    engine = memory.openForService,
  ): Promise<RunningService> {
    const node = await startService({
      settings: settingsOf(given),
      clock: systemClock,
      randomness: systemRandomness,
      observe: (observation) => observed.push(observation),
      demo: false,
      progress: () => undefined,
      openEngine: engine,
    });
    nodes.push(node);
    return node;
  }

  /** The URL of the store through a proxy that can be cut. */
  async function throughProxy(): Promise<{ readonly proxy: CuttableProxy; readonly store: string }> {
    const url = new URL(schema.url);
    const proxy = await CuttableProxy.to(Number(url.port));
    proxies.push(proxy);
    url.port = String(proxy.port);
    return { proxy, store: url.href };
  }

  async function ask(
    node: RunningService,
    path: string,
    body?: object,
    token = adminToken,
    method?: string,
  ): Promise<Answer> {
    const response = await fetch(`${node.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'x-api-key': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: text === '' ? {} : JSON.parse(text),
    };
  }
  const contactKinds = () =>
    observed.map(({ kind }) => kind).filter((kind) => kind === 'store.lost' || kind === 'store.recovered');

  /** Copies the definitions aside. The result puts them back in one transaction, in which `after` runs too. */
  async function copyOfStore(): Promise<(after: (client: pg.Client) => Promise<unknown>) => Promise<void>> {
    const name = new URL(schema.url).searchParams.get('schema') ?? '';
    const tables = ['generations', 'tokens', 'endpoints', 'endpoint_versions'];
    const client = new pg.Client(schema.url.replace(/\?.*/, ''));
    await client.connect();
    await client.query(`set search_path = ${name}`);
    for (const table of tables) await client.query(`create table copied_${table} as select * from ${table}`);
    return async (after) => {
      await client.query('begin');
      // As while a dump is restored, no trigger runs.
      await client.query('set local session_replication_role = replica');
      for (const table of tables.toReversed()) await client.query(`delete from ${table}`);
      for (const table of tables) await client.query(`insert into ${table} select * from copied_${table}`);
      await client.query('set local session_replication_role = origin');
      await after(client);
      await client.query('commit');
      await client.end();
    };
  }

  const query = (node: RunningService, token = adminToken) =>
    ask(node, '/api/endpoints/query/nodes.one', undefined, token);

  async function makeToken(node: RunningService): Promise<{ readonly text: string; readonly id: string }> {
    const { status, body } = await ask(node, '/api/tokens', { description: 'of a test', scopes: ['query'] });
    expect([status, typeof body.token]).toEqual([201, 'string']);
    return { text: body.token, id: body.id };
  }

  it('start at once on an empty schema, and deploy what is shipped once', async () => {
    const [a, b, c] = await Promise.all([
      startNode({ dataDir: join(folder, 'a') }),
      startNode({ dataDir: join(folder, 'b') }),
      startNode({ dataDir: join(folder, 'c') }),
    ]);
    const lists = await Promise.all([a, b, c].map((node) => ask(node, '/api/endpoints')));
    const shipped = lists.map(({ body }) => body.result.map(({ id, version }) => [id, version]));
    expect(shipped[0]?.length).toBeGreaterThanOrEqual(4);
    expect(shipped[1]).toEqual(shipped[0]);
    expect(shipped[2]).toEqual(shipped[0]);
    expect(observed.filter(({ kind }) => kind === 'endpoints.deployed')).toHaveLength(1);
  });

  it('see changes of endpoints, sources and retention of one another, and refuse a revoked token, within a second', async () => {
    const [a, b] = [await startNode(), await startNode()];
    expect((await query(b)).status).toBe(404);
    expect((await ask(a, '/api/endpoints', definition)).status).toBe(201);
    const within = { timeout: 60_000, interval: 20 };
    await expect.poll(async () => (await query(b)).status, within).toBe(200);

    expect((await ask(a, '/api/sources', { name: 'gate_logs', aliases: ['gates'] })).status).toBe(201);
    const event = [{ project: 'p', event_message: 'x', timestamp: new Date().toISOString() }];
    await expect.poll(async () => (await ask(b, '/api/logs?source=gates', event)).status, within).toBe(200);

    expect((await ask(a, '/api/sources/gate_logs/retention', { days: 3 }, adminToken, 'PUT')).status).toBe(200);
    await expect.poll(async () => (await ask(b, '/api/sources/gate_logs/retention')).body.days, within).toBe(3);

    const token = await makeToken(a);
    // Cached: the same call again is answered before the framework sees it.
    for (let n = 0; n < 3; n++) expect((await query(b, token.text)).status).toBe(200);
    const revoked = await ask(a, `/api/tokens/${token.id}`, undefined, adminToken, 'DELETE');
    expect(revoked.status).toBeLessThan(300);
    const startedMs = performance.now();
    while ((await query(b, token.text)).status !== 401) {
      expect(performance.now() - startedMs).toBeLessThan(60_000);
    }
  });

  it('find a change whose notification was lost by reading the counts', async () => {
    const [a, b] = [await startNode(), await startNode()];
    const { text, id } = await makeToken(a);
    expect((await ask(a, '/api/endpoints', definition)).status).toBe(201);
    await expect.poll(async () => (await query(b, text)).status).toBe(200);
    const client = new pg.Client(schema.url.replace(/\?.*/, ''));
    await client.connect();
    const name = new URL(schema.url).searchParams.get('schema');
    await client.query(`alter table ${name}.generations disable trigger generations_told`);
    await client.end();
    expect((await ask(a, `/api/tokens/${id}`, undefined, adminToken, 'DELETE')).status).toBeLessThan(300);
    await expect.poll(async () => (await query(b, text)).status).toBe(401);
  });

  it('load everything again if an older copy of the store is restored, also if its counts reach the known ones', async () => {
    const node = await startNode();
    const other = await startNode();
    expect((await ask(node, '/api/endpoints', definition)).status).toBe(201);
    const kept = await makeToken(node);
    const restore = await copyOfStore();
    const { body } = await ask(node, '/api/endpoints');
    const id = body.result.find((each) => each.name === definition.name)?.id ?? '';
    const change = async (of: RunningService, n: number) =>
      expect(
        (await ask(of, `/api/endpoints/${id}`, { ...definition, query: `select ${n} as n` }, adminToken, 'PUT')).status,
      ).toBe(200);
    const rowsOf = async (of: RunningService) => (await query(of)).body.result as unknown;
    await change(node, 2);
    const lost = await makeToken(node);
    for (const each of [node, other]) {
      await expect.poll(async () => await rowsOf(each)).toEqual([{ n: 2 }]);
      for (const { text } of [kept, lost]) await expect.poll(async () => (await query(each, text)).status).toBe(200);
    }
    await restore(async (client) => {
      // What another node would do before this one has looked: the same counts as before, for other changes.
      await client.query(`update tokens set revoked_at = 1 where public_id = '${kept.id}'`);
      await client.query(`update generations set generation = generation + 1 where subject in ('tokens', 'endpoints')`);
    });
    for (const each of [node, other]) {
      for (const { text } of [kept, lost]) await expect.poll(async () => (await query(each, text)).status).toBe(401);
      await expect.poll(async () => await rowsOf(each)).toEqual([{ n: 1 }]);
    }
    // A version with the number and the endpoint of one that is in memory.
    await change(other, 3);
    for (const each of [node, other]) await expect.poll(async () => await rowsOf(each)).toEqual([{ n: 3 }]);
    const message = expect.stringContaining('another copy than before');
    expect(observed).toContainEqual(expect.objectContaining({ kind: 'warning', message }));
  });

  it('go on with what they know while PostgreSQL is away, until that is too old, and recover by themselves', async () => {
    const { proxy, store } = await throughProxy();
    const node = await startNode({ store, storeStaleMax: 5 });
    expect((await ask(node, '/api/endpoints', definition)).status).toBe(201);
    const { text } = await makeToken(node);
    const before = await query(node, text);
    expect([before.status, before.body.meta.notices]).toEqual([200, []]);

    proxy.cut();
    await expect
      .poll(async () => (await ask(node, '/readyz')).body)
      .toMatchObject({ store: 'service.store_unavailable' });
    const during = await query(node, text);
    expect([during.status, during.body.result]).toEqual([200, [{ n: 1 }]]);
    expect(during.body.meta.notices).toMatchObject([{ code: 'service.store_away' }]);
    const change = await ask(node, '/api/endpoints', { ...definition, name: 'nodes.two' });
    expect([change.status, change.body.code]).toEqual([503, 'service.store_unavailable']);
    expect(Number(change.retryAfter)).toBeGreaterThan(0);
    const unknown = await query(node, 'a-token-that-this-node-has-never-seen-0');
    expect([unknown.status, unknown.body.code]).toEqual([503, 'service.store_unavailable']);

    await expect.poll(async () => (await query(node, text)).body.code).toBe('service.store_unavailable');
    const ready = await ask(node, '/readyz');
    expect([ready.status, ready.body.code]).toEqual([503, 'service.store_unavailable']);

    proxy.restore();
    await expect.poll(async () => (await query(node, text)).status).toBe(200);
    expect((await query(node, text)).body.meta.notices).toEqual([]);
    const { body: back } = await ask(node, '/readyz');
    expect(back).toMatchObject({ status: 'ok' });
    expect(back).not.toHaveProperty('store');
    expect((await ask(node, '/api/endpoints', { ...definition, name: 'nodes.two' })).status).toBe(201);
    expect(contactKinds()).toEqual(['store.lost', 'store.recovered']);
  });

  it('refuse a text that PostgreSQL cannot keep, without an error of their own', async () => {
    const node = await startNode();
    const refused = await ask(node, '/api/sources', { name: 'gate_logs', description: 'a\0b' });
    expect([refused.status, refused.body.code]).toEqual([400, 'request.malformed']);
    expect((await ask(node, '/api/tokens/a%00b')).status).toBe(400);
  });

  it('go on with new connections if the old ones fall silent', async () => {
    const other = await startNode();
    const { proxy, store } = await throughProxy();
    const node = await startNode({ store, storeStaleMax: 600 });
    expect((await ask(node, '/api/endpoints', definition)).status).toBe(201);
    const { text, id } = await makeToken(node);
    expect((await query(node, text)).status).toBe(200);
    proxy.hold();
    expect((await ask(other, `/api/tokens/${id}`, undefined, adminToken, 'DELETE')).status).toBeLessThan(300);
    await expect.poll(async () => (await query(node, text)).status).toBe(401);
    // If another call uses the only silent connection, the counts are read on a new one, and nothing is lost.
    await expect.poll(() => contactKinds().join()).toMatch(/^(store.lost,store.recovered)?$/);
    expect((await query(node)).status).toBe(200);
    expect((await ask(node, '/api/endpoints', { ...definition, name: 'nodes.two' })).status).toBe(201);
  });

  it('say why they cannot start, without the password', async () => {
    const url = new URL(schema.url);
    url.password = 'very-secret';
    url.port = '1';
    const refused = startNode({ store: url.href });
    await expect(refused).rejects.toThrow(/LOGMILL_STORE.*127\.0\.0\.1:1.*connection refused/);
    await expect(refused).rejects.not.toThrow(/very-secret/);
  });

  it('keep the embedded engine on one data folder, which keeps its deletions', async () => {
    const dataDir = join(folder, 'first');
    const first = await startNode({ dataDir }, openEngine);
    const event = [{ project: 'p', event_message: 'x', timestamp: new Date().toISOString() }];
    expect((await ask(first, '/api/logs?source=edge_logs', event)).status).toBe(200);
    const deletion = await ask(first, '/api/projects/p/events', undefined, adminToken, 'DELETE');
    expect([deletion.status, deletion.body.code]).toEqual([202, undefined]);
    await expect(startNode({ dataDir: join(folder, 'second') }, openEngine)).rejects.toThrow(
      'belongs to the events of another data folder',
    );
    await first.close('restart');
    const again = await startNode({ dataDir }, openEngine);
    expect((await ask(again, '/api/projects/p/deletions')).body.deletions).toHaveLength(1);
    const audit = await ask(again, '/api/audit?limit=100');
    expect(audit.body.result.map(({ action }) => action)).toContain('project.delete_events');
  });

  it('are looked at by the doctor', async () => {
    const check = async () => {
      const findings = await runDoctor({
        settings: { environment: { LOGMILL_STORE: schema.url, LOGMILL_DATA_DIR: folder }, flags: {} },
        machine: thisMachine(),
        clock: systemClock,
        isDeep: false,
      });
      return findings
        .filter((finding) => finding.check.startsWith('shared'))
        .map(({ check, status }) => [check, status]);
    };
    const fine = [
      ['shared store', 'ok'],
      ['shared schema', 'ok'],
      ['shared store TLS', 'ok'],
    ];
    expect(await check()).toEqual(fine);
    await startNode();
    expect(await check()).toEqual(fine);
  });
});
