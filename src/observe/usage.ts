import type { Clock } from '../core/clock.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import { serviceProject } from '../sources/serviceCalls.ts';

export interface UsageSettings {
  /** A call that took at least this long gets its own event. */
  readonly slowMs: number;
  /** Milliseconds between writes. */
  readonly everyMs: number;
  /** Most kinds of calls between two writes. Calls of further kinds are dropped. */
  readonly groupsMax: number;
}

export const defaultUsageSettings = { everyMs: 30_000, groupsMax: 2000 };

export interface UsageServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Stores events of calls, all or none. Events that are sent again are stored once. */
  write(events: readonly object[]): Promise<void>;
  /**
   * How to store a text that the caller chose, such as a request ID; by default as it is. If stored values get pseudonyms, a
   * guess that is stored would get one too, and show whether it is right.
   */
  readonly given?: ((text: string) => string) | undefined;
}

type EndedRequest = Extract<Observation, { kind: 'request.completed' }>;
type EndedCall = EndedRequest & { readonly call: NonNullable<EndedRequest['call']> };

interface Batch {
  readonly events: readonly object[];
  readonly calls: number;
}

/** Similar calls, which become one event. */
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
 * Counts calls of endpoints and writes the counts as events in the background (decision 40). Calls with the same endpoint,
 * version, token and outcome whose times differ by less than 2 % share one event, so that a flood of calls makes few
 * events. A slow call has its own event. When a quarter of `groupsMax` is used, times may differ by 50 %; from half of it
 * on, by any amount. There are at most `groupsMax` events per `everyMs`, and twice as many in memory. Further calls are
 * counted and reported as `usage.dropped`.
 */
export class Usage implements UsageCounter {
  readonly #settings: UsageSettings;
  readonly #services: UsageServices;
  #groups = new Map<string, Group>();
  /** The batch that is being written, or that failed and is tried once more. */
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
    // A running flush does not include calls that were counted since it began.
    await this.#flushing;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** Writes the remaining counts. Later calls are lost. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.flush();
    if (this.#pending !== undefined) this.#drop('failed', this.#pending.calls);
  }

  /** Finds or creates the group of a call. The more groups there are, the coarser they become. */
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
    const { given = (text: string) => text } = this.#services;
    return {
      events: groups.map((group) => eventOf(group, given)),
      calls: groups.reduce((sum, { calls }) => sum + calls, 0),
    };
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

/** How times are grouped while fewer than this share of all possible groups exist. */
const precisions: readonly { readonly share: number; readonly time: (ms: number) => string }[] = [
  { share: 0.25, time: (ms) => step(ms, 1.02) },
  { share: 0.5, time: (ms) => step(ms, 1.5) },
  { share: 1, time: () => '' },
];

/** Names a step of times that differ by less than the factor. */
function step(ms: number, factor: number): string {
  return `${factor}^${Math.floor(Math.log(Math.max(ms, 0.01)) / Math.log(factor))}`;
}

/** The key of a group. No part contains a space. `time` is the step of their times. */
function keyOf({ status, errorCode, call }: EndedCall, time: string): string {
  const { endpoint, token, isCallerQuery, cache } = call;
  return `${endpoint?.id} ${endpoint?.version} ${token} ${status} ${errorCode} ${cache} ${isCallerQuery} ${time}`;
}

function eventOf(group: Group, given: (text: string) => string): object {
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
      // The mean of the calls.
      elapsed_ms: Number((group.elapsedMs / group.calls).toFixed(3)),
      rows: group.rows,
      bytes: group.bytes,
      ...(group.isSlow
        ? {
            request_id: given(requestId),
            ...(trace === undefined ? {} : { trace_id: given(trace.traceId) }),
            stages: stagesMs,
          }
        : {}),
    },
  };
}
