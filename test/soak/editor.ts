import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { SoakedService } from './soakedService.ts';
import type { Reply, SoakRun } from './soakRun.ts';
import { changedEndpoint, changedQuery } from './tokensAndEndpoints.ts';

const pauseMs = 2_000;
const pathOfChanged = `/api/endpoints/query/${changedEndpoint.name}`;
/** How often, and for how long, the editor checks that a node refuses a revoked token. */
const refusedEveryMs = 100;
const refusedWithinMs = 60_000;

/**
 * Repeatedly changes an endpoint, and makes and revokes tokens. The endpoint must answer with its last acknowledged
 * change or a later unanswered one; a revoked token must open nothing.
 */
export async function edit(run: SoakRun, seed: string, isOver: () => boolean): Promise<void> {
  const random = new SeededRandom(`${seed} editor`);
  const acknowledged: { readonly number: number; readonly atMs: number }[] = [];
  const revoked: [string, ...string[]] = ['neverMade'];
  for (let number = 1; !isOver(); number++) {
    const reply = await manage(run, 'a change of an endpoint', 'PATCH', `/api/endpoints/${changedEndpoint.id}`, {
      query: changedQuery(number),
    });
    if (reply?.status === 200) acknowledged.push({ number, atMs: performance.now() });
    const beforeMs = performance.now() - run.spreadMs();
    const answered = await numberOf(run);
    const knownMs = Math.min(beforeMs, performance.now() - run.spreadMs());
    const least = acknowledged.findLast(({ atMs }) => atMs <= knownMs)?.number ?? 0;
    // A rejected or lost change may have been made, but none after it.
    if (answered !== null && (answered < least || answered > number)) {
      run.find('a changed endpoint answered with another change', `${answered} is not from ${least} to ${number}`);
    }
    await use(run, 'a token revoked earlier', random.pick(revoked), ['401 auth.invalid'], run.nextNode());
    if (random.chance(0.3)) revoked.push(...(await makeAndRevoke(run)));
    await delay(pauseMs * (0.5 + random.next()));
  }
}

async function numberOf(run: SoakRun): Promise<number | null> {
  const reply = await run.send('a changed endpoint', pathOfChanged, { headers: { 'x-api-key': run.tokens.query } });
  return reply?.status === 200 ? Number(JSON.parse(reply.text).result[0].number) : null;
}

/** Returns the token if it was revoked. */
async function makeAndRevoke(run: SoakRun): Promise<readonly string[]> {
  const body = { description: 'short-lived', scopes: ['query'] };
  const made = await manage(run, 'a new token', 'POST', '/api/tokens', body, '201');
  if (made?.status !== 201) return [];
  const { token, id } = JSON.parse(made.text);
  // So that each node has it in memory.
  await Promise.all(run.nodes.map(async (node) => await use(run, 'a new token in use', token, ['200'], node)));
  const answer = await manage(run, 'a revoked token', 'DELETE', `/api/tokens/${id}`);
  if (answer?.status !== 200) return [];
  const revokedMs = performance.now();
  await Promise.all(run.nodes.map(async (node) => await requireRefusal(run, token, revokedMs, node)));
  return [token];
}

/** Calls a node until it refuses the token. It may accept the token only until the revocation must have reached it. */
async function requireRefusal(run: SoakRun, token: string, revokedMs: number, node: SoakedService): Promise<void> {
  let acceptedMs = 0;
  for (let sentMs = performance.now(); sentMs < revokedMs + refusedWithinMs; sentMs = performance.now()) {
    const may = sentMs - revokedMs < run.spreadMs() ? ['200', '401 auth.invalid'] : ['401 auth.invalid'];
    const reply = await use(run, 'a revoked token in use', token, may, node);
    if (reply?.status === 200) acceptedMs = sentMs - revokedMs;
    if (reply?.status === 401) break;
    await delay(refusedEveryMs);
  }
  run.measure('until a node last accepted a revoked token', acceptedMs);
}

async function use(
  run: SoakRun,
  sort: string,
  token: string,
  expected: readonly string[],
  node: SoakedService,
): Promise<Reply> {
  return await run.send(sort, pathOfChanged, { headers: { 'x-api-key': token } }, expected, node);
}

async function manage(
  run: SoakRun,
  sort: string,
  method: string,
  path: string,
  body?: object,
  status = '200',
): Promise<Reply> {
  const headers = { 'x-api-key': run.tokens.admin, 'content-type': 'application/json' };
  return await run.send(
    sort,
    path,
    { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    [status],
  );
}
