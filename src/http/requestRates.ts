import { ServiceError } from '../core/errors.ts';

/** What a request leaves of its token's share, for the headers `RateLimit` and `RateLimit-Policy`. */
export interface RateReport {
  readonly isAllowed: boolean;
  /** Whole requests that may follow at once. */
  readonly remaining: number;
  /** Until the next one is allowed where none remains, else until the share is whole again. */
  readonly resetSeconds: number;
}

interface Bucket {
  level: number;
  atMicros: number;
}

const windowSeconds = 60;

/**
 * Requests of each token in a minute: a bucket that holds a minute's share and fills evenly, so that
 * a token may come in a burst but not faster than its rate for long. Tokens are checked before, so
 * there are no more buckets than tokens.
 */
export class RequestRates {
  readonly perMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  /** At least 1. */
  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  take(tokenId: string, nowMicros: number): RateReport {
    const perSecond = this.perMinute / windowSeconds;
    const known = this.#buckets.get(tokenId);
    // A clock that was put back gives nothing and takes nothing.
    const elapsedSeconds = known === undefined ? 0 : Math.max(0, nowMicros - known.atMicros) / 1e6;
    const level =
      known === undefined ? this.perMinute : Math.min(this.perMinute, known.level + elapsedSeconds * perSecond);
    const isAllowed = level >= 1;
    const left = isAllowed ? level - 1 : level;
    this.#buckets.set(tokenId, { level: left, atMicros: nowMicros });
    const missing = left >= 1 ? this.perMinute - left : 1 - left;
    return { isAllowed, remaining: Math.floor(left), resetSeconds: Math.max(1, Math.ceil(missing / perSecond)) };
  }

  /** The fields of draft-ietf-httpapi-ratelimit-headers. */
  headers({ remaining, resetSeconds }: RateReport): Readonly<Record<string, string>> {
    return {
      'ratelimit-policy': `"token";q=${this.perMinute};w=${windowSeconds}`,
      ratelimit: `"token";r=${remaining};t=${resetSeconds}`,
    };
  }

  refusal({ resetSeconds }: RateReport): ServiceError {
    return new ServiceError(
      'request.rate_limited',
      `This token may make ${this.perMinute} requests a minute and has made them. Send the call again after the time in Retry-After.`,
      { retryAfterSeconds: resetSeconds },
    );
  }
}
