import { setTimeout as delay } from 'node:timers/promises';
import { type BenchedService, token } from '../../benchedService.ts';
import { median } from '../../percentile.ts';
import { measuredProjects } from '../../projects.ts';
import { measureBesideRoute } from '../besideBareRoute.ts';
import { type Figure, figure } from '../figure.ts';
import { getOverHttp } from '../getOverHttp.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { target } from '../targets.ts';

const part = 'unchanged answers';
const turns = 3;
const pollsPerSecond = 10;
const project = measuredProjects.large;
const newest = { title: 'newest 100', definition: 'logs.all', parameters: { project }, isNewest: true } as const;

/**
 * Polls the newest 100 of a project that the cache does not keep: first while nothing arrives, beside a bare Fastify
 * route; then while an event of the project arrives each second, beside the same polls that demand a run.
 */
export async function measureUnchangedAnswers(
  context: PartContext,
  prepared: PreparedEvents,
): Promise<readonly Figure[]> {
  return await context.serving(context.copyOf(prepared), async (service) => {
    const url = `${service.url}/api/endpoints/query/logs.all?${new URLSearchParams({ project })}`;
    const quiet = await measureBesideRoute(context, service, {
      part,
      what: 'newest 100 of a quiet project',
      url,
      status: /cache-status: Logmill; hit; detail=unchanged/i,
      target: 'unchangedRate',
    });
    return [...quiet, await measurePolls(context, service)];
  });
}

async function measurePolls(context: PartContext, service: BenchedService): Promise<Figure> {
  const perCall = { polled: [] as number[], run: [] as number[] };
  const seconds = Math.max(1, context.effort.seconds * 4);
  const calls = Math.round(seconds * pollsPerSecond);
  for (let turn = 0; turn < turns; turn++) {
    // Subtracted below, because ingestion alone also takes processor time.
    const alone = await processorMs(service, () => arriving(service.url, seconds, () => delay(seconds * 1000)));
    for (const [name, isCacheAsked] of [
      ['polled', true],
      ['run', false],
    ] as const) {
      const polls = () => poll(service.url, calls, isCacheAsked);
      const together = await processorMs(service, () => arriving(service.url, seconds, polls));
      // The system counts in steps of 10 ms.
      perCall[name].push(Math.max(10, together - alone) / calls);
    }
  }
  const polledMs = median(perCall.polled);
  const runMs = median(perCall.run);
  return figure({
    part,
    what: `processor time of both processes a call, ${pollsPerSecond} polls and an event a second`,
    measured: polledMs,
    unit: 'ms',
    beside: { what: 'a run each', value: runMs },
    target: target('unchangedTime', polledMs, runMs),
  });
}

async function processorMs(service: BenchedService, work: () => Promise<unknown>): Promise<number> {
  const before = service.processorMs();
  await work();
  return service.processorMs() - before;
}

/** Does some work while an event of the project arrives each second. */
async function arriving(url: string, seconds: number, work: () => Promise<unknown>): Promise<void> {
  const sending = everyMs(1000, Math.round(seconds), async () => {
    const event = { timestamp: new Date().toISOString(), project, event_message: 'GET | 200 | /rest/v1/things' };
    const response = await fetch(`${url}/api/logs?source=edge_logs`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    });
    if (response.status !== 200) throw new Error(`an event was answered with ${await response.text()}`);
  });
  await Promise.all([sending, work()]);
}

const poll = (url: string, calls: number, isCacheAsked: boolean): Promise<void> =>
  everyMs(1000 / pollsPerSecond, calls, () => getOverHttp(url, newest, { isCacheAsked }));

async function everyMs(ms: number, times: number, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  for (let n = 0; n < times; n++) {
    await work();
    await delay(Math.max(0, startedMs + (n + 1) * ms - performance.now()));
  }
}
