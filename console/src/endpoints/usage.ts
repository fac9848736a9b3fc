import { useQuery } from '@tanstack/react-query';
import { textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { may } from '../api/session.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { useSignedIn } from '../shell/session.ts';
import { inDays, nowMicros, parseInstant } from '../time/instant.ts';

/** Calls of an endpoint in the last day. */
export interface Usage {
  readonly calls: number;
  readonly errors: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly hits: number;
  /** Calls of each hour, the oldest first. */
  readonly hours: readonly number[];
}

/** A row of the table stands for `calls` similar calls, so counts are sums, and quantiles weight each row by them. */
const usageSql = `select endpoint_id, sum(calls) as calls, sum(if(status >= 400, calls, 0)) as errors,
  min(if(upto * 100 >= total * 50, elapsed_ms, null)) as p50, min(if(upto * 100 >= total * 95, elapsed_ms, null)) as p95,
  sum(if(cache in ('hit', 'unchanged'), calls, 0)) as hits
from (
  select *, sum(calls) over (partition by endpoint_id order by elapsed_ms rows between unbounded preceding and current row) as upto,
    sum(calls) over (partition by endpoint_id) as total
  from usage
)
group by endpoint_id`;

const hoursSql = `select endpoint_id, timestamp_trunc(timestamp, hour) as hour, sum(calls) as calls from usage group by endpoint_id, hour`;

const hourMicros = 3600e6;
const hoursShown = 24;

/** The endpoint that has the usage; undefined if the token may not read it. */
function useUsageSource() {
  const { session, described } = useSignedIn();
  const source = described.endpoints.find(({ name }) => name === 'svc.calls');
  return may(session, 'observe') ? source : undefined;
}

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

/** Calls of the last day by ID of the endpoint. Nothing for tokens that may not observe. */
export function useUsage() {
  const { session } = useSignedIn();
  const calls = useRowsCalls();
  const source = useUsageSource();
  return useQuery({
    queryKey: ['usage', session.tokenId],
    enabled: source !== undefined,
    retry: false,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Usage>> => {
      const ask = async (sql: string) => (await calls.call({ path: source?.path ?? '', body: { sql }, signal })).rows;
      const [sums, hours] = await Promise.all([ask(usageSql), ask(hoursSql)]);
      const byHour = hoursOf(hours, nowMicros());
      return new Map(
        sums.map((row): readonly [string, Usage] => [
          textOf(row.endpoint_id),
          {
            calls: Number(row.calls),
            errors: Number(row.errors),
            p50: numberOrNull(row.p50),
            p95: numberOrNull(row.p95),
            hits: Number(row.hits),
            hours: byHour.get(textOf(row.endpoint_id)) ?? [],
          },
        ]),
      );
    },
  });
}

/** Counts of the last 24 hours by ID, with zero for hours without calls. */
function hoursOf(rows: readonly Row[], now: number): ReadonlyMap<string, readonly number[]> {
  const last = Math.floor(now / hourMicros);
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const id = textOf(row.endpoint_id);
    const hours = found.get(id) ?? new Array<number>(hoursShown).fill(0);
    const at = hoursShown - 1 - (last - Math.floor((parseInstant(textOf(row.hour)) ?? 0) / hourMicros));
    if (hours[at] !== undefined) hours[at] += Number(row.calls);
    found.set(id, hours);
  }
  return found;
}

/** A token that called an endpoint in the last 30 days. */
export interface Caller {
  readonly token: string;
  readonly calls: number;
  readonly errors: number;
  readonly lastCall: string;
  readonly lastVersion: string;
}

const callersDays = 30;

const callersSql = (
  id: string,
): string => `select token, sum(calls) as calls, sum(if(status >= 400, calls, 0)) as errors,
  max(timestamp) as last_call, max_by(version, timestamp) as last_version
from usage where endpoint_id = '${id}' group by token order by calls desc`;

/** The tokens that called an endpoint; null for those who may not observe. */
export function useCallers(id: string) {
  const calls = useRowsCalls();
  const source = useUsageSource();
  return useQuery({
    queryKey: ['callers', id],
    retry: false,
    queryFn: async ({ signal }): Promise<readonly Caller[] | null> => {
      if (source === undefined || !/^[0-9a-f-]{36}$/.test(id)) return null;
      const body = {
        iso_timestamp_start: inDays(-callersDays),
        sql: callersSql(id),
      };
      const { rows } = await calls.call({ path: source.path, body, signal });
      return rows.map((row) => ({
        token: textOf(row.token),
        calls: Number(row.calls),
        errors: Number(row.errors),
        lastCall: textOf(row.last_call),
        lastVersion: textOf(row.last_version),
      }));
    },
  });
}
