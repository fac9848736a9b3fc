import { join } from 'node:path';
import { BareEngine } from '../../bareEngine.ts';
import { type BenchedQuery, benchedQueries } from '../../benchedQueries.ts';
import { median } from '../../percentile.ts';
import { measuredProjects } from '../../projects.ts';
import { call, measureParallel } from '../../queryOverHttp.ts';
import { type PairedCall, TwoProcesses } from '../../twoProcesses.ts';
import { byTurns, timed } from '../byTurns.ts';
import { type Figure, figure } from '../figure.ts';
import { getOverHttp } from '../getOverHttp.ts';
import { forgetFiles } from '../pageCache.ts';
import type { PartContext } from '../partContext.ts';
import { type PreparedEvents, sealedFiles } from '../preparedEvents.ts';
import { manyEvents, target } from '../targets.ts';

const part = 'stored endpoints';

/**
 * Measures the shipped endpoints for a tiny, a middling and a large project. Warm: the service has run for a while and
 * does not use the cache; measured in turn with the emitted statements on the same files. Cold: the first call after a
 * start, with the event files out of the system's memory. Cached: the result is in the cache. Unchanged: no event has
 * changed since an earlier run. Two processes: the least that any service with an engine in another process does.
 */
export async function measureStoredEndpoints(
  context: PartContext,
  prepared: PreparedEvents,
): Promise<readonly Figure[]> {
  const dataDir = context.copyOf(prepared);
  const cold = await coldTimes(context, dataDir);
  const bare = await BareEngine.open(context.copyOf(prepared));
  if (bare.sealedEvents !== prepared.events)
    throw new Error(`${bare.sealedEvents} of ${prepared.events} events are stored`);
  const figures: Figure[] = [];
  await context.serving(dataDir, async ({ url }) => {
    // Warm up: V8 has not compiled the code of a new service yet.
    await measureParallel(url, benchedQueries, 1, context.effort.seconds * 2);
    const calls: PairedCall[] = [];
    for (const query of benchedQueries)
      calls.push({ statements: await bare.statementsOf(query), bytes: await call(url, query) });
    const pair = await TwoProcesses.start(context.newFolder('calls'), context.copyOf(prepared), calls);
    for (const [n, query] of benchedQueries.entries()) {
      const statements = calls[n]?.statements ?? [];
      const times = await byTurns(
        {
          bare: () => bare.time(statements),
          http: timed(() => call(url, query)),
          pair: timed(() => pair.call(n)),
        },
        context.effort,
      );
      const fromMemory = await timeFromMemory(url, query, context.effort.rounds);
      const bareMs = median(times.bare);
      const httpMs = median(times.http);
      figures.push(
        figure({
          part,
          events: prepared.events,
          what: query.title,
          measured: httpMs,
          unit: 'ms',
          beside: { what: 'bare engine', value: bareMs },
          target: target('storedEndpoint', httpMs, bareMs),
          further: {
            'two processes': median(times.pair),
            cold: median(cold.get(query.title) ?? []),
            ...fromMemory,
          },
        }),
      );
      if (!query.isNewest || prepared.events < manyEvents) continue;
      figures.push(
        figure({
          part,
          events: prepared.events,
          what: `newest 100 by ${query.title}`,
          measured: httpMs,
          unit: 'ms',
          target: target('newestTime', httpMs),
        }),
      );
    }
    await pair.stop();
  });
  bare.close();
  return figures;
}

/**
 * Milliseconds of first calls, by title of the query. Each size of project has its own service, and the order of the
 * queries changes each time.
 */
async function coldTimes(context: PartContext, dataDir: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(benchedQueries.map(({ title }) => [title, []]));
  const files = sealedFiles(dataDir).map((name) => join(dataDir, 'events', name));
  for (let round = 0; round < context.effort.starts; round++) {
    for (const project of Object.values(measuredProjects)) {
      const queries = benchedQueries.filter(({ parameters }) => parameters.project === project);
      if (!forgetFiles(files) && round === 0) context.say('cold calls find the files in memory: dd cannot remove them');
      await context.serving(dataDir, async ({ url }) => {
        for (const n of queries.keys()) {
          const query = queries[(n + round * 2) % queries.length];
          if (query === undefined) continue;
          const startedMs = performance.now();
          await call(url, query);
          times.get(query.title)?.push(performance.now() - startedMs);
        }
      });
    }
  }
  return times;
}

/** Milliseconds of a cached or unchanged call; empty if every call runs. */
async function timeFromMemory(
  url: string,
  query: BenchedQuery,
  rounds: number,
): Promise<{ readonly [How in 'cached' | 'unchanged']?: number }> {
  const times = { cached: [] as number[], unchanged: [] as number[] };
  // The third call is the first that can be unchanged.
  for (let round = -3; round < rounds; round++) {
    const startedMs = performance.now();
    const { headers } = await getOverHttp(url, query, { isCacheAsked: true });
    const ms = performance.now() - startedMs;
    const status = String(headers['cache-status']);
    if (round < 0 || !/\bhit\b/.test(status)) continue;
    times[status.includes('detail=unchanged') ? 'unchanged' : 'cached'].push(ms);
  }
  const { cached, unchanged } = times;
  return {
    ...(cached.length === 0 ? {} : { cached: median(cached) }),
    ...(unchanged.length === 0 ? {} : { unchanged: median(unchanged) }),
  };
}
