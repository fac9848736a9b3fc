import type { Clock } from '../core/clock.ts';
import { compileStored } from '../googlesql/compile.ts';
import type { ParameterValue, ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { QueryQueue } from '../invoke/queryQueue.ts';
import type { CallersOf, EndpointCaller } from '../manage/recentCallers.ts';
import type { QueryEngine } from '../ports/queryEngine.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';

/** Most tokens of one endpoint, and most rows for all endpoints together. */
const callersMax = 1000;
const rowsMax = 10_000;
const deadlineMs = 10_000;

/** Compiled for each use, which is rare. */
const callersQuery = () =>
  compileStored(
    `with callers as (
      select
        cast(t.metadata.endpoint_id as string) as endpoint,
        cast(t.metadata.token as string) as token,
        sum(cast(t.metadata.calls as int64)) as calls,
        max(unix_micros(t.timestamp)) as last_micros
      from sources.svc_calls as t
      where t.metadata.endpoint_id in unnest(split(@endpoints, ',')) and t.timestamp >= @since
        and (@only is null or cast(t.metadata.token as string) = @only)
      group by endpoint, token
    ), ranked as (
      select *, row_number() over (partition by endpoint order by calls desc, token) as place from callers
    )
    select endpoint, token, calls, last_micros from ranked
    where place <= @callers_max
    order by endpoint, place`,
    {
      sources: new Map([[serviceCalls.name, serviceCalls]]),
      parameters: new Map([
        ['endpoints', 'string'],
        ['since', 'timestamp'],
        ['only', 'string'],
        ['callers_max', 'int64'],
      ]),
    },
  );

export interface CallersServices {
  readonly usage: Pick<UsageCounter, 'flush'>;
  readonly engine: Pick<QueryEngine, 'run'>;
  readonly queue: Pick<QueryQueue, 'acquire'>;
  readonly clock: Clock;
}

/**
 * Finds the callers of endpoints in the usage events, including failed calls and calls that just ended. It runs one query
 * for all endpoints, in the queue like any other query of the token. It returns at most `callersMax` callers for each
 * endpoint, and fewer for many endpoints. Rejects with errors of the queue and the engine, and after `deadlineMs`.
 */
export function createCallersOf({ usage, engine, queue, clock }: CallersServices): CallersOf {
  return async ({ endpointIds, sinceMicros, onlyToken, runner }) => {
    const ids = endpointIds.map((id) => id.toLowerCase());
    const found = new Map<string, EndpointCaller[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return found;
    await usage.flush();
    const signal = AbortSignal.timeout(deadlineMs);
    const perEndpoint = Math.min(callersMax, Math.floor(rowsMax / ids.length));
    const parameters: ParameterValues = new Map<string, ParameterValue>([
      ['endpoints', { kind: 'string', value: ids.join(',') }],
      ['since', { kind: 'timestamp', micros: sinceMicros }],
      ['only', onlyToken === null ? { kind: 'null' } : { kind: 'string', value: onlyToken }],
      ['callers_max', { kind: 'int64', value: BigInt(perEndpoint) }],
    ]);
    const release = await queue.acquire(runner, signal);
    try {
      const { rows } = await engine.run(
        {
          query: callersQuery(),
          parameters,
          projects: null,
          redaction: null,
          nowMicros: clock.nowMicros(),
          rowsMax,
          bytesMax: 8 * 2 ** 20,
          profile: 'plain',
        },
        signal,
      );
      for (const { endpoint, token, calls, last_micros: lastMicros } of rowsOf(rows)) {
        found.get(endpoint)?.push({ token, calls, lastMicros });
      }
      return found;
    } finally {
      release();
    }
  };
}

interface Row {
  readonly endpoint: string;
  readonly token: string;
  readonly calls: number;
  readonly last_micros: number;
}

function rowsOf(rows: Uint8Array): readonly Row[] {
  return JSON.parse(`[${Buffer.from(rows).toString()}]`);
}
