import type { FastifyRequest } from 'fastify';
import type { CallReport, TraceContext } from '../core/observation.ts';
import type { CallFacts } from '../invoke/callFacts.ts';
import { type StageTimes, thousandths } from '../invoke/stageTimes.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { BodyShare } from './bodyBudget.ts';
import type { RouteAnswer } from './route.ts';

/** What the server knows about one request while it lasts. */
export interface RequestLife {
  readonly abort: AbortController;
  readonly times: StageTimes;
  /** As `performance.now()` tells it. */
  readonly startMs: number;
  readonly trace: TraceContext | undefined;
  token: AuthenticatedToken | null;
  /** The public id in a token that was presented and is not valid. */
  claimedId?: string | undefined;
  rawQuery: string;
  errorCode?: string;
  /** When the answer was ready to be sent, or the refusal. */
  answeredMs?: number;
  /** Of a call of an endpoint. */
  facts?: CallFacts;
  /** What its route answered; null where that is an error, or not yet known. */
  answer: RouteAnswer | null;
  bodyShare?: BodyShare;
}

/** What is told of a call of an endpoint when it has ended; undefined where the request was none. */
export function callReport({ facts, token, times, startMs, answeredMs }: RequestLife): CallReport | undefined {
  if (facts === undefined || token === null) return undefined;
  const endMs = answeredMs ?? performance.now();
  const { endpoint, isCallerQuery, cache, rowCount, bytes } = facts;
  // Each by its name: to spread them would take longer than all of the rest.
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
    /** Null before the request began. */
    life: RequestLife | null;
  }
}

export function lifeOf({ life }: FastifyRequest): RequestLife {
  if (life === null) throw new Error('a request was handled before it began');
  return life;
}
