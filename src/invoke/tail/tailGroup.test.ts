import { expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import { TailGroup, type TailGroupServices } from './tailGroup.ts';
import type { TailPlan } from './tailPlan.ts';
import type { TailReader } from './tailReader.ts';
import { TailReads } from './tailReads.ts';

it('reads as the token of the readers that are there, and on its own account if they have several', () => {
  const runnerOf = (id: string) => ({ id, concurrencyMax: 1, tenant: id });
  const plan = { key: 'k', runner: runnerOf('first') } as unknown as TailPlan;
  const place = { arrival: 0, row: 0 };
  const group = new TailGroup(plan, Buffer.from([1]), place, {} as unknown as TailGroupServices);
  const join = (id: string): TailReader => {
    const reader = {} as unknown as TailReader;
    group.add({
      reader,
      tokenId: id,
      placeOwner: id,
      runner: runnerOf(id),
      requestId: id,
      requireRights: async () => {},
    });
    return reader;
  };
  const first = join('first');
  join('first');
  expect(group.plan.runner).toEqual(runnerOf('first'));
  const other = join('other');
  expect(group.plan.runner).toMatchObject({ concurrencyMax: null });
  group.remove(other);
  expect(group.plan.runner).toEqual(runnerOf('first'));
  group.remove(first);
  join('other');
  expect(group.plan.runner.id).not.toBe('first');
});

it('ends a tail within a minute if the engine hangs, however many events there are to read', async () => {
  const timer = new ManualTimer();
  const asked: number[] = [];
  const services = {
    timer,
    clock: systemClock,
    queue: new QueryQueue({ concurrency: 1, waitingMax: 9, waitMsMax: 1 }, timer, new MemoryTokenRuns()),
    running: new RunningQueries({
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      readMs: () => timer.nowMs(),
    }),
    engine: {
      run: ({ arrivals }: { readonly arrivals: { readonly to: number } }, signal: AbortSignal) => {
        asked.push(arrivals.to);
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    },
  };
  const all = { ...services, reads: new TailReads(services as never) } as unknown as TailGroupServices;
  const plan = {
    endpoint: { id: 'e', name: 'e' },
    tailed: { sources: ['s'] },
    shareable: null,
    request: {},
    wakes: null,
    timeoutMs: 30_000,
  } as unknown as TailPlan;
  const group = new TailGroup(plan, Buffer.from([1]), { arrival: 0, row: 0 }, all);
  let ended: { readonly code: string; readonly atMs: number } | null = null;
  const reader = {
    isEnded: false,
    needsRows: false,
    look: () => undefined,
    end: ({ code }: { readonly code: string }) => {
      ended ??= { code, atMs: timer.nowMs() };
    },
  } as unknown as TailReader;
  const runner = { id: 't', concurrencyMax: null, tenant: 't' };
  group.add({ reader, tokenId: 't', placeOwner: 't', runner, requestId: 'r', requireRights: async () => {} });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (let second = 0; second < 300 && ended === null; second++) {
    group.tick(null, 1_000_000);
    for (let n = 0; n < 3; n++) await settled();
    timer.advanceMs(1000);
    for (let n = 0; n < 3; n++) await settled();
  }
  expect(ended).toMatchObject({ code: 'query.timeout' });
  expect((ended as { readonly atMs: number } | null)?.atMs).toBeLessThanOrEqual(60_000);
  expect(asked.slice(0, 3)).toEqual([1_000_000, 15_625, 245]);
});
