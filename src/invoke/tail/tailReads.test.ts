import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { compileStored } from '../../googlesql/compile.ts';
import { shareableTail } from '../../googlesql/plan/sharedTail.ts';
import { tailedQuery } from '../../googlesql/plan/tailQuery.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import type { TailRows } from './readTail.ts';
import { wholeEvent } from './tailIds.ts';
import type { TailPlan } from './tailPlan.ts';
import { TailReads } from './tailReads.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

function planOf(pattern: string): TailPlan {
  const text = `select event_message as v from sources.pooler_logs where event_message like '${pattern}'`;
  const query = compileStored(text, { sources, parameters: new Map(), limits: { subqueryDepthMax: 9 } as never });
  const tailed = tailedQuery(query);
  if ('construct' in tailed) throw new Error(tailed.construct);
  return {
    key: pattern,
    endpoint: { id: 'e', name: 'e' },
    query,
    tailed,
    shareable: shareableTail(query, new Map()),
    request: { parameters: new Map(), projects: null, redaction: null, profile: 'plain' },
    wakes: null,
    isRedacted: false,
    isRedactedAtScan: false,
    runner: { id: pattern, concurrencyMax: null },
    timeoutMs: 30_000,
  };
}

it('lets a tail wait a second at most for another one whose query takes long', async () => {
  const timer = new ManualTimer();
  const runs: string[] = [];
  const services = {
    timer,
    clock: systemClock,
    queue: new QueryQueue({ concurrency: 9, waitingMax: 9, waitMsMax: 1 }, timer, new MemoryTokenRuns()),
    running: new RunningQueries({
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      readMs: () => timer.nowMs(),
    }),
    engine: {
      run: ({ query }: { readonly query: unknown }, signal: AbortSignal) => {
        const read = ['quick', 'slow'].filter((name) => inspect(query, { depth: null }).includes(name));
        runs.push(read.join());
        return read.includes('slow')
          ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          : Promise.resolve({ rows: new Uint8Array(), rowKeys: [], hasMore: false, cutByBytes: false });
      },
    },
  };
  const reads = new TailReads(services as never);
  const [quick, slow] = [planOf('quick'), planOf('slow')];
  for (const plan of [quick, slow]) reads.add(plan, plan.runner);
  const from = { arrival: 0, row: wholeEvent };
  const read = (plan: TailPlan) =>
    reads.together(plan, from, 10, { rowsMax: 9, bytesMax: 999 }, new AbortController().signal);
  const settled = async () => {
    for (let n = 0; n < 9; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  let got: TailRows | null = null;
  let failure: unknown = null;
  const all = [
    read(quick).then((rows) => {
      got = rows;
    }),
    read(slow).catch((error: unknown) => {
      failure = error;
    }),
  ];
  await settled();
  expect(runs).toEqual(['quick,slow']);
  timer.advanceMs(1000);
  await settled();
  expect(got).toMatchObject({ end: { arrival: 10 } });
  expect(failure).toBeNull();
  timer.advanceMs(2000);
  await settled();
  expect(failure).toMatchObject({ code: 'query.timeout' });
  await Promise.all(all);
  expect(runs).toEqual(['quick,slow', 'quick', 'slow']);
});
