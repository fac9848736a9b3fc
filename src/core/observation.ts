import type { ErrorCode } from './errorCatalogue.ts';

/** The caller's span of a request (W3C Trace Context), in lower-case hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller records its trace and asks to record this part of it too. */
  readonly isSampled: boolean;
}

/** A stage of a request: its start, relative to that of the request, and its duration. */
export interface StageTime {
  readonly name: string;
  readonly startMs: number;
  readonly elapsedMs: number;
}

/** The report about a call of an endpoint, successful or not. It contains nothing that the caller sent. */
export interface CallReport {
  /** Null if no endpoint was found that the token may call. */
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number } | null;
  /** Public ID. */
  readonly token: string;
  /** Whether the call had a caller query. */
  readonly isCallerQuery: boolean;
  /** Null if the answer has no rows. */
  readonly cache: 'hit' | 'miss' | 'refresh' | 'stale' | 'unchanged' | 'bypass' | null;
  readonly rowCount: number;
  /** Bytes of the body of a 200, before any coding. */
  readonly bytes: number;
  /** Milliseconds until the answer was ready to be sent. */
  readonly answeredMs: number;
  /** Milliseconds of each stage that the call reached; `cache` includes `queue` and `run`. */
  readonly stagesMs: Readonly<Record<string, number>>;
}

/** The kind of engine process. Absent for the one that has the events. */
export type EngineRole = 'functions';

/**
 * Everything that a running service reports, as data. Components emit observations; the log, metrics, usage and traces
 * consume them. An observation never contains a parameter value, a token or a row.
 */
export type Observation =
  | { readonly kind: 'service.ready'; readonly url: string; readonly startMs: number }
  | { readonly kind: 'service.stopping'; readonly reason: string }
  | {
      readonly kind: 'request.completed';
      readonly requestId: string;
      readonly route: string;
      readonly status: number;
      readonly elapsedMs: number;
      readonly errorCode?: string;
      readonly trace?: TraceContext;
      /** The timed stages, in the order in which they ended. For traces, not for the log. */
      readonly stages?: readonly StageTime[];
      /** Only for calls of endpoints. */
      readonly call?: CallReport;
    }
  | {
      readonly kind: 'request.failed';
      readonly requestId: string;
      readonly code: string;
      readonly cause: unknown;
      readonly trace?: TraceContext;
    }
  /** A call of an endpoint took longer than `LOGMILL_SLOW_QUERY_MS`. Emitted in addition to `request.completed`. */
  | {
      readonly kind: 'call.slow';
      readonly requestId: string;
      readonly status: number;
      readonly errorCode?: string;
      readonly trace?: TraceContext;
      readonly call: CallReport;
    }
  /** Calls are missing from usage: there were too many kinds of calls at once, or usage could not be written. */
  | {
      readonly kind: 'usage.dropped';
      readonly calls: number;
      readonly reason: 'full' | 'failed';
      readonly cause?: unknown;
    }
  /**
   * A query ended or left the queue. `elapsedMs` is its time after the queue; `outcome` is `answered` or an error code.
   * `requestIds`: see `RunningQuery`.
   */
  | {
      readonly kind: 'query.ended';
      readonly queryId: string;
      readonly endpoint: string;
      readonly waitedMs: number;
      readonly elapsedMs: number;
      readonly outcome: 'answered' | ErrorCode;
      readonly requestIds?: readonly string[];
    }
  /** A query ended the engine under every other one. */
  | {
      readonly kind: 'query.ended_engine';
      readonly queryId: string;
      readonly endpoint: string;
      readonly tokenId: string;
      readonly requestIds?: readonly string[];
    }
  /** `killedBy`: public ID of a token. */
  | {
      readonly kind: 'query.killed';
      readonly queryId: string;
      readonly endpoint: string;
      readonly killedBy: string;
      readonly requestIds?: readonly string[];
    }
  /** A tail skipped rows that its reader did not take in time. */
  | { readonly kind: 'tail.dropped'; readonly rows: number }
  /** `savedMs`: engine time of the run that this call did not need. */
  | {
      readonly kind: 'cache.answered';
      readonly endpointId: string;
      readonly outcome: 'hit' | 'miss' | 'refresh' | 'stale' | 'unchanged';
      readonly savedMs: number;
    }
  /** Cache warming. */
  | { readonly kind: 'cache.refreshed'; readonly endpointId: string; readonly elapsedMs: number }
  | { readonly kind: 'cache.refresh_failed'; readonly endpointId: string; readonly code: string }
  /** A result was not cached. */
  | { readonly kind: 'cache.skipped'; readonly endpointId: string; readonly reason: 'too_large' | 'volatile' }
  | {
      readonly kind: 'cache.evicted';
      readonly reason: 'space' | 'purge' | 'definition' | 'removal';
      readonly entries: number;
    }
  | {
      readonly kind: 'ingest.stored';
      readonly source: string;
      readonly accepted: number;
      readonly rejected: number /** Decompressed. */;
      readonly bytes: number;
    }
  | { readonly kind: 'engine.started'; readonly pid: number; readonly elapsedMs: number; readonly role?: EngineRole }
  | { readonly kind: 'engine.exited'; readonly pid: number; readonly reason: string; readonly role?: EngineRole }
  /** The engine's program was rebuilt or reinstalled, so the engine cannot be restarted. The service ends and must be started again. */
  | { readonly kind: 'engine.replaced'; readonly message: string }
  /** The data folder is no longer at its path. The service must end without touching anything there. */
  | { readonly kind: 'folder.gone'; readonly message: string }
  | {
      readonly kind: 'engine.killed';
      readonly pid: number;
      readonly reason: 'memory' | 'stuck' | 'failed' | 'disk';
      readonly cause?: unknown;
    }
  /** Ingestion stops or resumes. Events are refused while less than `neededBytes` are free. */
  | { readonly kind: 'disk.low' | 'disk.recovered'; readonly freeBytes: number; readonly neededBytes: number }
  /** The store that nodes share does not answer any more, or answers again. Calls go on with what the node knows. */
  | { readonly kind: 'store.lost'; readonly cause: unknown }
  | { readonly kind: 'store.recovered'; readonly awayMs: number }
  /** It is still away; once a minute. */
  | { readonly kind: 'store.away'; readonly awayMs: number; readonly cause: unknown }
  | { readonly kind: 'file.rotated'; readonly file: string; readonly events: number }
  | {
      readonly kind: 'file.sealed';
      readonly file: string;
      readonly events: number;
      readonly bytes: number;
      readonly elapsedMs: number;
    }
  | {
      readonly kind: 'file.merged';
      readonly file: string;
      readonly files: number;
      readonly events: number;
      /** Events that were left out because of retention or a deletion. */
      readonly removed: number;
      readonly bytes: number;
      readonly elapsedMs: number;
    }
  /** A file was deleted with all its events: because of retention or a deletion, or as the oldest beyond the disk budget. */
  | {
      readonly kind: 'file.dropped';
      readonly file: string;
      readonly events: number;
      readonly bytes: number;
      readonly reason: 'removed' | 'budget';
    }
  | { readonly kind: 'file.damaged'; readonly file: string; readonly reason: string; readonly cause?: unknown }
  /** The active segment was removed from the folder while the service ran. The events that the engine still has are stored again. */
  | { readonly kind: 'file.missing'; readonly file: string; readonly events: number }
  /** A quarantined file was put back by the operator and is used again. */
  | { readonly kind: 'file.mended'; readonly file: string }
  | { readonly kind: 'file.cleaned'; readonly file: string; readonly reason: string }
  /** Definitions were stored at start. `endpoints` lists names with versions. */
  | {
      readonly kind: 'endpoints.deployed';
      readonly from: 'product' | 'folder';
      readonly endpoints: readonly string[];
    }
  /** Other nodes did not answer a request in time. */
  | { readonly kind: 'nodes.silent'; readonly request: string; readonly nodes: readonly string[] }
  /** This node cannot exchange something with the others, and goes on with what it knows. `what` completes a sentence. */
  | { readonly kind: 'nodes.out_of_contact'; readonly what: string; readonly cause: unknown }
  | { readonly kind: 'warning'; readonly message: string; readonly cause?: unknown };

export type Observe = (observation: Observation) => void;
