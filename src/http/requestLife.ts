import type { FastifyRequest } from 'fastify';
import type { CallReport, TraceContext } from '../core/observation.ts';
import type { CallFacts } from '../invoke/callFacts.ts';
import { type StageTimes, thousandths } from '../invoke/stageTimes.ts';
import type { LiveSession } from '../sessions/sessions.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { AnswerShare } from './answerBudget.ts';
import type { BodyShare } from './bodyBudget.ts';
import type { RouteAnswer } from './route.ts';

/** The server's state of one request. */
export interface RequestLife {
  readonly abort: AbortController;
  readonly times: StageTimes;
  /** From `performance.now()`. */
  readonly startMs: number;
  readonly trace: TraceContext | undefined;
  token: AuthenticatedToken | null;
  /** The session whose token this is; undefined if the request sent the token itself. */
  session?: LiveSession;
  /** `unverifiedSender` of a request that is to be signed. */
  sender?: string;
  /** The public ID in a presented token that is not valid. */
  claimedId?: string | undefined;
  rawQuery: string;
  errorCode?: string;
  /** Time at which the answer or the error was ready to send. */
  answeredMs?: number;
  /** Only for calls of endpoints. */
  facts?: CallFacts;
  /** The answer of the route; null for an error, or before the route has answered. */
  answer: RouteAnswer | null;
  bodyShare?: BodyShare;
  answerShare?: AnswerShare;
}

/** The report about a finished call of an endpoint; undefined for other requests. */
export function callReport({ facts, token, times, startMs, answeredMs }: RequestLife): CallReport | undefined {
  if (facts === undefined || token === null) return undefined;
  const endMs = answeredMs ?? performance.now();
  const { endpoint, isCallerQuery, cache, rowCount, bytes } = facts;
  // Members are listed, because spreading them would take longer than everything else.
  return {
    endpoint,
    token: token.publicId,
    isCallerQuery,
    cache,
    rowCount,
    bytes,
    answeredMs: thousandths(endMs - startMs),
    stagesMs: times.byStage(),
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the server handles the request. */
    life: RequestLife | null;
  }
}

export function lifeOf({ life }: FastifyRequest): RequestLife {
  if (life === null) throw new Error('a request was handled before it began');
  return life;
}
