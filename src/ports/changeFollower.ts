import type { Timer } from '../core/timer.ts';
import type { ChangeFeed, Generations, SharedSubject } from './changeFeed.ts';

/** Loads a subject again after it changed. It must also work if nothing changed. */
export type ReloadSubjects = Readonly<Partial<Record<SharedSubject, () => Promise<void>>>>;

export interface ChangeFollowerServices {
  readonly feed: ChangeFeed;
  readonly timer: Timer;
  readonly reload: ReloadSubjects;
  /** Called with the cause of the first of several failures. */
  readonly failed: (cause: unknown) => void;
}

/** Changes by other nodes take effect within a second (contract, section 4), even if no notification arrives. */
const everyMs = 300;

/**
 * Keeps what a node holds of the store in memory current: asks the feed regularly, and at once on request, and loads each
 * subject again whose generation changed. A subject whose load fails is loaded again by the next attempt.
 */
export class ChangeFollower {
  readonly #services: ChangeFollowerServices;
  readonly #held = new Map<SharedSubject, number>();
  #following: Promise<void> | undefined;
  #cancel: () => void = () => undefined;
  #isFailing = false;
  #isClosed = false;

  /** `held`: the generations when the subjects were loaded, or from before. */
  constructor(services: ChangeFollowerServices, held: Generations) {
    this.#services = services;
    for (const subject of subjectsOf(services.reload)) this.#held.set(subject, held[subject]);
  }

  start(): void {
    this.#later();
  }

  /** Resolves when every change that was made before the call is loaded, or could not be. Never rejects. */
  async now(): Promise<void> {
    // One that is under way may have read the feed before the change.
    await this.#following;
    await this.#follow();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#following;
  }

  #later(): void {
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#services.timer.after(everyMs, () => void this.#follow());
  }

  #follow(): Promise<void> {
    this.#following ??= this.#load().finally(() => {
      this.#following = undefined;
      this.#later();
    });
    return this.#following;
  }

  async #load(): Promise<void> {
    const { feed, reload, failed } = this.#services;
    try {
      const now = await feed.read();
      for (const subject of subjectsOf(reload)) {
        if (this.#held.get(subject) === now[subject]) continue;
        await reload[subject]?.();
        this.#held.set(subject, now[subject]);
      }
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing) failed(cause);
      this.#isFailing = true;
    }
  }
}

function subjectsOf(reload: ReloadSubjects): readonly SharedSubject[] {
  return Object.keys(reload) as SharedSubject[];
}
