import { ServiceError } from '../core/errors.ts';
import type { RequestCounter, RequestRate } from '../ports/requestCounter.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';

/** The state of a token's rates after a request. */
export interface RateReport {
  /** `RateLimit` and `RateLimit-Policy`; empty if no rate applies to the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the request is allowed. */
  readonly refusal: ServiceError | undefined;
}

interface Share {
  /** `token`: the rate of every token, from the settings. `own`: the rate that restricts this token. */
  readonly name: 'token' | 'own';
  readonly rate: RequestRate;
  /** The remaining requests after this one. */
  readonly level: number;
}

/** Applies the common rate and the token's own rate. A request that one rate refuses takes nothing from the other. */
export class RequestRates {
  readonly #common: RequestRate | null;
  readonly #counter: RequestCounter;

  /** `common` is the rate of every token; null for none. */
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

/** The headers if no rate applies. */
export const noHeaders: Readonly<Record<string, string>> = {};

const unlimited: RateReport = { headers: noHeaders, refusal: undefined };

/** The fields of draft-ietf-httpapi-ratelimit-headers. */
function headersOf(left: readonly Share[]): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': left.map(({ name, rate }) => `"${name}";q=${rate.requests};w=${rate.seconds}`).join(', '),
    ratelimit: left.map((share) => `"${share.name}";r=${Math.floor(share.level)};t=${resetSeconds(share)}`).join(', '),
  };
}

/** Seconds until the next request is allowed if none remains, otherwise until the whole rate is available again. */
function resetSeconds({ rate: { requests, seconds }, level }: Share): number {
  const missing = level >= 1 ? requests - level : 1 - level;
  return Math.max(1, Math.ceil((missing * seconds) / requests));
}

function refusalOf(left: readonly Share[]): ServiceError {
  const spent = left.filter(({ level }) => level < 1);
  const rates = spent.map(({ rate }) => `${rate.requests} requests in ${rate.seconds} seconds`).join(' and ');
  return new ServiceError(
    'request.rate_limited',
    `This token has reached its limit of ${rates}. Send the call again after the time in Retry-After.`,
    { retryAfterSeconds: Math.max(...spent.map(resetSeconds)) },
  );
}
