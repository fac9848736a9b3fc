import { BareRoute, fetchHit } from '../../bareRoute.ts';
import { token } from '../../benchedService.ts';
import { median } from '../../percentile.ts';
import { withProcessorTime } from '../../processorTime.ts';
import { measuredProjects } from '../../projects.ts';
import { measureGet, type RawRate } from '../../rawClient.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { target } from '../targets.ts';

const part = 'cached answers';
const connections = 8;
const turns = 5;
const headers = { 'x-api-key': token };

/** Caches rows of 100 whole events. No shipped endpoint caches rows of that size. */
const wideEndpoint = {
  name: 'bench.newest-kept',
  description: 'The newest edge requests of a project, kept for a while.',
  query:
    'select t.id, t.timestamp, t.event_message, t.metadata from sources.edge_logs as t where t.project = @project order by timestamp desc, id desc limit 100',
  parameters: { project: { type: 'string', required: true } },
  cache_seconds: 900,
} as const;

/**
 * Compares a repeated cached GET with a bare Fastify route that sends the same bytes. Both have their own process and are
 * measured in turn.
 */
export async function measureCachedAnswers(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  return await context.serving(context.copyOf(prepared), async (service) => {
    const created = await fetch(`${service.url}/api/endpoints`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(wideEndpoint),
    });
    if (created.status !== 201) throw new Error(`the endpoint was not created: ${await created.text()}`);
    const project = measuredProjects.large;
    const figures: Figure[] = [];
    for (const [what, query] of [
      [
        '61 rows of statistics',
        `functions.invocation-stats?${new URLSearchParams({ project, interval: '1hr', fill: 'zero' })}`,
      ],
      ['100 whole events', `${wideEndpoint.name}?${new URLSearchParams({ project })}`],
    ] as const) {
      figures.push(...(await measureHits(context, service, `${service.url}/api/endpoints/query/${query}`, what)));
    }
    return figures;
  });
}

async function measureHits(
  context: PartContext,
  service: { readonly pid: number | undefined },
  url: string,
  what: string,
): Promise<readonly Figure[]> {
  await fetchHit(url);
  const hit = await fetchHit(url);
  const route = await BareRoute.start(context.newFolder('route'), hit);
  const kept: (readonly [RawRate, number])[] = [];
  const bare: (readonly [RawRate, number])[] = [];
  try {
    const { seconds } = context.effort;
    const get = (address: string) => measureGet(address, headers, connections, seconds);
    // Warm up: V8 has not compiled newly loaded code yet.
    await get(url);
    await get(route.url);
    for (let turn = 0; turn < turns; turn++) {
      kept.push(await withProcessorTime(service.pid, () => get(url)));
      bare.push(await withProcessorTime(route.pid, () => get(route.url)));
    }
  } finally {
    await route.stop();
  }
  for (const [{ head }] of kept) if (!/cache-status: Logmill; hit/i.test(head)) throw new Error(`no hit: ${head}`);
  const medianOf = (runs: typeof kept, pick: (run: readonly [RawRate, number]) => number) => median(runs.map(pick));
  const rate = (runs: typeof kept) => medianOf(runs, ([{ perSecond }]) => perSecond);
  const tail = (runs: typeof kept) => medianOf(runs, ([{ p99Ms }]) => p99Ms);
  const cpuMs = (runs: typeof kept) => medianOf(runs, ([, micros]) => micros / 1000);
  const title = `${what}, ${Math.round(hit.body.length / 1024)} KiB, ${connections} connections`;
  const peer = 'bare Fastify route';
  return [
    figure({
      part,
      what: `rate: ${title}`,
      measured: rate(kept),
      unit: 'calls/s',
      beside: { what: peer, value: rate(bare) },
      target: target('cachedRate', rate(kept) / rate(bare) >= 0.6),
    }),
    figure({
      part,
      what: `p99: ${title}`,
      measured: tail(kept),
      unit: 'ms',
      beside: { what: peer, value: tail(bare) },
    }),
    figure({
      part,
      what: `processor time a call: ${title}`,
      measured: cpuMs(kept),
      unit: 'ms',
      beside: { what: peer, value: cpuMs(bare) },
    }),
  ];
}
