import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import type { StageTime } from '../core/observation.ts';
import { type EndedRequest, requestSpans } from './requestSpans.ts';

const endMicros = 1_777_777_777_000_000;
const request: EndedRequest = { kind: 'request.completed', requestId: 'r', route: 'a.b', status: 200, elapsedMs: 10 };

/** Stages as a clock would have timed them, some within others: in the order in which they end. */
const nested: fc.Arbitrary<readonly StageTime[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 9_999 }), { minLength: 2, maxLength: 40 })
  .map((times) => times.sort((a, b) => a - b))
  .chain((times) =>
    fc.infiniteStream(fc.boolean()).map((opens) => {
      const open: number[] = [];
      const ended: StageTime[] = [];
      for (const [n, time] of times.entries()) {
        const mayOpen = times.length - n > open.length;
        if (open.length === 0 ? mayOpen : mayOpen && opens.next().value === true) open.push(time);
        else {
          const from = open.pop() ?? 0;
          ended.push({ name: `${from}-${time}`, startMs: from / 1000, elapsedMs: (time - from) / 1000 });
        }
      }
      return ended;
    }),
  );

describe('requestSpans', () => {
  it('is under the span of the caller, in its trace', () => {
    const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
    const [server] = requestSpans(
      { ...request, trace, status: 503, errorCode: 'query.overloaded' },
      endMicros,
      systemRandomness,
    );
    expect(server).toMatchObject({
      traceId: trace.traceId,
      parentSpanId: trace.spanId,
      startTimeUnixNano: '1777777776990000000',
      endTimeUnixNano: '1777777777000000000',
      status: { code: 2 },
    });
    expect(server?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'query.overloaded' } });
  });

  it('begins a new trace if the caller has none', () => {
    const [a, b] = [0, 1].map(() => requestSpans(request, endMicros, systemRandomness)[0]);
    expect(a?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(a?.traceId).not.toBe(b?.traceId);
    expect(a).not.toHaveProperty('parentSpanId');
    expect(a).not.toHaveProperty('status');
  });

  it('puts every stage under the innermost one that contains it', () => {
    fc.assert(
      fc.property(nested, (stages) => {
        const spans = requestSpans({ ...request, stages }, endMicros, systemRandomness);
        expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(stages.length + 1);
        for (const stage of stages) {
          const around = stages.filter(
            (other) =>
              other !== stage &&
              other.startMs <= stage.startMs &&
              other.startMs + other.elapsedMs >= stage.startMs + stage.elapsedMs,
          );
          const innermost = around.toSorted((a, b) => a.elapsedMs - b.elapsedMs)[0]?.name ?? request.route;
          const { parentSpanId } = spans.find(({ name }) => name === stage.name) ?? {};
          expect(spans.find(({ spanId }) => spanId === parentSpanId)?.name).toBe(innermost);
        }
      }),
    );
  });
});
