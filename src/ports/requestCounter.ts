/** A number of requests in a number of seconds, at once or spread. */
export interface RequestRate {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts the requests of one token against one rate. */
export interface RequestBucket {
  readonly key: string;
  readonly rate: RequestRate;
}

export interface TakenRequest {
  readonly isAllowed: boolean;
  /** What is left in each bucket, in the order given. A fraction is a request that is not refilled yet. */
  readonly levels: readonly number[];
}

/**
 * Holds requests to their rates. A bucket holds the requests of one window. It is full at first and refills evenly,
 * so that a token may send a burst, but no more than its rate over time.
 *
 * Nodes share the buckets. Every call waits for `take`, so an adapter decides from memory and exchanges counts with
 * other nodes in the background. All nodes together may allow a tenth more or fewer requests than the rate.
 */
export interface RequestCounter {
  /**
   * Takes one request out of each bucket; out of none if one of them holds less than a request. A clock that was set
   * back neither fills nor empties a bucket.
   */
  take(buckets: readonly RequestBucket[], nowMicros: number): TakenRequest;
}
