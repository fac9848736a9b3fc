import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ServiceError } from '../core/errors.ts';
import type { CallFacts } from '../invoke/callFacts.ts';
import type { RepeatableHit } from '../invoke/repeatableHit.ts';
import type { StageTimes } from '../invoke/stageTimes.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { Problem } from './problem.ts';
import type { HttpServices, HttpSettings } from './services.ts';
import type { UrlOptions } from './urlOptions.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request as a route sees it. Its token, if the route needs one, is already checked. */
export interface RouteCall {
  readonly requestId: string;
  /** A HEAD is handled as the GET that it stands for. */
  readonly method: HttpMethod;
  readonly headers: IncomingHttpHeaders;
  /** The part of the request target after the `?`, still encoded, without a token. */
  readonly rawQuery: string;
  /** The `urlParameters` of the route that the request has; none is blank. */
  readonly options: UrlOptions;
  /** Decoded parts of the path by their name in the route. */
  readonly pathParts: Readonly<Record<string, string>>;
  /** Empty where the request has none. */
  readonly body: Buffer;
  /** Aborted, with a ServiceError as its reason, when the client has gone. */
  readonly signal: AbortSignal;
  /** Of the stages of this request; the answer tells them, an error's too. */
  readonly times: StageTimes;
  /** Has what the facts hold at the end told with the end of the request. */
  readonly tell: (facts: CallFacts) => void;
  readonly services: HttpServices;
  readonly settings: HttpSettings;
}

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status allows none. A stream is sent as it comes, with the length that the headers give. */
  readonly body: Buffer | string | Readable | undefined;
  /** How many bytes at the end of the body belong to this one answer. */
  readonly endBytes?: number;
  /** How the answer can be given again to the same request. */
  readonly repeatable?: RepeatableHit;
}

interface RouteBase {
  /** Stable dotted name, used by logs, metrics and docs. */
  readonly operation: string;
  readonly methods: readonly HttpMethod[];
  /** Parts that begin with a colon match one segment. */
  readonly path: string;
  /**
   * Parameters of the URL. Any other is refused, and one that is blank or given twice; `open`: the operation reads
   * `rawQuery` itself, or changes nothing whatever is there.
   */
  readonly urlParameters: readonly string[] | 'open';
  /** Whether it reads a body. Where it does not, one that says anything is refused: its sender means something by it. */
  readonly takesBody?: boolean;
  /** Content-Type of its answers; `jsonType` where left out. */
  readonly mediaType?: string;
  /** One sentence for the docs. */
  readonly summary: string;
  /** How its errors go over the wire, where its protocol says otherwise than `renderProblem`. */
  renderError?(error: ServiceError, requestId: string, request: IncomingHttpHeaders): Problem;
}

export type Route = RouteBase &
  (
    | { readonly credential: 'none'; handle(call: RouteCall): Promise<RouteAnswer> }
    | {
        readonly credential: 'token';
        /** Refuses a token before the body is read; left out where the right depends on more than the token. */
        authorise?(token: AuthenticatedToken): void;
        /** Largest body in bytes, as sent. */
        bodyBytesMax(settings: HttpSettings): number;
        /** What to say when too many bodies are held already. */
        readonly codeWhenFull: 'query.overloaded' | 'ingest.overloaded';
        handle(call: RouteCall, token: AuthenticatedToken): Promise<RouteAnswer>;
      }
  );

export const jsonType = 'application/json; charset=utf-8';

/** An answer with a JSON body. */
export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): RouteAnswer {
  return {
    status: 200,
    headers: { 'content-type': jsonType, ...headers },
    body: JSON.stringify(value),
  };
}

/** The value of a header that should stand once; Node gives a list for some that stand more often. */
export function oneValue(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(',') : header;
}
