import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-05-01T12:00:00Z') * 1000;
const eventsEach = 120;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros });
});
afterAll(() => service.close());

/** A body of 11 MiB, of which the service works on five at a time. */
function bodyOf(project: string): string {
  const events = Array.from({ length: eventsEach }, (_, n) => ({
    id: `${project}-${n}`,
    timestamp: nowMicros - n,
    project,
    event_message: String(n).padEnd(96_000, 'x'),
  }));
  return JSON.stringify(events);
}

async function send(project: string): Promise<{ readonly project: string; readonly status: number }> {
  const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    body: bodyOf(project),
  });
  const answer = (await response.json()) as { readonly accepted?: number; readonly code?: string };
  if (response.status === 503) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(answer.code).toBe('ingest.overloaded');
  } else expect([response.status, answer.accepted]).toEqual([200, eventsEach]);
  return { project, status: response.status };
}

async function storedOf(project: string): Promise<unknown> {
  const { body } = await service.call('logs.all', { project, sql: 'select count(*) as n from edge_logs' });
  return body.result[0]?.n;
}

it('takes so many large bodies as its memory holds, whole, and nothing of the others, which can be sent again', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => send(`large-${n}`)));
  const refused = answers.filter(({ status }) => status === 503).map(({ project }) => project);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(answers.length);
  for (const { project, status } of answers) expect(await storedOf(project)).toBe(status === 200 ? eventsEach : 0);
  const [again = ''] = refused;
  expect((await send(again)).status).toBe(200);
  expect(await storedOf(again)).toBe(eventsEach);
});
