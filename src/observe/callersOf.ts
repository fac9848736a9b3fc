import type { Clock } from '../core/clock.ts';
import type { QueryEngine } from '../engines/ports/queryEngine.ts';
import { compileStored } from '../googlesql/compile.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { CallersOf } from '../manage/recentCallers.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';
import type { Usage } from './usage.ts';

/** Tokens of one endpoint that are told. */
const callersMax = 1000;
const deadlineMs = 10_000;

/** Compiled anew each time: it is seldom asked. */
const callersQuery = () =>
  compileStored(
    `select
    cast(t.metadata.token as string) as token,
    sum(cast(t.metadata.calls as int64)) as calls,
    max(unix_micros(t.timestamp)) as last_micros
  from sources.svc_calls as t
  where t.metadata.endpoint_id = @endpoint and t.timestamp >= @since
  group by token
  order by calls desc, token`,
    {
      sources: new Map([[serviceCalls.name, serviceCalls]]),
      parameters: new Map([
        ['endpoint', 'string'],
        ['since', 'timestamp'],
      ]),
    },
  );

export interface CallersServices {
  readonly usage: Pick<Usage, 'flush'>;
  readonly engine: Pick<QueryEngine, 'run'>;
  readonly clock: Clock;
}

/**
 * Reads the callers of endpoints from usage, also those without success; at most `callersMax` of one, calls
 * included that ended just now. Rejects as the engine does, and after `deadlineMs`.
 */
export function createCallersOf({ usage, engine, clock }: CallersServices): CallersOf {
  return async (endpointId, sinceMicros) => {
    await usage.flush();
    const parameters: ParameterValues = new Map([
      ['endpoint', { kind: 'string', value: endpointId.toLowerCase() }],
      ['since', { kind: 'timestamp', micros: sinceMicros }],
    ]);
    const { rows } = await engine.run(
      {
        query: callersQuery(),
        parameters,
        projects: null,
        redaction: null,
        nowMicros: clock.nowMicros(),
        rowsMax: callersMax,
        bytesMax: 2 ** 20,
        profile: 'plain',
      },
      AbortSignal.timeout(deadlineMs),
    );
    const parsed: readonly { token: string; calls: number; last_micros: number }[] = JSON.parse(
      `[${Buffer.from(rows).toString()}]`,
    );
    return parsed.map(({ token, calls, last_micros: lastMicros }) => ({ token, calls, lastMicros }));
  };
}
