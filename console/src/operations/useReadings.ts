import { useQuery, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../api/callApi.ts';
import { textOf } from '../api/losslessJson.ts';
import { useSignedIn } from '../shell/session.ts';
import { parseMetrics, type Sample, sumOf } from './metricsText.ts';

export const refreshMs = 2000;
/** Five minutes. */
const readingsMax = 150;

/** The counters and gauges that are drawn, at one time. */
export interface Reading {
  readonly atMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly queries: number;
  readonly querySeconds: number;
  readonly running: number;
  readonly waiting: number;
  readonly cacheHits: number;
  readonly cacheAnswers: number;
  readonly memoryBytes: number;
  readonly diskFreeBytes: number;
  /** Accepted events by source. */
  readonly events: Readonly<Record<string, number>>;
}

export interface Metrics {
  readonly samples: readonly Sample[];
  /** Oldest first; those of the last five minutes that this page was open. */
  readonly readings: readonly Reading[];
}

/** The metrics of the service, read every two seconds while a page shows them. Only for tokens that may read them. */
export function useMetrics() {
  const client = useQueryClient();
  const { described } = useSignedIn();
  return useQuery({
    queryKey: ['metrics'],
    enabled: described.operations.has('metrics.read'),
    refetchInterval: refreshMs,
    queryFn: async ({ signal }): Promise<Metrics> => {
      const samples = parseMetrics(textOf((await callApi('/metrics', { signal })).body));
      const before = client.getQueryData<Metrics>(['metrics'])?.readings ?? [];
      return { samples, readings: [...before, readingOf(samples)].slice(-readingsMax) };
    },
  });
}

function readingOf(samples: readonly Sample[]): Reading {
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}) => sumOf(samples, name, labels) ?? 0;
  const events: Record<string, number> = {};
  for (const { name, labels, value } of samples) {
    if (name !== 'logmill_ingest_events_total' || labels.outcome !== 'accepted' || labels.source === undefined)
      continue;
    events[labels.source] = value;
  }
  return {
    atMs: Date.now(),
    requests: sum('logmill_http_requests_total'),
    errors: sum('logmill_http_errors_total'),
    queries: sum('logmill_queries_total'),
    querySeconds: sum('logmill_query_seconds_sum'),
    running: sum('logmill_queries_running'),
    waiting: sum('logmill_queries_waiting'),
    cacheHits:
      sum('logmill_cache_answers_total', { outcome: 'hit' }) +
      sum('logmill_cache_answers_total', { outcome: 'unchanged' }) +
      sum('logmill_cache_answers_total', { outcome: 'stale' }),
    cacheAnswers: sum('logmill_cache_answers_total'),
    memoryBytes: sum('logmill_memory_bytes'),
    diskFreeBytes: sumOf(samples, 'logmill_disk_free_bytes') ?? Number.NaN,
    events,
  };
}

/** How fast a counter grew between each two readings, per second. A restart begins anew. */
export function ratesOf(readings: readonly Reading[], of: (reading: Reading) => number): readonly number[] {
  return pairsOf(readings).map(([before, after]) => {
    const seconds = (after.atMs - before.atMs) / 1000;
    const grown = of(after) - of(before);
    return seconds <= 0 || grown < 0 ? 0 : grown / seconds;
  });
}

/** One counter for each of another between two readings, such as seconds for each query; null if the other did not grow. */
export function meansOf(
  readings: readonly Reading[],
  of: (reading: Reading) => number,
  per: (reading: Reading) => number,
): readonly (number | null)[] {
  return pairsOf(readings).map(([before, after]) => {
    const count = per(after) - per(before);
    return count <= 0 ? null : (of(after) - of(before)) / count;
  });
}

function pairsOf(readings: readonly Reading[]): readonly (readonly [Reading, Reading])[] {
  return readings.slice(1).map((after, index) => [readings[index] ?? after, after] as const);
}
