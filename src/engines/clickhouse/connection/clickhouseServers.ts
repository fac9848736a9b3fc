import type { Timer } from '../../../core/timer.ts';
import { ClickHouseServer, type ClickHouseUser, type PingsUrl } from './clickhouseServer.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';
import type { WatchTimes } from './serverWatch.ts';

export interface ClickHouseServersOptions {
  /** At least one. */
  readonly urls: readonly string[];
  readonly user: ClickHouseUser;
  readonly timer: Timer;
  /** For tests without servers. */
  readonly ping?: PingsUrl;
  readonly watchTimes?: WatchTimes;
}

interface Candidate {
  readonly server: ClickHouseServer;
  isLeftOut: boolean;
  /** Ends the wait for the next look at a server that is left out. */
  cancel: () => void;
}

/** How long a server is left out at least. Milliseconds. */
const leftOutMs = 500;
/** How often it is asked afterwards whether it is there, and how long it may take to say so. Milliseconds. */
const lookEveryMs = 1_000;
const lookWithinMs = 2_000;

/**
 * The servers of one user, in the order of preference. A server that failed is left out until it can be reached again, which
 * is tried every second, apart from requests; it is still asked if every other one failed.
 */
export class ClickHouseServers {
  readonly #candidates: readonly Candidate[];
  readonly #timer: Timer;
  #isClosed = false;
  readonly userName: string;

  constructor({ urls, user, timer, ping, watchTimes }: ClickHouseServersOptions) {
    this.userName = user.name;
    this.#candidates = urls.map((url) => ({
      server: new ClickHouseServer(url, user, timer, ping, watchTimes),
      isLeftOut: false,
      cancel: () => undefined,
    }));
    this.#timer = timer;
  }

  get all(): readonly ClickHouseServer[] {
    return this.#candidates.map(({ server }) => server);
  }

  /** Number of servers that are left out now. */
  get failedCount(): number {
    return this.#candidates.filter(({ isLeftOut }) => isLeftOut).length;
  }

  /**
   * Asks one server after another, at most `attemptsMax`, until one gives an answer or a failure that another server would
   * give as well. `among` narrows the servers, such as to those of a shard. Rejects with the last failure.
   */
  async ask<T>(
    work: (server: ClickHouseServer) => Promise<T>,
    { attemptsMax = 2, among }: { attemptsMax?: number; among?: ReadonlySet<ClickHouseServer> } = {},
  ): Promise<T> {
    let last: unknown;
    for (const candidate of this.#inOrder(among).slice(0, attemptsMax)) {
      try {
        const answer = await work(candidate.server);
        candidate.cancel();
        candidate.isLeftOut = false;
        return answer;
      } catch (error) {
        last = error;
        if (!isFailureOfServer(error)) throw error;
        this.#leaveOut(candidate);
      }
    }
    throw last ?? new ClickHouseFailure('unreachable', 'no server of ClickHouse is known for this work');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#candidates) cancel();
    await Promise.all(this.#candidates.map(async ({ server }) => await server.close()));
  }

  /** Those that are not left out, in the order of preference; then the others. */
  #inOrder(among: ReadonlySet<ClickHouseServer> | undefined): readonly Candidate[] {
    const known = this.#candidates.filter(({ server }) => among?.has(server) ?? true);
    return [...known.filter(({ isLeftOut }) => !isLeftOut), ...known.filter(({ isLeftOut }) => isLeftOut)];
  }

  #leaveOut(candidate: Candidate): void {
    // The only server is asked in any case.
    if (candidate.isLeftOut || this.#candidates.length === 1) return;
    candidate.isLeftOut = true;
    this.#lookAfter(leftOutMs, candidate);
  }

  #lookAfter(ms: number, candidate: Candidate): void {
    if (this.#isClosed) return;
    candidate.cancel = this.#timer.after(ms, () => {
      void candidate.server.answers(lookWithinMs).then((isThere) => {
        if (!candidate.isLeftOut) return;
        if (isThere) candidate.isLeftOut = false;
        else this.#lookAfter(lookEveryMs, candidate);
      });
    });
  }
}

/** Failures of one server, where another one may succeed. */
const ofServer: ReadonlySet<FailureKind> = new Set(['unreachable', 'damaged', 'busy', 'uncertain']);

function isFailureOfServer(error: unknown): boolean {
  return error instanceof ClickHouseFailure && ofServer.has(error.kind);
}
