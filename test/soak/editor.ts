import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { Reply, SoakRun } from './soakRun.ts';
import { changedEndpoint, changedQuery } from './tokensAndEndpoints.ts';

const pauseMs = 2_000;

/**
 * Repeatedly changes an endpoint, and makes and revokes tokens. The endpoint must answer with its last acknowledged
 * change or a later unanswered one; a revoked token must open nothing.
 */
export async function edit(run: SoakRun, seed: string, isOver: () => boolean): Promise<void> {
  const random = new SeededRandom(`${seed} editor`);
  let acknowledged = 0;
  for (let number = 1; !isOver(); number++) {
    const reply = await manage(run, 'a change of an endpoint', 'PATCH', `/api/endpoints/${changedEndpoint.id}`, {
      query: changedQuery(number),
    });
    if (reply?.status === 200) acknowledged = number;
    const answered = await numberOf(run);
    // A rejected or lost change may have been made, but none after it.
    if (answered !== null && (answered < acknowledged || answered > number)) {
      run.find(
        'a changed endpoint answered with another change',
        `${answered} is not from ${acknowledged} to ${number}`,
      );
    }
    if (random.chance(0.3)) await makeAndRevoke(run);
    await delay(pauseMs * (0.5 + random.next()));
  }
}

async function numberOf(run: SoakRun): Promise<number | null> {
  const reply = await run.send('a changed endpoint', `/api/endpoints/query/${changedEndpoint.name}`, {
    headers: { 'x-api-key': run.tokens.query },
  });
  return reply?.status === 200 ? Number(JSON.parse(reply.text).result[0].number) : null;
}

async function makeAndRevoke(run: SoakRun): Promise<void> {
  const made = await manage(
    run,
    'a new token',
    'POST',
    '/api/tokens',
    { description: 'short-lived', scopes: ['query'] },
    '201',
  );
  if (made?.status !== 201) return;
  const { token, id } = JSON.parse(made.text);
  const path = `/api/endpoints/query/${changedEndpoint.name}`;
  await run.send('a new token in use', path, { headers: { 'x-api-key': token } });
  const revoked = await manage(run, 'a revoked token', 'DELETE', `/api/tokens/${id}`);
  if (revoked?.status !== 200) return;
  await run.send('a revoked token in use', path, { headers: { 'x-api-key': token } }, ['401 auth.invalid']);
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
