import { ServiceError } from '../core/errors.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { RequestRate } from '../tokens/restrictions.ts';

/** What a request leaves of its token's shares. */
export interface RateReport {
  /** `RateLimit` and `RateLimit-Policy`; none where no rate holds for the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the request is allowed. */
  readonly refusal: ServiceError | undefined;
}

interface Bucket {
  level: number;
  atMicros: number;
}

/** `token`: the rate of every token, from the settings. `own`: the one that this token was made with. */
type PolicyName = 'token' | 'own';

interface Share {
  readonly name: PolicyName;
  readonly rate: RequestRate;
  /** Before this request. */
  readonly level: number;
}

/**
 * Requests of each token: a bucket for each rate that holds for it, which holds the share of a whole
 * window and fills evenly, so that a token may come in a burst but not faster than its rate for long. A
 * request that one rate refuses takes nothing from the other. Tokens are checked before, so there are no
 * more buckets than tokens.
 */
export class RequestRates {
  readonly #common: RequestRate | null;
  readonly #buckets: Readonly<Record<PolicyName, Map<string, Bucket>>> = { token: new Map(), own: new Map() };

  /** `common` holds for every token; null for none. */
  constructor(common: RequestRate | null) {
    this.#common = common;
  }

  take(
    { publicId, restrictions }: Pick<AuthenticatedToken, 'publicId' | 'restrictions'>,
    nowMicros: number,
  ): RateReport {
    if (this.#common === null && restrictions?.rate === undefined) return unlimited;
    const shares = [
      this.#share('token', this.#common, publicId, nowMicros),
      this.#share('own', restrictions?.rate ?? null, publicId, nowMicros),
    ].filter((share) => share !== null);
    const isAllowed = shares.every(({ level }) => level >= 1);
    const left = shares.map((share) => ({ ...share, level: isAllowed ? share.level - 1 : share.level }));
    for (const { name, level } of left) this.#buckets[name].set(publicId, { level, atMicros: nowMicros });
    return { headers: headersOf(left), refusal: isAllowed ? undefined : refusalOf(left) };
  }

  #share(name: PolicyName, rate: RequestRate | null, publicId: string, nowMicros: number): Share | null {
    if (rate === null) return null;
    const known = this.#buckets[name].get(publicId);
    if (known === undefined) return { name, rate, level: rate.requests };
    // A clock that was put back gives nothing and takes nothing.
    const elapsedSeconds = Math.max(0, nowMicros - known.atMicros) / 1e6;
    const filled = known.level + (elapsedSeconds * rate.requests) / rate.seconds;
    return { name, rate, level: Math.min(rate.requests, filled) };
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
