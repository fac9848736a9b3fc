import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreshSchema, freshSchema, hasPostgres } from '../../support/postgresStores.ts';
import { type Answer, NodeProcess } from './nodeProcess.ts';

const adminToken = 'administration-token-of-three-nodes-00';
const numbers = 'unnest(generate_array(1, 100000))';
/** Runs for hours if it is let. */
const endless = `select count(*) as n from ${numbers} a cross join ${numbers} b where mod(a * b, 7) = 3`;
const cached = '/api/endpoints/query/functions.invocation-stats?interval=7day&project=p';
const statsId = '77eeb93b-4d5e-467a-96f7-53c59097216c';

interface Listed {
  readonly queries: readonly { readonly id: string; readonly token: string; readonly stage: string }[];
  readonly silent_nodes?: readonly string[];
}

describe.skipIf(!hasPostgres)('three nodes with one store', () => {
  let schema: FreshSchema;
  let nodes: NodeProcess[];
  const start = () => NodeProcess.start({ store: schema.url, adminToken, queryTimeoutMs: 600_000 });
  beforeAll(async () => {
    schema = await freshSchema();
    nodes = await Promise.all([start(), start(), start()]);
  });
  afterAll(async () => {
    await Promise.all(nodes.map((each) => each.end()));
    await schema.drop();
  });

  function node(n: number): NodeProcess {
    const found = nodes[n];
    if (found === undefined) throw new Error(`no node ${n}`);
    return found;
  }

  async function aliveAt(at: NodeProcess): Promise<number> {
    const { nodes: seen } = JSON.parse((await at.request('/readyz', '')).text) as {
      nodes: readonly { readonly state: string }[];
    };
    return seen.filter(({ state }) => state === 'alive').length;
  }

  async function newToken(
    restrictions: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly id: string; readonly text: string }> {
    const { status, text } = await node(0).request('/api/tokens', adminToken, 'POST', {
      description: 'a caller',
      scopes: ['query'],
      ...restrictions,
    });
    expect(status, text).toBe(201);
    const { id, token } = JSON.parse(text) as { readonly id: string; readonly token: string };
    // Nodes look for tokens that they do not know in the store.
    return { id, text: token };
  }

  const outcomeOf = ({ headers }: Answer) => /fwd=|hit/.exec(headers.get('cache-status') ?? '')?.[0];

  async function listed(at: NodeProcess): Promise<Listed> {
    return JSON.parse((await at.request('/api/queries', adminToken)).text) as Listed;
  }

  const begin = (at: NodeProcess, token: string) =>
    at
      .request('/api/endpoints/query/logs.all', token, 'POST', { project: 'p', sql: endless })
      .catch((): Answer => ({ status: 0, headers: new Headers(), text: '' }));

  async function runningOf(at: NodeProcess, tokenId: string): Promise<readonly string[]> {
    const { queries } = await listed(at);
    return queries.filter(({ token, stage }) => token === tokenId && stage === 'running').map(({ id }) => id);
  }

  it('name each other in /readyz and in the metrics', async () => {
    for (const each of nodes) await expect.poll(() => aliveAt(each)).toBe(3);
    const ids = await Promise.all(
      nodes.map(async (each) => {
        const answer = JSON.parse((await each.request('/readyz', '')).text) as {
          readonly node: string;
          readonly nodes: readonly { readonly id: string }[];
        };
        expect(answer.nodes.map(({ id }) => id)).toContain(answer.node);
        return answer.nodes.map(({ id }) => id).sort();
      }),
    );
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).toEqual(ids[0]);
    expect((await node(2).request('/metrics', adminToken)).text).toContain('\nlogmill_node_alive 3\n');
  });

  it('refuse a revoked token within a second, on cached answers too', async () => {
    const { id, text } = await newToken();
    for (const each of nodes) {
      for (let n = 0; n < 3; n++) expect((await each.request(cached, text)).status).toBe(200);
    }
    expect((await node(0).request(`/api/tokens/${id}`, adminToken, 'DELETE')).status).toBe(200);
    const revokedMs = performance.now();
    const delays = await Promise.all(
      nodes.map(async (each) => {
        while ((await each.request(cached, text)).status === 200) {
          if (performance.now() - revokedMs > 30_000) throw new Error('the token still works');
        }
        return performance.now() - revokedMs;
      }),
    );
    console.log('revocation reached the nodes after ms', delays.map(Math.round));
    expect(Math.max(...delays)).toBeLessThan(1_000);
  });

  it.each([
    ['the same load', [1, 1, 1]],
    ['unequal load', [14, 5, 1]],
    ['load on one node', [0, 1, 0]],
  ])('hold a token to its rate within a tenth, with %s', async (_, weights) => {
    const rate = { requests: 200, seconds: 600 };
    const { text } = await newToken({ restrictions: { rate } });
    const turns = weights.flatMap((weight, n) => new Array<number>(weight).fill(n));
    let allowed = 0;
    let isRefused = false;
    const startMs = performance.now();
    for (let n = 0; n < 1_500 && !(isRefused && n % 600 === 0); n += 6) {
      const statuses = await Promise.all(
        Array.from({ length: 6 }, async (_each, i) => {
          const at = node(turns[(n + i) % turns.length] ?? 0);
          return (await at.request('/api/endpoints/query/nothing', text)).status;
        }),
      );
      allowed += statuses.filter((status) => status === 404).length;
      isRefused ||= statuses.includes(429);
      expect(statuses.every((status) => status === 404 || status === 429)).toBe(true);
    }
    const expected = rate.requests + ((performance.now() - startMs) / 1000) * (rate.requests / rate.seconds);
    console.log('allowed', allowed, 'of', expected.toFixed(1));
    expect(allowed).toBeGreaterThan(0.9 * expected);
    expect(allowed).toBeLessThan(1.1 * expected);
  });

  it('run no more queries of a token than its limit, list them anywhere and kill them from anywhere', async () => {
    const { id, text } = await newToken({ restrictions: { concurrency: 3 } });
    const calls = nodes.flatMap((each) => [begin(each, text), begin(each, text), begin(each, text)]);
    await expect.poll(async () => (await runningOf(node(0), id)).length).toBe(3);
    const killed = new Set<string>();
    while (killed.size < calls.length) {
      const running = await Promise.all(nodes.map((each) => runningOf(each, id)));
      for (const each of running) expect(each.length).toBeLessThanOrEqual(3);
      for (const query of new Set(running.flat())) {
        if (killed.has(query)) continue;
        // The node that runs it is most likely another one.
        const { status } = await node(killed.size % 3).request(`/api/queries/${query}`, adminToken, 'DELETE');
        expect([200, 404]).toContain(status);
        if (status === 200) killed.add(query);
      }
    }
    const answers = await Promise.all(calls);
    for (const { text: body } of answers) expect(body).toContain('query.killed');
    expect((await listed(node(1))).silent_nodes).toBeUndefined();
  });

  it('drop purged results on all nodes before the purge is answered', async () => {
    for (const each of nodes) {
      await each.request(cached, adminToken);
      await expect.poll(async () => outcomeOf(await each.request(cached, adminToken))).toBe('hit');
    }
    const startMs = performance.now();
    expect((await node(1).request(`/api/endpoints/${statsId}/purge`, adminToken, 'POST')).status).toBe(200);
    console.log('the purge took ms', Math.round(performance.now() - startMs));
    for (const each of nodes) expect(outcomeOf(await each.request(cached, adminToken))).toBe('fwd=');
  });

  it('goes on without a node that was killed: its share of limits lapses, and purges do not wait long', async () => {
    const { id, text } = await newToken({ restrictions: { concurrency: 1 } });
    const lost = begin(node(2), text);
    await expect.poll(async () => (await runningOf(node(0), id)).length).toBe(1);
    await node(2).end('SIGKILL');
    const startMs = performance.now();
    await lost;
    const next = begin(node(0), text);
    // Its queries may still be counted, but its silence is told.
    const { silent_nodes } = await listed(node(1));
    expect(silent_nodes ?? []).toHaveLength(1);
    const purgeMs = performance.now();
    expect((await node(1).request(`/api/endpoints/${statsId}/purge`, adminToken, 'POST')).status).toBe(200);
    console.log('the purge with a dead node took ms', Math.round(performance.now() - purgeMs));
    expect(performance.now() - purgeMs).toBeLessThan(5_000);
    await expect.poll(async () => (await runningOf(node(1), id)).length).toBe(1);
    console.log('the slot of the dead node lapsed after ms', Math.round(performance.now() - startMs));
    await expect.poll(() => aliveAt(node(0))).toBe(2);
    const [query = ''] = await runningOf(node(1), id);
    expect((await node(1).request(`/api/queries/${query}`, adminToken, 'DELETE')).status).toBe(200);
    expect((await next).text).toContain('query.killed');
    nodes[2] = await start();
    await expect.poll(() => aliveAt(node(0))).toBe(3);
  });
});
