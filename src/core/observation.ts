import type { ErrorCode } from './errorCatalogue.ts';

/** The span of a request that its caller named (W3C Trace Context), in lower-case hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller records its trace, and asks that this part of it is recorded as well. */
  readonly isSampled: boolean;
}

/** When a stage of a request began, after the request did, and how long it took. */
export interface StageTime {
  readonly name: string;
  readonly startMs: number;
  readonly elapsedMs: number;
}

/** What is told of a call of an endpoint, also of one that failed; nothing that its caller sent. */
export interface CallReport {
  /** Null where none was found that the token may call. */
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number } | null;
  /** Public id. */
  readonly token: string;
  /** Whether the caller sent a query of its own. */
  readonly isCallerQuery: boolean;
  /** Null where there are no rows. */
  readonly cache: 'hit' | 'miss' | 'refresh' | 'stale' | 'bypass' | null;
  readonly rowCount: number;
  /** Of the body of a 200, before any coding. */
  readonly bytes: number;
  /** Until the answer was ready to be sent. */
  readonly answeredMs: number;
  /** Milliseconds of each stage that it reached; `cache` includes `queue` and `run`. */
  readonly stagesMs: Readonly<Record<string, number>>;
}

/** Which process of the engine; absent: the one that has the events. */
export type EngineRole = 'functions';

/**
 * Everything worth telling about a running service, as data. Components emit observations; the
 * logger, metrics and traces subscribe. Never holds a parameter value, a token or a row.
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
      /** Of stages that were timed, in the order in which they ended; for traces, not for the log. */
      readonly stages?: readonly StageTime[];
      /** Where it was a call of an endpoint. */
      readonly call?: CallReport;
    }
  | {
      readonly kind: 'request.failed';
      readonly requestId: string;
      readonly code: string;
      readonly cause: unknown;
      readonly trace?: TraceContext;
    }
  /** A call of an endpoint that took longer than `LOGMILL_SLOW_QUERY_MS`; told besides its `request.completed`. */
  | {
      readonly kind: 'call.slow';
      readonly requestId: string;
      readonly status: number;
      readonly errorCode?: string;
      readonly trace?: TraceContext;
      readonly call: CallReport;
    }
  /** Calls that usage does not hold: there were too many sorts of them at once, or they could not be written. */
  | {
      readonly kind: 'usage.dropped';
      readonly calls: number;
      readonly reason: 'full' | 'failed';
      readonly cause?: unknown;
    }
  /** A query gave its place back, or left the queue. `elapsedMs`: with a place; `outcome`: `answered` or an error code. */
  | {
      readonly kind: 'query.ended';
      readonly queryId: string;
      readonly endpoint: string;
      readonly waitedMs: number;
      readonly elapsedMs: number;
      readonly outcome: 'answered' | ErrorCode;
    }
  /** `killedBy`: public id of a token. */
  | {
      readonly kind: 'query.killed';
      readonly queryId: string;
      readonly endpoint: string;
      readonly killedBy: string;
    }
  /** `savedMs`: engine time of the run that need not be made for this call. */
  | {
      readonly kind: 'cache.answered';
      readonly endpointId: string;
      readonly outcome: 'hit' | 'miss' | 'refresh' | 'stale';
      readonly savedMs: number;
    }
  /** In the background. */
  | { readonly kind: 'cache.refreshed'; readonly endpointId: string; readonly elapsedMs: number }
  | { readonly kind: 'cache.refresh_failed'; readonly endpointId: string; readonly code: string }
  /** A result was not kept. */
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
  /** The engine cannot be started again, as its program was built or installed anew: the service ends, to be started again. */
  | { readonly kind: 'engine.replaced'; readonly message: string }
  /** The data folder is not at its path any more: the service must end, and touch nothing there. */
  | { readonly kind: 'folder.gone'; readonly message: string }
  | { readonly kind: 'engine.killed'; readonly pid: number; readonly reason: 'memory' | 'stuck' | 'failed' | 'disk' }
  /** Events are refused from now on, or taken again. `neededBytes`: free bytes below which they are refused. */
  | { readonly kind: 'disk.low' | 'disk.recovered'; readonly freeBytes: number; readonly neededBytes: number }
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
      /** Events that were left out, by retention or on request. */
      readonly removed: number;
      readonly bytes: number;
      readonly elapsedMs: number;
    }
  /** A file went away with all its events: removed by retention or on request, or the oldest beyond the disk budget. */
  | {
      readonly kind: 'file.dropped';
      readonly file: string;
      readonly events: number;
      readonly bytes: number;
      readonly reason: 'removed' | 'budget';
    }
  | { readonly kind: 'file.damaged'; readonly file: string; readonly reason: string; readonly cause?: unknown }
  /** The file that receives events was removed from the folder while the service ran; what the engine still has of it is stored again. */
  | { readonly kind: 'file.missing'; readonly file: string; readonly events: number }
  /** A file that was set aside as damaged, put back by whoever operates the service, and is served again. */
  | { readonly kind: 'file.mended'; readonly file: string }
  | { readonly kind: 'file.cleaned'; readonly file: string; readonly reason: string }
  /** Definitions were stored at start: names with their versions. */
  | {
      readonly kind: 'endpoints.deployed';
      readonly from: 'product' | 'folder';
      readonly endpoints: readonly string[];
    }
  | { readonly kind: 'warning'; readonly message: string; readonly cause?: unknown };

export type Observe = (observation: Observation) => void;
