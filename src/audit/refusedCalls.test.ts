import { describe, expect, it } from 'vitest';
import type { AuditEvent } from './auditTrail.ts';
import { RefusedCalls } from './refusedCalls.ts';

const minute = 60_000_000;
const call = { atMicros: 5 * minute + 3, actor: 'aaaaaaaaaaaa', operation: 'endpoints.query', code: 'auth.scope' };

function counting(): { readonly calls: RefusedCalls; readonly recorded: AuditEvent[]; failNext(): void } {
  const recorded: AuditEvent[] = [];
  let fails = false;
  return {
    recorded,
    failNext: () => {
      fails = true;
    },
    calls: new RefusedCalls({
      record: async (...events) => {
        if (fails) {
          fails = false;
          throw new Error('the disk is full');
        }
        recorded.push(...events);
      },
    }),
  };
}

describe('refused calls', () => {
  it('of one token, operation and code make one entry per minute, when the minute is over', async () => {
    const { calls, recorded } = counting();
    for (let i = 0; i < 100_000; i++) calls.add(call);
    calls.add({ ...call, code: 'auth.project' });
    await calls.flush(6 * minute - 1);
    expect(recorded).toEqual([]);
    await calls.flush(6 * minute);
    expect(recorded.map(({ atMicros, actor, target, code, count }) => [atMicros, actor, target, code, count])).toEqual([
      [5 * minute, 'aaaaaaaaaaaa', 'endpoints.query', 'auth.scope', 100_000],
      [5 * minute, 'aaaaaaaaaaaa', 'endpoints.query', 'auth.project', 1],
    ]);
    await calls.flush(null);
    expect(recorded).toHaveLength(2);
  });

  it('of a flood with many ids make at most 51 entries per minute', async () => {
    const { calls, recorded } = counting();
    for (let i = 0; i < 1000; i++) calls.add({ ...call, actor: `t${i}` });
    await calls.flush(null);
    expect(recorded).toHaveLength(51);
    expect(recorded.at(-1)).toMatchObject({ actor: null, target: null, code: 'others', count: 950 });
    expect(recorded.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(1000);
  });

  it('are kept by minute, and are recorded again after a failure', async () => {
    const { calls, recorded, failNext } = counting();
    calls.add(call);
    calls.add({ ...call, atMicros: call.atMicros + minute });
    failNext();
    await expect(calls.flush(null)).rejects.toThrow('the disk is full');
    calls.add({ ...call, atMicros: call.atMicros + 2 * minute });
    await calls.flush(null);
    expect(recorded.map(({ atMicros }) => atMicros / minute)).toEqual([5, 6, 7]);
  });
});
