import type { FastifyRequest } from 'fastify';
import type { StageTimes } from '../invoke/stageTimes.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { BodyShare } from './bodyBudget.ts';

/** What the server knows about one request while it lasts. */
export interface RequestLife {
  readonly abort: AbortController;
  readonly times: StageTimes;
  token: AuthenticatedToken | null;
  rawQuery: string;
  errorCode?: string;
  bodyShare?: BodyShare;
}

export const lives = new WeakMap<FastifyRequest, RequestLife>();

export function lifeOf(request: FastifyRequest): RequestLife {
  const life = lives.get(request);
  if (life === undefined) throw new Error('a request was handled before it began');
  return life;
}
