import { ServiceError } from '../core/errors.ts';
import type { RequestCounter, RequestRate } from '../ports/requestCounter.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';

/** What a request leaves of its token's shares. */
export interface RateReport {
  /** `RateLimit` and `RateLimit-Policy`; none where no rate holds for the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the request is allowed. */
  readonly refusal: ServiceError | undefined;
}

interface Share {
  /** `token`: the rate of every token, from the settings. `own`: the one that this token was made with. */
  readonly name: 'token' | 'own';
  readonly rate: RequestRate;
  /** What is left of it after this request. */
  readonly level: number;
}

/** Holds each token to the common rate and to its own. A request that one rate refuses takes nothing from the other. */
export class RequestRates {
  readonly #common: RequestRate | null;
  readonly #counter: RequestCounter;

  /** `common` holds for every token; null for none. */
  constructor(common: RequestRate | null, counter: RequestCounter) {
    this.#common = common;
    this.#counter = counter;
  }

  take(
    { publicId, restrictions }: Pick<AuthenticatedToken, 'publicId' | 'restrictions'>,
    nowMicros: number,
  ): RateReport {
    const own = restrictions?.rate;
    if (this.#common === null && own === undefined) return unlimited;
    const policies: Omit<Share, 'level'>[] = [];
    if (this.#common !== null) policies.push({ name: 'token', rate: this.#common });
    if (own !== undefined) policies.push({ name: 'own', rate: own });
    const buckets = policies.map(({ name, rate }) => ({ key: `${name} ${publicId}`, rate }));
    const { isAllowed, levels } = this.#counter.take(buckets, nowMicros);
    const left = policies.map(({ name, rate }, n): Share => ({ name, rate, level: levels[n] ?? 0 }));
    return { headers: headersOf(left), refusal: isAllowed ? undefined : refusalOf(left) };
  }
}

/** Where no rate holds. */
export const noHeaders: Readonly<Record<string, string>> = {};

const unlimited: RateReport = { headers: noHeaders, refusal: undefined };

/** The fields of draft-ietf-httpapi-ratelimit-headers. */
function headersOf(left: readonly Share[]): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': left.map(({ name, rate }) => `"${name}";q=${rate.requests};w=${rate.seconds}`).join(', '),
    ratelimit: left.map((share) => `"${share.name}";r=${Math.floor(share.level)};t=${resetSeconds(share)}`).join(', '),
  };
}

/** Until the next request is allowed where none remains, else until the share is whole again. */
function resetSeconds({ rate: { requests, seconds }, level }: Share): number {
  const missing = level >= 1 ? requests - level : 1 - level;
  return Math.max(1, Math.ceil((missing * seconds) / requests));
}

function refusalOf(left: readonly Share[]): ServiceError {
  const spent = left.filter(({ level }) => level < 1);
  const rates = spent.map(({ rate }) => `${rate.requests} requests in ${rate.seconds} seconds`).join(' and ');
  return new ServiceError(
    'request.rate_limited',
    `This token may make ${rates} and has made them. Send the call again after the time in Retry-After.`,
    { retryAfterSeconds: Math.max(...spent.map(resetSeconds)) },
  );
}
