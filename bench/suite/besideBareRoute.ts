import { BareRoute, fetchHit } from '../bareRoute.ts';
import { token } from '../benchedService.ts';
import { median } from '../percentile.ts';
import { withProcessorTime } from '../processorTime.ts';
import { measureGet, type RawRate } from '../rawClient.ts';
import { type Figure, figure } from './figure.ts';
import type { PartContext } from './partContext.ts';
import { type TargetName, target } from './targets.ts';

const connections = 8;
const turns = 5;
/** Calls until an answer comes from memory: the first two may both run. */
const callsBefore = 3;
const headers = { 'x-api-key': token };

/** An answer from memory. */
export interface KeptAnswer {
  readonly part: string;
  readonly what: string;
  readonly url: string;
  /** Matches its `Cache-Status`. */
  readonly status: RegExp;
  /** Of its rate, compared with that of the bare route. */
  readonly target: TargetName;
}

/**
 * Compares a repeated GET that is answered from memory with a bare Fastify route that sends the same bytes. Both have their
 * own process and are measured in turn.
 */
export async function measureBesideRoute(
  context: PartContext,
  service: { readonly pid: number | undefined },
  { part, what, url, status, target: held }: KeptAnswer,
): Promise<readonly Figure[]> {
  for (let n = 1; n < callsBefore; n++) await fetchHit(url);
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
  for (const [{ head }] of kept) if (!status.test(head)) throw new Error(`not from memory: ${head}`);
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
      target: target(held, rate(kept), rate(bare)),
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
