import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Turns } from '../core/concurrency/turns.ts';
import type { ServiceError } from '../core/errors.ts';
import type { CallFacts } from '../invoke/callFacts.ts';
import type { RepeatableHit } from '../invoke/repeatableHit.ts';
import type { StageTimes } from '../invoke/stageTimes.ts';
import type { LiveSession } from '../sessions/sessions.ts';
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
  /** Empty if the request has no body. */
  readonly body: Buffer;
  /** Aborts, with a ServiceError as its reason, when the client disconnects. */
  readonly signal: AbortSignal;
  /** Times of the request's stages, which answers and errors report. */
  readonly times: StageTimes;
  /** Registers facts that are reported when the request ends, with the values that they have then. Null: none are. */
  readonly tell: (facts: CallFacts | null) => void;
  /** The request as received, for what depends on its connection. */
  readonly received: IncomingMessage;
  /** Counts the bytes of a large answer while it is made (answerBudget.ts). */
  readonly hold: (bytes: number) => void;
  /** Turns of the caller for its long work on the main thread. */
  readonly turns: Turns;
  /** Checks the networks and rates of a token that a body holds, as for a call with it, which the call then counts as. */
  readonly admit: (token: AuthenticatedToken) => void;
  /**
   * Finds the caller again, for an answer that lasts. Counts towards no rate. Rejects with errors of `auth` and `session` if
   * the caller may not call any more.
   */
  readonly authenticateAgain: () => Promise<AuthenticatedToken>;
  readonly services: HttpServices;
  readonly settings: HttpSettings;
}

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the status allows no body. A stream needs a Content-Length in `headers`, unless it has no known end. */
  readonly body: Buffer | string | Readable | undefined;
  /** Whether the body is a stream that is written while it is sent, at its own pace, and ends a reader that stalls. */
  readonly isStream?: boolean;
  /** Bytes at the end of the body that only this answer has. */
  readonly endBytes?: number;
  /** Set if the same request can get this answer again. */
  readonly repeatable?: RepeatableHit;
}

interface RouteBase {
  /** Stable dotted name, used by logs, metrics and docs. */
  readonly operation: string;
  readonly methods: readonly HttpMethod[];
  /** Parts that begin with a colon match one segment. */
  readonly path: string;
  /**
   * URL parameters. Others are refused, as are blank and repeated ones. `open`: the operation reads `rawQuery` itself,
   * or ignores it because it changes nothing.
   */
  readonly urlParameters: readonly string[] | 'open';
  /** Whether a blank part of the path names something that does not exist, instead of being refused as malformed. */
  readonly takesBlankParts?: boolean;
  /** Whether the operation reads a body. If not, a body other than white space or `{}` is refused. */
  readonly takesBody?: boolean;
  /** Content-Type of the answers. Default: `jsonType`. */
  readonly mediaType?: string;
  /** Whether `Accept` does not matter, because the answer leads elsewhere, or clients ask for a type of another product. */
  readonly ignoresAccept?: boolean;
  /** Whether answers have several formats, of which the route itself chooses one. */
  readonly choosesFormat?: boolean;
  /** One sentence for the docs. */
  readonly summary: string;
  /** Renders errors if the protocol needs another form than `renderProblem`. */
  renderError?(error: ServiceError, requestId: string, request: IncomingHttpHeaders): Problem;
}

interface TakesBody {
  /** Largest body in bytes, as sent. */
  bodyBytesMax(settings: HttpSettings): number;
  /** The error code if too many bodies are already in memory. */
  readonly codeWhenFull: 'query.overloaded' | 'ingest.overloaded';
}

export type Route = RouteBase &
  (
    | { readonly credential: 'none'; handle(call: RouteCall): Promise<RouteAnswer> }
    /** The credential is the session of the cookie alone. */
    | (TakesBody & {
        readonly credential: 'session';
        handle(call: RouteCall, session: LiveSession): Promise<RouteAnswer>;
      })
    /** The body holds the credential, and the route checks it. */
    | (TakesBody & { readonly credential: 'body'; handle(call: RouteCall): Promise<RouteAnswer> })
    | (TakesBody & {
        readonly credential: 'token';
        /** Whether the token may be the password of `Authorization: Basic`, as senders of other protocols have it. */
        readonly takesPassword?: boolean;
        /** Refuses a token before the body is read. Absent if the decision depends on more than the token. */
        authorise?(token: AuthenticatedToken): void;
        handle(call: RouteCall, token: AuthenticatedToken): Promise<RouteAnswer>;
      })
    | (TakesBody & {
        /** The sender signs the body, so who it is can be checked only when the body has arrived. */
        readonly credential: 'signature';
        /** Throws `auth.invalid` before a body is read, if nobody can have signed it. */
        requireSigners(services: HttpServices): void;
        /**
         * Returns who signed the request, and an identity of it if what is signed gives it one. Throws `auth.invalid` for a wrong
         * signature.
         */
        verify(call: RouteCall): Promise<{ readonly signer: AuthenticatedToken; readonly signed: string | undefined }>;
        /** `signed`: from `verify`. */
        handle(call: RouteCall, signer: AuthenticatedToken, signed: string | undefined): Promise<RouteAnswer>;
      })
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

/** The value of a header that should occur once. Node returns a list for some repeated headers. */
export function oneValue(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(',') : header;
}
