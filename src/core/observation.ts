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
  | { readonly kind: 'ingest.stored'; readonly source: string; readonly accepted: number; readonly rejected: number }
  | { readonly kind: 'engine.started'; readonly pid: number; readonly elapsedMs: number }
  | { readonly kind: 'engine.exited'; readonly pid: number; readonly reason: string }
  | { readonly kind: 'engine.killed'; readonly pid: number; readonly reason: string }
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
