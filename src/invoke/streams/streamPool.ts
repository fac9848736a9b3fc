import { changeCount } from '../../core/changeCount.ts';
import { mayTakePlace } from '../../core/concurrency/fairPlaces.ts';
import { untilAborted } from '../../core/concurrency/untilAborted.ts';
import { counted } from '../../core/counted.ts';
import { ServiceError } from '../../core/errors.ts';
import type { TokenRuns } from '../../ports/tokenRuns.ts';
import type { QueryQueue, Release, TokenRunner } from '../queryQueue.ts';

export interface StreamPoolSettings {
  /** Maximum number of streams at one time. */
  readonly streamsMax: number;
  readonly ofTokenMax: number;
}

/**
 * Bounds the streams that run at one time. They take no slot of the queue, because a slow reader could hold it for hours,
 * and none waits for a stream that its reader still takes: the end of that may be as far away. A stream counts for its token's
 * concurrency limit. Tokens for the same projects share their places, so that one tenant cannot take all of them.
 */
export class StreamPool {
  readonly #settings: StreamPoolSettings;
  readonly #runs: TokenRuns;
  readonly #queue: Pick<QueryQueue, 'refuseHeldBack'>;
  readonly #ofToken = new Map<string, number>();
  readonly #ofOwner = new Map<string, number>();
  #count = 0;
  /** Streams whose reader has left, until the engine has stopped, which takes two seconds at most. */
  readonly #ending = new Set<Promise<void>>();

  constructor(settings: StreamPoolSettings, runs: TokenRuns, queue: Pick<QueryQueue, 'refuseHeldBack'>) {
    this.#settings = settings;
    this.#runs = runs;
    this.#queue = queue;
  }

  get runningCount(): number {
    return this.#count;
  }

  /**
   * Takes a place until `signal` is aborted and the place is released. Rejects with `stream.busy`, after it has waited for streams
   * that nobody reads any more; with `query.held_back`; and with the reason of `signal`.
   */
  async take(token: TokenRunner, signal: AbortSignal): Promise<Release> {
    const ending = new Set(this.#ending);
    for (;;) {
      try {
        return this.#takenUntil(signal, this.#taken(token));
      } catch (error) {
        if (ending.size === 0 || !(error instanceof ServiceError) || error.code !== 'stream.busy') throw error;
      }
      const each = [...ending].map((released) => released.then(() => ending.delete(released)));
      await untilAborted(Promise.race(each), signal);
    }
  }

  /** Knows the place as one that will soon be free as soon as the signal is aborted. */
  #takenUntil(signal: AbortSignal, release: () => void): Release {
    let isReleased = () => {};
    const released = new Promise<void>((resolve) => (isReleased = resolve));
    const isEnding = () => this.#ending.add(released);
    signal.addEventListener('abort', isEnding, { once: true });
    const end = () => {
      signal.removeEventListener('abort', isEnding);
      this.#ending.delete(released);
      release();
      isReleased();
    };
    return Object.assign(end, { stepsAside: () => {} });
  }

  #taken(token: TokenRunner): () => void {
    const { id, concurrencyMax, placeOwner = id } = token;
    const { streamsMax, ofTokenMax } = this.#settings;
    this.#queue.refuseHeldBack(token);
    const own = this.#ofToken.get(id) ?? 0;
    if (own >= ofTokenMax)
      throw busy(
        `This token already reads ${counted(own, 'stream')}, which is the most. Read to the end, or close the connection.`,
      );
    if (this.#count >= streamsMax)
      throw busy(`The service already sends ${counted(this.#count, 'stream')}, which is the most.`);
    const ofOwner = this.#ofOwner.get(placeOwner) ?? 0;
    if (!mayTakePlace({ all: streamsMax, taken: this.#count, own: ofOwner }))
      throw busy(
        `Tokens for the same projects already read ${counted(ofOwner, 'stream')}, and the service keeps the other places for others.`,
      );
    if (concurrencyMax !== null && !this.#runs.mayBegin(id, concurrencyMax))
      throw busy(`This token runs as many queries as it may (${concurrencyMax}).`);
    const endRun = this.#runs.begin(id);
    changeCount(this.#ofToken, id, 1);
    changeCount(this.#ofOwner, placeOwner, 1);
    this.#count++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count--;
      changeCount(this.#ofToken, id, -1);
      changeCount(this.#ofOwner, placeOwner, -1);
      endRun();
    };
  }
}

const busy = (why: string): ServiceError =>
  new ServiceError('stream.busy', `${why} Send the call again after the time in Retry-After.`, {
    retryAfterSeconds: 5,
  });
