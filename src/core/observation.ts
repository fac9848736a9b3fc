import type { ErrorCode } from './errorCatalogue.ts';

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
    }
  | { readonly kind: 'request.failed'; readonly requestId: string; readonly code: string; readonly cause: unknown }
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
      readonly reason: 'space' | 'purge' | 'definition';
      readonly entries: number;
    }
  | {
      readonly kind: 'ingest.stored';
      readonly source: string;
      readonly accepted: number;
      readonly rejected: number /** Decompressed. */;
      readonly bytes: number;
    }
  | { readonly kind: 'engine.started'; readonly pid: number; readonly elapsedMs: number }
  | { readonly kind: 'engine.exited'; readonly pid: number; readonly reason: string }
  | { readonly kind: 'engine.killed'; readonly pid: number; readonly reason: 'memory' | 'stuck' | 'failed' }
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
      readonly bytes: number;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'file.damaged'; readonly file: string; readonly reason: string; readonly cause?: unknown }
  | { readonly kind: 'file.cleaned'; readonly file: string; readonly reason: string }
  | { readonly kind: 'warning'; readonly message: string; readonly cause?: unknown };

export type Observe = (observation: Observation) => void;
