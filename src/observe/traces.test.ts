import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import type { Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import type { OtlpSpan } from './requestSpans.ts';
import { type Sent, Traces, type TracesSettings } from './traces.ts';

const settings: TracesSettings = { share: 1, everyMs: 5_000, batchSpans: 4, waitingMax: 6, attempts: 3 };
const request: Observation = { kind: 'request.completed', requestId: 'r', route: 'a', status: 200, elapsedMs: 2 };

let timer: ManualTimer;
let messages: OtlpSpan[][];
let answers: Sent[];
let warnings: Observation[];

beforeEach(() => {
  timer = new ManualTimer();
  messages = [];
  answers = [];
  warnings = [];
});

function tracesWith(changed: Partial<TracesSettings> = {}): Traces {
  return new Traces(
    { ...settings, ...changed },
    {
      clock: new ManualClock(1_000_000),
      timer,
      randomness: systemRandomness,
      observe: (observation) => warnings.push(observation),
      send: async (spans) => {
        messages.push([...spans]);
        return answers.shift() ?? { kind: 'sent' };
      },
    },
  );
}

/** Lets what was started go on as far as it can. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}

describe('Traces', () => {
  it('sends waiting spans after a while, and at once when a message is full', async () => {
    const traces = tracesWith();
    traces.record(request);
    await settled();
    expect(messages).toEqual([]);
    timer.advanceMs(5_000);
    await settled();
    expect(messages.map((spans) => spans.length)).toEqual([1]);
    for (let n = 0; n < 4; n++) traces.record(request);
    await settled();
    expect(messages.map((spans) => spans.length)).toEqual([1, 4]);
    await traces.close();
  });

  it('retries a message if that may help, up to a limit', async () => {
    const later: Sent = { kind: 'later', why: new Error('busy') };
    answers = [later, later, { kind: 'sent' }, later, later, later];
    const traces = tracesWith();
    traces.record(request);
    for (let n = 0; n < 6; n++) {
      timer.advanceMs(20_000);
      await settled();
    }
    expect([messages.length, warnings]).toEqual([3, []]);
    expect(new Set(messages.map(([span]) => span?.spanId)).size).toBe(1);
    traces.record(request);
    for (let n = 0; n < 6; n++) {
      timer.advanceMs(20_000);
      await settled();
    }
    expect(messages.length).toBe(6);
    expect(warnings).toEqual([expect.objectContaining({ kind: 'warning', message: '1 span could not be sent' })]);
    await traces.close();
  });

  it('does not retry a refused message', async () => {
    answers = [{ kind: 'refused', why: new Error('no') }];
    const traces = tracesWith();
    traces.record(request);
    timer.advanceMs(5_000);
    await settled();
    expect([messages.length, warnings.length]).toEqual([1, 1]);
    await traces.close();
  });

  it('keeps a bounded number of spans while the receiver does not answer, and reports the lost ones', async () => {
    answers = [{ kind: 'later', why: 'busy' }];
    const traces = tracesWith();
    for (let n = 0; n < 4; n++) traces.record(request);
    await settled();
    for (let n = 0; n < 10; n++) traces.record(request);
    timer.advanceMs(5_000);
    await settled();
    expect(messages.flat()).toHaveLength(4 + 4 + 6);
    expect(warnings).toEqual([
      { kind: 'warning', message: '4 requests were not traced, because too many spans were waiting to be sent' },
    ]);
    await traces.close();
  });

  it('sends the remaining spans on close, and does not wait for a receiver that asks to try later', async () => {
    answers = [{ kind: 'later', why: 'busy' }];
    const traces = tracesWith();
    traces.record(request);
    const closing = traces.close();
    await settled();
    timer.advanceMs(2_000);
    await closing;
    expect([messages.length, warnings.length]).toEqual([2, 0]);
  });

  it('traces a share of requests without a trace of the caller, and follows the sampling of callers', async () => {
    const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const traces = tracesWith({ share: 0.25, batchSpans: 10_000, waitingMax: 10_000 });
    for (let n = 0; n < 4000; n++) traces.record(request);
    for (let n = 0; n < 10; n++) traces.record({ ...request, trace: { ...trace, isSampled: true } });
    for (let n = 0; n < 10; n++) traces.record({ ...request, trace: { ...trace, isSampled: false } });
    await traces.flush();
    const spans = messages.flat();
    expect(spans.filter(({ traceId }) => traceId === trace.traceId)).toHaveLength(10);
    expect(spans.length).toBeGreaterThan(800);
    expect(spans.length).toBeLessThan(1210);
    await traces.close();
  });
});
