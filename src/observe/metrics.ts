import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observation } from '../core/observation.ts';
import type { StoreContact } from '../ports/storeContact.ts';

/** Values that are read at each scrape: bytes or counts. */
export interface MetricReadings {
  readonly queriesRunning: number;
  readonly queriesWaiting: number;
  readonly tailsOpen: number;
  readonly cacheEntries: number;
  readonly cacheBytes: number;
  readonly serviceMemoryBytes: number;
  /** Running engine processes. */
  readonly engineMemoryBytes: readonly { readonly process: string; readonly bytes: number }[];
  readonly activeFiles: number;
  readonly sealedFiles: number;
  /** Free bytes on the disk of the event files; null if unknown. */
  readonly diskFreeBytes: number | null;
  readonly isDiskLow: boolean;
  /** Of the store that nodes share. */
  readonly store: StoreContact;
  /** Nodes that are alive, this one included. */
  readonly nodesAlive: number;
  /** Time since this node last exchanged something with the others; 0 for one process. */
  readonly outOfContactSeconds: number;
}

/** Seconds. The largest are the default deadlines of waiting and running. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Handlers = { readonly [K in Observation['kind']]?: (observation: Extract<Observation, { kind: K }>) => void };

/**
 * Counts observations and writes them as Prometheus text. Labels are operations, statuses, codes, sources and endpoint
 * names: sets that the service bounds. Nothing that a caller sends becomes a label.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #handlers: Handlers = handlersOf(this.#registry);
  readonly #mainThreadDelay = new Histogram({
    name: 'logmill_main_thread_delay_seconds',
    help: 'Delay of a timer on the main thread, measured every 20 ms. A request waited that long before any work on it began.',
    buckets,
    registers: [this.#registry],
  });

  observe(observation: Observation): void {
    const handle = this.#handlers[observation.kind] as ((observation: Observation) => void) | undefined;
    handle?.(observation);
  }

  /** Records the delay of one timer tick. */
  mainThreadDelayed(seconds: number): void {
    this.#mainThreadDelay.observe(seconds);
  }

  /** Adds the version, and what the library reads of this process: processor time, memory, handles. Call it once. */
  describeProcess(version: string): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'logmill_build_info',
      help: 'Always 1; the labels name the version of Logmill and of Node.js.',
      labelNames: ['version', 'node_version'],
      registers,
    }).set({ version, node_version: process.version }, 1);
    // `logmill_main_thread_delay_seconds` measures delays; a timer every 10 ms for the same would wake an idle process.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 1_000 });
  }

  /** Sets where the gauges read from at each scrape. Call it once. */
  readFrom(read: () => MetricReadings): void {
    const gauge = (name: string, help: string, value: (readings: MetricReadings) => number) =>
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          this.set(value(read()));
        },
      });
    gauge('logmill_queries_running', 'Queries that run.', (now) => now.queriesRunning);
    gauge('logmill_queries_waiting', 'Queries that wait in the queue.', (now) => now.queriesWaiting);
    gauge('logmill_tails_open', 'Open tails.', (now) => now.tailsOpen);
    gauge('logmill_cache_entries', 'Results in the cache.', (now) => now.cacheEntries);
    gauge('logmill_cache_bytes', 'Estimated bytes of results in the cache.', (now) => now.cacheBytes);
    new Gauge({
      name: 'logmill_memory_bytes',
      help: 'Resident memory by process: service, engine, and the function processes functions-1 and functions-2 while they run.',
      labelNames: ['process'],
      registers: [this.#registry],
      collect() {
        const { serviceMemoryBytes, engineMemoryBytes } = read();
        // Drops processes that have ended.
        this.reset();
        this.set({ process: 'service' }, serviceMemoryBytes);
        for (const { process, bytes } of engineMemoryBytes) this.set({ process }, bytes);
      },
    });
    gauge('logmill_node_alive', 'Nodes of the service that are alive, this one included.', (now) => now.nodesAlive);
    gauge(
      'logmill_node_contact_age_seconds',
      'Time since this node last exchanged something with the other nodes; 0 without a shared store.',
      (now) => now.outOfContactSeconds,
    );
    gauge('logmill_disk_low', '1 while events are refused because disk space is low, else 0.', (now) =>
      Number(now.isDiskLow),
    );
    gauge('logmill_disk_free_bytes', 'Free bytes on the disk of the events; NaN if unknown.', (now) => {
      return now.diskFreeBytes ?? Number.NaN;
    });
    gauge('logmill_store_away', '1 while the PostgreSQL store does not answer, else 0.', (now) =>
      Number(now.store.isAway),
    );
    gauge(
      'logmill_store_age_seconds',
      'Seconds since this node last knew every change of the PostgreSQL store; 0 for the embedded store. Calls fail above `store_stale_max`.',
      (now) => now.store.ageMs / 1000,
    );
    new Gauge({
      name: 'logmill_event_files',
      help: 'Segments that queries read, by kind.',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect() {
        const { activeFiles, sealedFiles } = read();
        this.set({ kind: 'active' }, activeFiles);
        this.set({ kind: 'sealed' }, sealedFiles);
      },
    });
  }

  /** Everything counted so far, in the text format 0.0.4 of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function handlersOf(registry: Registry): Handlers {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });

  const requests = counter('logmill_http_requests_total', 'Requests by operation and status.', 'route', 'status');
  const requestSeconds = histogram(
    'logmill_http_request_seconds',
    'Time from the start of a request to the last byte of its answer.',
    'route',
  );
  const errors = counter('logmill_http_errors_total', 'Answers with an error, by error code.', 'code');
  const queries = counter(
    'logmill_queries_total',
    'Queries by endpoint and outcome: answered, or an error code.',
    'endpoint',
    'outcome',
  );
  const querySeconds = histogram('logmill_query_seconds', 'Run time of queries by endpoint.', 'endpoint');
  const waitSeconds = histogram('logmill_query_wait_seconds', 'Time that queries waited in the queue.');
  const killed = counter('logmill_queries_killed_total', 'Queries stopped through the API.');
  const cacheAnswers = counter(
    'logmill_cache_answers_total',
    'Answers of caching endpoints, and unchanged answers of others, by outcome.',
    'outcome',
  );
  const savedSeconds = counter('logmill_cache_saved_seconds_total', 'Engine time that cached answers saved.');
  const refreshes = counter(
    'logmill_cache_refreshes_total',
    'Background refreshes of cached results by outcome.',
    'outcome',
  );
  const skipped = counter('logmill_cache_skipped_total', 'Results that were not cached, by reason.', 'reason');
  const evicted = counter(
    'logmill_cache_evicted_total',
    'Results dropped from the cache before they expired, by reason.',
    'reason',
  );
  const events = counter(
    'logmill_ingest_events_total',
    'Events of stored batches by source and outcome.',
    'source',
    'outcome',
  );
  const eventBytes = counter('logmill_ingest_bytes_total', 'Decompressed bytes of stored batches by source.', 'source');
  const engineStarts = counter('logmill_engine_starts_total', 'Starts of the engine process.');
  const engineExits = counter('logmill_engine_exits_total', 'Unexpected ends of an engine process.');
  const engineKills = counter(
    'logmill_engine_kills_total',
    'Engine processes that the service killed, by reason.',
    'reason',
  );
  const files = counter('logmill_event_file_changes_total', 'Changes of segments by kind of change.', 'change');
  const slowCalls = counter('logmill_slow_calls_total', 'Calls slower than `slow_query_ms`, by endpoint.', 'endpoint');
  const droppedRows = counter('logmill_tail_dropped_rows_total', 'Rows that tails skipped for slow readers.');
  const unrecorded = counter('logmill_usage_dropped_total', 'Calls missing from the usage data, by reason.', 'reason');
  const silentNodes = counter(
    'logmill_node_silent_total',
    'Requests that another node did not answer in time, by kind of request.',
    'request',
  );
  const lostContacts = counter(
    'logmill_node_contact_lost_total',
    'Times that this node could not exchange something with the other nodes.',
  );
  const warnings = counter('logmill_warnings_total', 'Warnings in the log.');

  return {
    'request.completed': ({ route, status, elapsedMs, errorCode }) => {
      requests.inc({ route, status });
      requestSeconds.observe({ route }, elapsedMs / 1000);
      if (errorCode !== undefined) errors.inc({ code: errorCode });
    },
    'query.ended': ({ endpoint, waitedMs, elapsedMs, outcome }) => {
      queries.inc({ endpoint, outcome });
      querySeconds.observe({ endpoint }, elapsedMs / 1000);
      waitSeconds.observe(waitedMs / 1000);
    },
    'call.slow': ({ call }) => slowCalls.inc({ endpoint: call.endpoint?.name ?? '' }),
    'usage.dropped': ({ reason, calls }) => unrecorded.inc({ reason }, calls),
    'query.killed': () => killed.inc(),
    'tail.dropped': ({ rows }) => droppedRows.inc(rows),
    'cache.answered': ({ outcome, savedMs }) => {
      cacheAnswers.inc({ outcome });
      savedSeconds.inc(savedMs / 1000);
    },
    'cache.refreshed': () => refreshes.inc({ outcome: 'refreshed' }),
    'cache.refresh_failed': () => refreshes.inc({ outcome: 'failed' }),
    'cache.skipped': ({ reason }) => skipped.inc({ reason }),
    'cache.evicted': ({ reason, entries }) => evicted.inc({ reason }, entries),
    'ingest.stored': ({ source, accepted, rejected, bytes }) => {
      events.inc({ source, outcome: 'accepted' }, accepted);
      events.inc({ source, outcome: 'rejected' }, rejected);
      eventBytes.inc({ source }, bytes);
    },
    'engine.started': () => engineStarts.inc(),
    'engine.exited': () => engineExits.inc(),
    'engine.killed': ({ reason }) => engineKills.inc({ reason }),
    'file.rotated': () => files.inc({ change: 'rotated' }),
    'file.sealed': () => files.inc({ change: 'sealed' }),
    'file.merged': () => files.inc({ change: 'merged' }),
    'file.dropped': () => files.inc({ change: 'dropped' }),
    'file.damaged': () => files.inc({ change: 'damaged' }),
    'file.missing': () => files.inc({ change: 'missing' }),
    'nodes.silent': ({ request, nodes }) => silentNodes.inc({ request }, nodes.length),
    'nodes.out_of_contact': () => lostContacts.inc(),
    warning: () => warnings.inc(),
  };
}
