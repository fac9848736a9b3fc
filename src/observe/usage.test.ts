import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import type { CallReport, Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import { usageCounterContract } from '../ports/usageCounter.contract.ts';
import { Usage } from './usage.ts';

interface Event {
  readonly id: string;
  readonly timestamp: number;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly calls: number; readonly elapsed_ms: number };
}

const startMicros = 1_777_636_800_000_000;
const endpoint = { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 3 };

function usageOf(groupsMax = 100) {
  const clock = new ManualClock(startMicros);
  const timer = new ManualTimer();
  const batches: (readonly Event[])[] = [];
  const stored: Event[] = [];
  const observations: Observation[] = [];
  let failures = 0;
  const usage = new Usage(
    { slowMs: 1000, everyMs: 30_000, groupsMax },
    {
      clock,
      timer,
      randomness: systemRandomness,
      observe: (observation) => observations.push(observation),
      write: async (events) => {
        batches.push(events as readonly Event[]);
        if (failures-- > 0) throw new Error('the disk is away');
        stored.push(...(events as readonly Event[]));
      },
    },
  );
  const failNext = (times: number) => {
    failures = times;
  };
  return { usage, clock, timer, batches, stored, observations, failNext };
}

usageCounterContract('One process', () => {
  const { usage, stored, failNext } = usageOf();
  const callsOf = (token: string) =>
    stored.filter(({ metadata }) => metadata.token === token).reduce((sum, { metadata }) => sum + metadata.calls, 0);
  return { usage, elsewhere: usage, stored: callsOf, failNext };
});

let requests = 0;
function ended(call: Partial<CallReport> = {}, status = 200, errorCode?: string): Observation {
  return {
    kind: 'request.completed',
    requestId: `r-${requests++}`,
    route: 'endpoints.query',
    status,
    elapsedMs: 99,
    ...(errorCode === undefined ? {} : { errorCode }),
    call: {
      endpoint,
      token: 'alice',
      isCallerQuery: false,
      cache: 'bypass',
      rowCount: 2,
      bytes: 10,
      answeredMs: 5,
      stagesMs: { run: 4 },
      ...call,
    },
  };
}

describe('Usage', () => {
  it('counts similar calls as one event, with sums and their mean time', async () => {
    const { usage, clock, batches } = usageOf();
    usage.record(ended({ answeredMs: 5.01 }));
    clock.advanceMs(2000);
    usage.record(ended({ answeredMs: 5.03, rowCount: 3, bytes: 11 }));
    await usage.flush();
    expect(batches).toEqual([
      [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          timestamp: startMicros + 2_000_000,
          project: '\u001fservice',
          metadata: {
            endpoint_id: endpoint.id,
            endpoint: 'logs.all',
            version: 3,
            token: 'alice',
            status: 200,
            cache: 'bypass',
            caller_query: false,
            calls: 2,
            elapsed_ms: 5.02,
            rows: 5,
            bytes: 21,
          },
        },
      ],
    ]);
  });

  it.each([
    ['endpoint', ended({ endpoint: { ...endpoint, id: '6827ba9b-37ca-425d-8cde-4f10a8dd70f3' } })],
    ['no endpoint', ended({ endpoint: null })],
    ['version', ended({ endpoint: { ...endpoint, version: 4 } })],
    ['token', ended({ token: 'bob' })],
    ['status', ended({}, 400)],
    ['error code', ended({}, 200, 'parameter.missing')],
    ['cache outcome', ended({ cache: 'hit' })],
    ['query of the caller', ended({ isCallerQuery: true })],
    ['time', ended({ answeredMs: 5.2 })],
  ])('separates calls that differ in %s', async (_what, other) => {
    const { usage, batches } = usageOf();
    usage.record(ended());
    usage.record(other);
    await usage.flush();
    expect(batches[0]?.map(({ metadata }) => metadata.calls)).toEqual([1, 1]);
  });

  it('writes an event for each slow call, with request ID, trace and stages', async () => {
    const { usage, batches } = usageOf();
    const slow = ended({ answeredMs: 1000 });
    usage.record({
      ...slow,
      trace: { traceId: 't'.repeat(32), spanId: 's'.repeat(16), isSampled: true },
    } as Observation);
    usage.record(ended({ answeredMs: 1000 }));
    usage.record(ended({ answeredMs: 999 }));
    await usage.flush();
    expect(batches[0]?.map(({ metadata }) => [metadata.request_id, metadata.trace_id, metadata.stages])).toEqual([
      [expect.stringMatching(/^r-/), 't'.repeat(32), { run: 4 }],
      [expect.stringMatching(/^r-/), undefined, { run: 4 }],
      [undefined, undefined, undefined],
    ]);
  });

  it('counts only calls of endpoints', async () => {
    const { usage, batches } = usageOf();
    usage.record({ kind: 'request.completed', requestId: 'r', route: 'metrics.read', status: 200, elapsedMs: 1 });
    usage.record({ kind: 'service.stopping', reason: 'SIGTERM' });
    await usage.flush();
    expect(batches).toEqual([]);
  });

  it('writes at its interval, and nothing without calls', async () => {
    const { usage, timer, batches } = usageOf();
    usage.record(ended());
    timer.advanceMs(29_999);
    expect(batches).toHaveLength(0);
    timer.advanceMs(1);
    await expect.poll(() => batches).toHaveLength(1);
    await usage.flush();
    timer.advanceMs(30_000);
    expect(batches).toHaveLength(1);
    usage.record(ended());
    timer.advanceMs(30_000);
    await expect.poll(() => batches).toHaveLength(2);
    await usage.close();
    expect(timer.pendingCount).toBe(0);
  });

  it('groups times more coarsely the fuller it is, and then drops calls of further kinds and counts them', async () => {
    const { usage, batches, observations } = usageOf(8);
    const times = [10, 20, 30, 31, 32, 40, 50, 60, 5000];
    for (const answeredMs of times) usage.record(ended({ answeredMs }));
    for (const token of ['b', 'c', 'd', 'e', 'f', 'b', 'b'])
      usage.record(ended({ token, answeredMs: token === 'c' ? 2000 : 7 }));
    usage.record(ended({ answeredMs: 10.1 }));
    await usage.flush();
    expect(
      batches[0]?.map(({ metadata }) => [metadata.token, metadata.calls, metadata.elapsed_ms, metadata.request_id]),
    ).toEqual([
      // A quarter: within 2 %, also for calls that come later.
      ['alice', 2, 10.05, undefined],
      ['alice', 1, 20, undefined],
      // A half: within 50 %.
      ['alice', 3, 31, undefined],
      ['alice', 2, 45, undefined],
      // No matter how long, not even where it was slow.
      ['alice', 2, 2530, undefined],
      ['b', 3, 7, undefined],
      ['c', 1, 2000, undefined],
      ['d', 1, 7, undefined],
    ]);
    expect(observations).toEqual([{ kind: 'usage.dropped', reason: 'full', calls: 2 }]);
    usage.record(ended({ token: 'f' }));
    await usage.flush();
    expect(batches[1]).toHaveLength(1);
    expect(observations).toHaveLength(1);
  });

  it('tries a failed write once more with the same events, and continues with later calls', async () => {
    const { usage, batches, observations, failNext } = usageOf();
    failNext(1);
    usage.record(ended());
    await usage.flush();
    usage.record(ended({ token: 'bob' }));
    await usage.flush();
    expect(batches).toHaveLength(3);
    expect(batches[1]).toEqual(batches[0]);
    expect(batches[2]?.map(({ metadata }) => metadata.token)).toEqual(['bob']);
    expect(observations).toEqual([]);
  });

  it('drops events that failed twice, reports it, and keeps later calls', async () => {
    const { usage, batches, observations, failNext } = usageOf();
    failNext(2);
    usage.record(ended());
    usage.record(ended());
    await usage.flush();
    usage.record(ended({ token: 'bob' }));
    await usage.flush();
    expect(observations).toMatchObject([
      { kind: 'usage.dropped', reason: 'failed', calls: 2, cause: { message: 'the disk is away' } },
    ]);
    expect(batches.at(-1)?.map(({ metadata }) => metadata.token)).toEqual(['bob']);
  });

  it('writes the remaining counts on close, and reports those that it could not write', async () => {
    const written = usageOf();
    written.usage.record(ended());
    await written.usage.close();
    expect(written.batches).toHaveLength(1);
    const failing = usageOf();
    failing.failNext(1);
    failing.usage.record(ended());
    await failing.usage.close();
    expect(failing.observations).toMatchObject([{ kind: 'usage.dropped', reason: 'failed', calls: 1 }]);
  });

  it('counts every call once, in an event or as dropped, within 2 % of its time while there is room', async () => {
    const calls = fc.array(
      fc.record({
        token: fc.constantFrom('a', 'b', 'c'),
        answeredMs: fc.double({ min: 0.001, max: 999, noNaN: true }),
        rowCount: fc.nat(5),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(calls, fc.constantFrom(1, 7, 50, 400), async (made, groupsMax) => {
        const { usage, batches, observations } = usageOf(groupsMax);
        for (const call of made) usage.record(ended(call));
        await usage.flush();
        const events = batches.flat();
        const dropped = observations.reduce((sum, each) => sum + (each.kind === 'usage.dropped' ? each.calls : 0), 0);
        expect(events.length).toBeLessThanOrEqual(groupsMax);
        expect(events.reduce((sum, { metadata }) => sum + metadata.calls, dropped)).toBe(made.length);
        for (const token of ['a', 'b', 'c']) {
          const rows = events.reduce(
            (sum, { metadata }) => sum + (metadata.token === token ? Number(metadata.rows) : 0),
            0,
          );
          const all = made.reduce((sum, each) => sum + (each.token === token ? each.rowCount : 0), 0);
          if (dropped === 0) expect(rows).toBe(all);
          else expect(rows).toBeLessThanOrEqual(all);
        }
        if (events.length >= groupsMax / 4) return;
        const near = (ms: number) =>
          events.some(({ metadata }) => Math.abs(metadata.elapsed_ms - ms) <= ms * 0.02 + 0.01);
        expect(made.every(({ answeredMs }) => near(answeredMs))).toBe(true);
      }),
    );
  });
});
