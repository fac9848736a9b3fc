import type { Clock } from '../core/clock.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import { serviceProject } from '../sources/serviceCalls.ts';

export interface UsageSettings {
  /** Calls that took this long are kept each by itself. */
  readonly slowMs: number;
  /** How often what was counted is written, milliseconds. */
  readonly everyMs: number;
  /** Sorts of calls that are kept of one such time; calls of further sorts are dropped. */
  readonly groupsMax: number;
}

export const defaultUsageSettings = { everyMs: 30_000, groupsMax: 2000 };

export interface UsageServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Stores events of the source of calls, all or none; the same ones again are stored once. */
  write(events: readonly object[]): Promise<void>;
}

type EndedRequest = Extract<Observation, { kind: 'request.completed' }>;
type EndedCall = EndedRequest & { readonly call: NonNullable<EndedRequest['call']> };

interface Batch {
  readonly events: readonly object[];
  readonly calls: number;
}

/** Calls that are alike. */
interface Group {
  readonly id: string;
  lastMicros: number;
  readonly first: EndedCall;
  readonly isSlow: boolean;
  calls: number;
  elapsedMs: number;
  rows: number;
  bytes: number;
}

/**
 * Counts calls of endpoints and writes the counts as events in the background (decision 40). Calls
 * are one event where they have endpoint, version, token and outcome in common and their times are
 * within 2 %, so that a flood of calls is few events; slow ones have an event each. With a quarter of
 * the events in use times need to be within 50 % only, with half of them they may be any. Bounded in both: at most
 * `groupsMax` events for each `everyMs`, and twice as many in memory. What does not fit is counted
 * and told as `usage.dropped`.
 */
export class Usage implements UsageCounter {
  readonly #settings: UsageSettings;
  readonly #services: UsageServices;
  #groups = new Map<string, Group>();
  /** What is being written, or could not be written and is tried once more. */
  #pending: Batch | undefined;
  #dropped = 0;
  #flushing: Promise<void> | undefined;
  #stopTimer: () => void;

  constructor(settings: UsageSettings, services: UsageServices) {
    this.#settings = settings;
    this.#services = services;
    this.#stopTimer = this.#startTimer();
  }

  record(observation: Observation): void {
    if (observation.kind !== 'request.completed' || observation.call === undefined) return;
    const call = observation as EndedCall;
    const group = this.#groupOf(call);
    if (group === undefined) {
      this.#dropped++;
      return;
    }
    group.lastMicros = this.#services.clock.nowMicros();
    group.calls++;
    group.elapsedMs += call.call.answeredMs;
    group.rows += call.call.rowCount;
    group.bytes += call.call.bytes;
  }

  async flush(): Promise<void> {
    // What was counted while another flush is writing is not in it.
    await this.#flushing;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** Writes what is left. Nothing is counted to any use afterwards. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.flush();
    if (this.#pending !== undefined) this.#drop('failed', this.#pending.calls);
  }

  /** The group of a call, made if there is room; the fuller it is, the more calls are alike. */
  #groupOf(call: EndedCall): Group | undefined {
    const { slowMs, groupsMax } = this.#settings;
    const { answeredMs } = call.call;
    const isSlow = answeredMs >= slowMs;
    for (const { share, time } of precisions) {
      const key = keyOf(call, isSlow && share < 1 ? call.requestId : time(answeredMs));
      const known = this.#groups.get(key);
      if (known !== undefined) return known;
      if (this.#groups.size < share * groupsMax) return this.#newGroup(key, call, isSlow && share < 1);
    }
    return undefined;
  }

  #newGroup(key: string, first: EndedCall, isSlow: boolean): Group {
    const lastMicros = this.#services.clock.nowMicros();
    const id = uuidV7(lastMicros / 1000, this.#services.randomness);
    const group: Group = { id, lastMicros, first, isSlow, calls: 0, elapsedMs: 0, rows: 0, bytes: 0 };
    this.#groups.set(key, group);
    return group;
  }

  async #write(): Promise<void> {
    if (this.#dropped > 0) this.#drop('full', this.#dropped);
    this.#dropped = 0;
    for (;;) {
      const isRetry = this.#pending !== undefined;
      this.#pending ??= this.#take();
      if (this.#pending === undefined) return;
      try {
        await this.#services.write(this.#pending.events);
      } catch (cause) {
        if (!isRetry) return;
        this.#drop('failed', this.#pending.calls, cause);
      }
      this.#pending = undefined;
      if (!isRetry) return;
    }
  }

  #take(): Batch | undefined {
    if (this.#groups.size === 0) return undefined;
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    return { events: groups.map(eventOf), calls: groups.reduce((sum, { calls }) => sum + calls, 0) };
  }

  #drop(reason: 'full' | 'failed', calls: number, cause?: unknown): void {
    this.#services.observe({ kind: 'usage.dropped', reason, calls, ...(cause === undefined ? {} : { cause }) });
  }

  #startTimer(): () => void {
    return this.#services.timer.after(this.#settings.everyMs, () => {
      void this.flush();
      this.#stopTimer = this.#startTimer();
    });
  }
}

/** Which times are alike while there are fewer groups than this share of those that may be. */
const precisions: readonly { readonly share: number; readonly time: (ms: number) => string }[] = [
  { share: 0.25, time: (ms) => step(ms, 1.02) },
  { share: 0.5, time: (ms) => step(ms, 1.5) },
  { share: 1, time: () => '' },
];

/** Times in one step differ by less than the factor. */
function step(ms: number, factor: number): string {
  return `${factor}^${Math.floor(Math.log(Math.max(ms, 0.01)) / Math.log(factor))}`;
}

/** What calls of one group have in common, none of which holds a space; `time` is what is alike in their times. */
function keyOf({ status, errorCode, call }: EndedCall, time: string): string {
  const { endpoint, token, isCallerQuery, cache } = call;
  return `${endpoint?.id} ${endpoint?.version} ${token} ${status} ${errorCode} ${cache} ${isCallerQuery} ${time}`;
}

function eventOf(group: Group): object {
  const { requestId, status, errorCode, trace, call } = group.first;
  const { endpoint, token, isCallerQuery, cache, stagesMs } = call;
  return {
    id: group.id,
    timestamp: group.lastMicros,
    project: serviceProject,
    metadata: {
      ...(endpoint === null ? {} : { endpoint_id: endpoint.id, endpoint: endpoint.name, version: endpoint.version }),
      token,
      status,
      ...(errorCode === undefined ? {} : { code: errorCode }),
      ...(cache === null ? {} : { cache }),
      caller_query: isCallerQuery,
      calls: group.calls,
      // Their mean; of a single call the time itself.
      elapsed_ms: Number((group.elapsedMs / group.calls).toFixed(3)),
      rows: group.rows,
      bytes: group.bytes,
      ...(group.isSlow
        ? { request_id: requestId, ...(trace === undefined ? {} : { trace_id: trace.traceId }), stages: stagesMs }
        : {}),
    },
  };
}
