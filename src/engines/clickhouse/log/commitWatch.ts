import { FailureReports } from '../../../core/failureReports.ts';
import type { Observe } from '../../../core/observation.ts';
import type { Timer } from '../../../core/timer.ts';
import type { ArrivalRange } from '../../../ports/commitLedger.ts';
import type { CommittedEvents } from '../../../ports/eventLog.ts';

/** Null: events of any source and project. */
export type CommitListener = (commit: readonly CommittedEvents[] | null) => void;

export interface CommitWatchOptions {
  /** Reads the ledger, whose watermark it then tells to `advanced`. */
  readonly refresh: () => Promise<unknown>;
  readonly timer: Timer;
  readonly observe: Observe;
}

/** How often the ledger is read while somebody watches. */
const readEveryMs = 100;

/** How many commits of this node are kept until they are settled. */
const ownMax = 256;

interface OwnCommit extends ArrivalRange {
  readonly added: readonly CommittedEvents[];
}

/**
 * Tells listeners which events became settled (`CompleteCommits.settled`). It knows what commits of this node added, but not
 * what those of others did. Reads the ledger all the time, but only while there is a listener.
 */
export class CommitWatch {
  readonly #options: CommitWatchOptions;
  readonly #reports: FailureReports;
  readonly #listeners = new Set<CommitListener>();
  /** Commits of this node that are not settled yet. */
  #own: OwnCommit[] = [];
  #cancel = () => {};
  #isReading = false;

  constructor(options: CommitWatchOptions) {
    this.#options = options;
    this.#reports = new FailureReports(options.timer, 10_000);
  }

  /** Calls the listener until the returned function is called. */
  watch(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1 && !this.#isReading) this.#readSoon();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** Says what a commit of this node adds, before the ledger says that it is complete. */
  expect(range: ArrivalRange, added: () => readonly CommittedEvents[]): void {
    if (this.#listeners.size === 0) return;
    // The watermark stands still for long. Without these commits, listeners are told that anything may have been added.
    if (this.#own.length >= ownMax) this.#own = [];
    this.#own.push({ ...range, added: added() });
  }

  /** The watermark has risen: the events in between are settled. */
  advanced({ first, end }: ArrivalRange): void {
    if (this.#listeners.size === 0) return;
    let known = first;
    const added: CommittedEvents[] = [];
    for (const commit of this.#own) {
      if (commit.first > known || commit.end <= known) continue;
      known = commit.end;
      added.push(...commit.added);
    }
    this.#own = this.#own.filter((commit) => commit.end > end);
    for (const listener of this.#listeners) listener(known < end ? null : added);
  }

  close(): void {
    this.#listeners.clear();
    this.#own = [];
    this.#cancel();
  }

  #readSoon(): void {
    this.#cancel = this.#options.timer.after(readEveryMs, () => void this.#read());
  }

  async #read(): Promise<void> {
    const { refresh, observe } = this.#options;
    this.#isReading = true;
    try {
      await refresh();
      this.#reports.succeeded();
    } catch (cause) {
      if (this.#reports.failed()) {
        observe({ kind: 'warning', message: 'the store did not say which events are new for tails', cause });
      }
    }
    this.#isReading = false;
    if (this.#listeners.size > 0) this.#readSoon();
  }
}
