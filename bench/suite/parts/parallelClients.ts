import { benchedQueries } from '../../benchedQueries.ts';
import { median } from '../../percentile.ts';
import { measureParallel, type ParallelResult } from '../../queryOverHttp.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { fewEvents, target } from '../targets.ts';

const part = 'parallel clients';
const counts = [1, 8, 32] as const;
/** Turns for each number of clients. */
const turns = 3;

/** Calls the stored endpoints in turn, without the cache, from 1, 8 and 32 clients at a time. */
export async function measureParallelClients(
  context: PartContext,
  prepared: PreparedEvents,
): Promise<readonly Figure[]> {
  const { seconds } = context.effort;
  const results: ParallelResult[] = [];
  const processorMs: number[] = [];
  await context.serving(context.copyOf(prepared), async (service) => {
    const { url } = service;
    await measureParallel(url, benchedQueries, 8, seconds);
    for (let turn = 0; turn < turns; turn++) {
      for (const clients of counts) {
        const before = service.processorMs();
        const startedMs = performance.now();
        const result = await measureParallel(url, benchedQueries, clients, seconds);
        const calls = (result.callsPerSecond * (performance.now() - startedMs)) / 1000;
        const after = service.processorMs();
        results.push(result);
        if (clients === 8) processorMs.push((after - before) / calls);
      }
    }
  });
  const medianOf = (clients: number, pick: (result: ParallelResult) => number) =>
    median(results.filter((result) => result.clients === clients).map(pick));
  const rate = (clients: number) => medianOf(clients, ({ callsPerSecond }) => callsPerSecond);
  const tail = (clients: number) => medianOf(clients, ({ p99Ms }) => p99Ms);
  const common = { part, events: prepared.events };
  return [
    figure({
      ...common,
      what: 'calls per second, 8 clients',
      measured: rate(8),
      unit: 'calls/s',
      beside: { what: '1 client', value: rate(1) },
      target: target('eightClients', rate(8), rate(1)),
      further: { '32 clients': rate(32) },
    }),
    figure({
      ...common,
      what: 'p99 of calls, 32 clients',
      measured: tail(32),
      unit: 'ms',
      beside: { what: '8 clients', value: tail(8) },
      target: target('manyClients', tail(32), tail(8)),
      further: { '1 client': tail(1) },
    }),
    figure({
      ...common,
      what: 'processor time of both processes for a call, mean of all endpoints, 8 clients',
      measured: median(processorMs),
      unit: 'ms',
      target: prepared.events <= fewEvents ? target('callProcessor', median(processorMs)) : null,
    }),
  ];
}
