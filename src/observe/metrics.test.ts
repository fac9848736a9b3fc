import { describe, expect, it } from 'vitest';
import type { Observation } from '../core/observation.ts';
import { type MetricReadings, Metrics } from './metrics.ts';

const readings: MetricReadings = {
  queriesRunning: 1,
  queriesWaiting: 2,
  tailsOpen: 4,
  cacheEntries: 3,
  cacheBytes: 4,
  serviceMemoryBytes: 5,
  engineMemoryBytes: [
    { process: 'engine', bytes: 6 },
    { process: 'functions-1', bytes: 9 },
  ],
  activeFiles: 1,
  sealedFiles: 7,
  diskFreeBytes: 8,
  isDiskLow: false,
  nodesAlive: 2,
  outOfContactSeconds: 0.5,
  store: { isAway: false, ageMs: 0, isTooOld: false },
};

async function linesAfter(...observations: readonly Observation[]): Promise<readonly string[]> {
  const metrics = new Metrics();
  for (const each of observations) metrics.observe(each);
  return (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('Metrics', () => {
  it('names its version, and what its process takes', async () => {
    const metrics = new Metrics();
    metrics.describeProcess('1.2.3');
    const text = await metrics.text();
    expect(text).toContain(`logmill_build_info{version="1.2.3",node_version="${process.version}"} 1`);
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds']) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  it('counts the delays of the main thread', async () => {
    const metrics = new Metrics();
    metrics.mainThreadDelayed(0);
    metrics.mainThreadDelayed(0.3);
    expect((await metrics.text()).split('\n')).toEqual(
      expect.arrayContaining([
        'logmill_main_thread_delay_seconds_bucket{le="0.001"} 1',
        'logmill_main_thread_delay_seconds_bucket{le="0.5"} 2',
        'logmill_main_thread_delay_seconds_sum 0.3',
      ]),
    );
  });

  it('counts requests, errors and queries by declared labels', async () => {
    const request = { kind: 'request.completed', requestId: 'r', route: 'endpoints.query', elapsedMs: 20 } as const;
    const query = { kind: 'query.ended', queryId: 'q', endpoint: 'logs.all', waitedMs: 3, elapsedMs: 7 } as const;
    const lines = await linesAfter(
      { ...request, status: 200 },
      { ...request, status: 504, errorCode: 'query.killed' },
      { ...query, outcome: 'answered' },
      { ...query, outcome: 'query.killed' },
      { kind: 'query.killed', queryId: 'q', endpoint: 'logs.all', killedBy: 'operator' },
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'logmill_http_requests_total{route="endpoints.query",status="200"} 1',
        'logmill_http_requests_total{route="endpoints.query",status="504"} 1',
        'logmill_http_errors_total{code="query.killed"} 1',
        'logmill_http_request_seconds_sum{route="endpoints.query"} 0.04',
        'logmill_queries_total{endpoint="logs.all",outcome="answered"} 1',
        'logmill_queries_total{endpoint="logs.all",outcome="query.killed"} 1',
        'logmill_query_seconds_count{endpoint="logs.all"} 2',
        'logmill_query_seconds_bucket{le="0.005",endpoint="logs.all"} 0',
        'logmill_query_seconds_bucket{le="0.01",endpoint="logs.all"} 2',
        'logmill_query_wait_seconds_sum 0.006',
        'logmill_queries_killed_total 1',
      ]),
    );
    expect(lines.join()).not.toContain('operator');
  });

  it('counts caching, ingestion, the engine and files', async () => {
    const lines = await linesAfter(
      { kind: 'cache.answered', endpointId: 'e', outcome: 'hit', savedMs: 1500 },
      { kind: 'cache.refreshed', endpointId: 'e', elapsedMs: 1 },
      { kind: 'cache.refresh_failed', endpointId: 'e', code: 'query.timeout' },
      { kind: 'cache.skipped', endpointId: 'e', reason: 'volatile' },
      { kind: 'cache.evicted', reason: 'purge', entries: 4 },
      { kind: 'ingest.stored', source: 'edge_logs', accepted: 5, rejected: 1, bytes: 900 },
      { kind: 'engine.started', pid: 1, elapsedMs: 1 },
      { kind: 'engine.killed', pid: 1, reason: 'memory' },
      { kind: 'engine.exited', pid: 1, reason: 'signal SIGKILL' },
      { kind: 'file.rotated', file: 'f', events: 1 },
      { kind: 'usage.dropped', reason: 'full', calls: 3 },
      { kind: 'usage.dropped', reason: 'failed', calls: 4 },
      { kind: 'warning', message: 'look' },
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'logmill_cache_answers_total{outcome="hit"} 1',
        'logmill_cache_saved_seconds_total 1.5',
        'logmill_cache_refreshes_total{outcome="refreshed"} 1',
        'logmill_cache_refreshes_total{outcome="failed"} 1',
        'logmill_cache_skipped_total{reason="volatile"} 1',
        'logmill_cache_evicted_total{reason="purge"} 4',
        'logmill_ingest_events_total{source="edge_logs",outcome="accepted"} 5',
        'logmill_ingest_events_total{source="edge_logs",outcome="rejected"} 1',
        'logmill_ingest_bytes_total{source="edge_logs"} 900',
        'logmill_engine_starts_total 1',
        'logmill_engine_kills_total{reason="memory"} 1',
        'logmill_engine_exits_total 1',
        'logmill_event_file_changes_total{change="rotated"} 1',
        'logmill_usage_dropped_total{reason="full"} 3',
        'logmill_usage_dropped_total{reason="failed"} 4',
        'logmill_warnings_total 1',
      ]),
    );
  });

  it('reads gauges at each scrape, and shows no memory of an engine that does not run', async () => {
    const metrics = new Metrics();
    let now = readings;
    metrics.readFrom(() => now);
    expect(await metrics.text()).toContain(
      'logmill_memory_bytes{process="service"} 5\nlogmill_memory_bytes{process="engine"} 6\nlogmill_memory_bytes{process="functions-1"} 9',
    );
    now = { ...readings, queriesWaiting: 9, engineMemoryBytes: [] };
    const text = await metrics.text();
    expect(text).toContain('logmill_queries_waiting 9');
    expect(text).toContain('logmill_event_files{kind="sealed"} 7');
    expect(text).not.toMatch(/process="(?:engine|functions)/);
  });
});
