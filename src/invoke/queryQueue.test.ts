import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { ManualTimer } from '../core/timer.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';
import { QueryQueue, type Release } from './queryQueue.ts';

/** Of one call each, as in the service. */
const never = () => new AbortController().signal;

/** Lets every promise that is already settled run its reactions. */
async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

function queueOf(concurrency: number, waitingMax: number, waitMsMax = 1000) {
  const timer = new ManualTimer();
  const queue = new QueryQueue({ concurrency, waitingMax, waitMsMax }, timer, new MemoryTokenRuns());
  const admitted: string[] = [];
  const refused: string[] = [];
  const releases = new Map<string, Release>();
  const ask = (token: string, name: string, signal: AbortSignal = never(), concurrencyMax: number | null = null) =>
    queue.acquire({ id: token, concurrencyMax }, signal).then(
      (release) => {
        admitted.push(name);
        releases.set(name, release);
      },
      (error: unknown) => {
        refused.push(`${name}:${error instanceof ServiceError ? error.code : String(error)}`);
      },
    );
  return { timer, queue, admitted, refused, releases, ask };
}

describe('QueryQueue', () => {
  it('runs no more than the bound at once', async () => {
    const { queue, admitted, ask } = queueOf(2, 10);
    void ask('a', '1');
    void ask('a', '2');
    void ask('a', '3');
    await settled();
    expect(admitted).toEqual(['1', '2']);
    expect([queue.runningCount, queue.waitingCount]).toEqual([2, 1]);
  });

  it('keeps a quarter of the places for tokens that hold none, so that long queries never hold them all', async () => {
    const { queue, admitted, ask } = queueOf(8, 100, 1000);
    for (let i = 0; i < 20; i++) for (const token of ['a', 'b', 'c', 'd']) void ask(token, `${token}${i}`);
    await settled();
    expect(queue.runningCount).toBe(6);
    void ask('light', 'light');
    await settled();
    expect(admitted.at(-1)).toBe('light');
  });

  it('has a run that steps aside give its place to others, and count for how many its token may run', async () => {
    const { queue, admitted, releases, ask } = queueOf(4, 100);
    for (let i = 0; i < 8; i++) {
      await ask('aside', `aside${i}`);
      releases.get(`aside${i}`)?.stepsAside();
      releases.get(`aside${i}`)?.stepsAside();
    }
    for (let i = 0; i < 4; i++) await ask(`other${i}`, `other${i}`);
    expect(admitted).toHaveLength(12);
    expect([queue.runningCount, queue.waitingCount]).toEqual([12, 0]);
    for (const release of releases.values()) for (let i = 0; i < 2; i++) release();
    expect(queue.runningCount).toBe(0);
    await ask('bounded', 'first', never(), 1);
    releases.get('first')?.stepsAside();
    void ask('bounded', 'second', never(), 1);
    await settled();
    expect(admitted.at(-1)).toBe('first');
    releases.get('first')?.();
    await settled();
    expect(admitted.at(-1)).toBe('second');
  });

  it('admits a light token at once, time after time, beside one whose queries take nearly as long as a wait', async () => {
    const { timer, admitted, refused, releases, ask } = queueOf(4, 100, 1000);
    for (let i = 0; i < 50; i++) void ask('heavy', `heavy${i}`);
    for (let round = 0; round < 10; round++) {
      await ask('light', `light${round}`);
      expect(admitted.at(-1)).toBe(`light${round}`);
      releases.get(`light${round}`)?.();
      timer.advanceMs(900);
      await settled();
    }
    expect(refused.filter((each) => each.startsWith('light'))).toEqual([]);
  });

  it('lets one token use every place but those, and a second take them', async () => {
    const { queue, admitted, releases, ask } = queueOf(4, 10);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
    await settled();
    expect(admitted).toEqual(['a1', 'a2', 'a3']);
    void ask('b', 'b1');
    void ask('b', 'b2');
    await settled();
    expect(admitted).toEqual(['a1', 'a2', 'a3', 'b1']);
    // The place that b gives back is for a token that holds none: its own next query.
    releases.get('b1')?.();
    await settled();
    expect(admitted.at(-1)).toBe('b2');
    releases.get('a1')?.();
    await settled();
    expect([admitted.length, queue.runningCount]).toEqual([5, 3]);
    releases.get('b2')?.();
    await settled();
    expect(admitted.at(-1)).toBe('a4');
  });

  it('gives free slots to the waiting tokens in turn, however many queries each has', async () => {
    const { admitted, releases, ask } = queueOf(1, 10);
    for (const [token, name] of [
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
      ['a', 'a4'],
      ['b', 'b1'],
      ['b', 'b2'],
      ['c', 'c1'],
    ] as const) {
      void ask(token, name);
    }
    for (let i = 0; i < 6; i++) {
      await settled();
      releases.get(admitted.at(-1) ?? '')?.();
    }
    await settled();
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('gives a place back once, however often the release is called', async () => {
    const { queue, releases, ask } = queueOf(2, 10);
    void ask('a', '1');
    void ask('a', '2');
    await settled();
    releases.get('1')?.();
    releases.get('1')?.();
    expect(queue.runningCount).toBe(1);
  });

  it('gives a token no more places than it may have, and those that it leaves to others', async () => {
    const { queue, timer, admitted, refused, releases, ask } = queueOf(8, 10, 1000);
    for (const name of ['1', '2', '3', '4']) void ask('a', name, never(), 2);
    await settled();
    expect(admitted).toEqual(['1', '2']);
    void ask('b', 'b', never(), 1);
    await settled();
    expect(admitted).toEqual(['1', '2', 'b']);
    releases.get('b')?.();
    expect([queue.runningCount, queue.waitingCount]).toEqual([2, 2]);
    releases.get('1')?.();
    await settled();
    expect(admitted).toEqual(['1', '2', 'b', '3']);
    timer.advanceMs(1000);
    await settled();
    expect(refused).toEqual(['4:query.overloaded']);
  });

  it('says that it is the token that has no more places', async () => {
    const { queue, timer, ask } = queueOf(8, 10, 1000);
    void ask('a', '1', never(), 1);
    const second = queue.acquire({ id: 'a', concurrencyMax: 1 }, never()).catch((error: unknown) => error);
    timer.advanceMs(1000);
    expect(await second).toMatchObject({
      message: expect.stringContaining('this token may run at most 1 at the same time'),
    });
  });

  it('refuses at once with Retry-After when the queue is full', async () => {
    const { queue, ask } = queueOf(1, 1, 4000);
    void ask('a', '1');
    void ask('a', '2');
    const error = await queue.acquire({ id: 'a', concurrencyMax: null }, never()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'query.overloaded', retryAfterSeconds: 2 });
  });

  it('lets a token that waits with little into a queue that another one filled', async () => {
    const { refused, admitted, releases, ask } = queueOf(1, 3);
    void ask('a', 'a0');
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    void ask('b', 'b1');
    await settled();
    expect(refused).toEqual(['a3:query.overloaded']);
    releases.get('a0')?.();
    await settled();
    releases.get('a1')?.();
    await settled();
    expect(admitted).toEqual(['a0', 'a1', 'b1']);
  });

  it('gives a token no more turns or room for asking as many tenants', async () => {
    const { queue, admitted, refused, releases } = queueOf(4, 20);
    const ask = (id: string, tenant: string) =>
      queue.acquire({ id, concurrencyMax: null, tenant: `${id} ${tenant}` }, never()).then(
        (release) => {
          admitted.push(`${id} ${tenant}`);
          releases.set(`${id} ${tenant}`, release);
        },
        () => void refused.push(`${id} ${tenant}`),
      );
    for (let i = 0; i < 30; i++) void ask('many', `${i}`);
    for (let i = 0; i < 3; i++) void ask('few', `${i}`);
    await settled();
    // The queue is full of tenants with one query each, but all of one token.
    expect(refused.filter((name) => name.startsWith('few'))).toEqual([]);
    expect(admitted).toEqual(['many 0', 'many 1', 'many 2', 'few 0']);
    for (const name of ['many 0', 'many 1', 'many 2']) releases.get(name)?.();
    await settled();
    expect(admitted.slice(4)).toEqual(['many 3', 'few 1']);
  });

  it('gives queries that pass their deadline at the same moment one turn each', async () => {
    const timer = new ManualTimer();
    let nowMs = 0;
    const queue = new QueryQueue(
      { concurrency: 1, waitingMax: 50, waitMsMax: 1000 },
      timer,
      new MemoryTokenRuns(),
      // Each look at the clock is a turn later.
      new Turns(() => (nowMs += 10)),
    );
    let refused = 0;
    for (let i = 0; i < 21; i++) {
      queue.acquire({ id: `${i}`, concurrencyMax: null }, never()).catch(() => {
        refused++;
      });
    }
    timer.advanceMs(1000);
    expect(queue.waitingCount).toBe(0);
    const perTurn: number[] = [];
    for (let before = -1; refused < 20 || before < refused; ) {
      before = refused;
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(refused - before);
    }
    expect(Math.max(...perTurn)).toBe(1);
    expect(refused).toBe(20);
  });

  it('refuses a query whose wait passes the deadline, and only that one', async () => {
    const { timer, queue, refused, admitted, releases, ask } = queueOf(1, 10, 1000);
    void ask('a', '1');
    void ask('a', '2');
    timer.advanceMs(600);
    void ask('a', '3');
    timer.advanceMs(500);
    await settled();
    expect(refused).toEqual(['2:query.overloaded']);
    releases.get('1')?.();
    await settled();
    expect(admitted).toEqual(['1', '3']);
    expect(timer.pendingCount).toBe(0);
    expect(queue.waitingCount).toBe(0);
  });

  it('forgets a waiting query when its caller goes away', async () => {
    const { timer, queue, refused, ask } = queueOf(1, 10);
    const gone = new AbortController();
    void ask('a', '1');
    void ask('b', '2', gone.signal);
    gone.abort(new ServiceError('query.cancelled', 'gone'));
    await settled();
    expect(refused).toEqual(['2:query.cancelled']);
    expect(queue.waitingCount).toBe(0);
    expect(timer.pendingCount).toBe(0);
  });

  it('does not start a query whose caller is gone already', async () => {
    const { queue, refused, ask } = queueOf(1, 10);
    await ask('a', '1', AbortSignal.abort(new ServiceError('query.cancelled', 'gone')));
    expect(refused).toEqual(['1:query.cancelled']);
    expect(queue.runningCount).toBe(0);
  });

  it('keeps its bounds and serves or refuses everyone, under any order of events', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), token: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('release' as const), at: fc.nat(5) }),
      fc.record({ kind: fc.constant('leave' as const), at: fc.nat(8) }),
      fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 1500 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { timer, queue, admitted, refused, releases, ask } = queueOf(2, 4);
        const callers: AbortController[] = [];
        let asked = 0;
        const running = () => admitted.filter((name) => releases.has(name));
        for (const each of steps) {
          if (each.kind === 'ask') {
            const caller = new AbortController();
            callers.push(caller);
            void ask(each.token, String(asked++), caller.signal);
          } else if (each.kind === 'release') {
            const name = running()[each.at];
            if (name !== undefined) {
              releases.get(name)?.();
              releases.delete(name);
            }
          } else if (each.kind === 'leave') callers[each.at]?.abort(new ServiceError('query.cancelled', 'gone'));
          else timer.advanceMs(each.ms);
          await settled();
          expect(queue.runningCount).toBe(running().length);
          expect(queue.runningCount).toBeLessThanOrEqual(2);
          expect(queue.waitingCount).toBeLessThanOrEqual(4);
          // Nobody waits while a place is free.
          expect(queue.waitingCount === 0 || queue.runningCount === 2).toBe(true);
        }
        for (let name = running()[0]; name !== undefined; name = running()[0]) {
          releases.get(name)?.();
          releases.delete(name);
          await settled();
        }
        expect(admitted.length + refused.length).toBe(asked);
        expect([queue.runningCount, queue.waitingCount, timer.pendingCount]).toEqual([0, 0, 0]);
      }),
    );
  });
});
