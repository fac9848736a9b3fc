import type { Timer } from '../../../core/timer.ts';
import { ClickHouseServer, type ClickHouseUser } from './clickhouseServer.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';

export interface ClickHouseServersOptions {
  /** At least one. */
  readonly urls: readonly string[];
  readonly user: ClickHouseUser;
  readonly timer: Timer;
}

interface Candidate {
  readonly server: ClickHouseServer;
  /** Failures since its last success. */
  failures: number;
  /** Left out until then, if others answer. Milliseconds of the timer. */
  retryMs: number;
}

const retryFirstMs = 500;
const retryLastMs = 30_000;

/**
 * The servers of one user, in the order of preference. A server that failed is left out for a while, and longer after each
 * further failure; it is still asked if every other one failed.
 */
export class ClickHouseServers {
  readonly #candidates: readonly Candidate[];
  readonly #timer: Timer;
  readonly userName: string;

  constructor({ urls, user, timer }: ClickHouseServersOptions) {
    this.userName = user.name;
    this.#candidates = urls.map((url) => ({ server: new ClickHouseServer(url, user), failures: 0, retryMs: 0 }));
    this.#timer = timer;
  }

  get all(): readonly ClickHouseServer[] {
    return this.#candidates.map(({ server }) => server);
  }

  /** Number of servers that are left out now. */
  get failedCount(): number {
    return this.#candidates.filter(({ retryMs }) => retryMs > this.#timer.nowMs()).length;
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
        candidate.failures = 0;
        candidate.retryMs = 0;
        return answer;
      } catch (error) {
        last = error;
        if (!isFailureOfServer(error)) throw error;
        const waitMs = Math.min(retryFirstMs * 2 ** candidate.failures, retryLastMs);
        candidate.failures += 1;
        candidate.retryMs = this.#timer.nowMs() + waitMs;
      }
    }
    throw last ?? new ClickHouseFailure('unreachable', 'no server of ClickHouse is known for this work');
  }

  async close(): Promise<void> {
    await Promise.all(this.#candidates.map(async ({ server }) => await server.close()));
  }

  /** Those that are not left out, in the order of preference; then the others, the next to be retried first. */
  #inOrder(among: ReadonlySet<ClickHouseServer> | undefined): readonly Candidate[] {
    const nowMs = this.#timer.nowMs();
    const known = this.#candidates.filter(({ server }) => among?.has(server) ?? true);
    const due = known.filter(({ retryMs }) => retryMs <= nowMs);
    const left = known.filter(({ retryMs }) => retryMs > nowMs).sort((a, b) => a.retryMs - b.retryMs);
    return [...due, ...left];
  }
}

/** Failures of one server, where another one may succeed. */
const ofServer: ReadonlySet<FailureKind> = new Set(['unreachable', 'damaged', 'busy', 'uncertain']);

function isFailureOfServer(error: unknown): boolean {
  return error instanceof ClickHouseFailure && ofServer.has(error.kind);
}
