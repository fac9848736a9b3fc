import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const questionsMax = 5000;

/** What is known of a question. */
interface Asked {
  /** The state of the last ask. */
  readonly state: string;
  readonly isRepeated: boolean;
  /** Whether an answer was given again, in any state. */
  readonly isPolled: boolean;
}

/** Remembers which questions were asked, so that only results of repeated questions take memory. Holds no results. */
export class RepeatedQuestions {
  /** By the hash of the key. */
  readonly #asked = new LRUCache<string, Asked>({ max: questionsMax });

  /** Records that the question with this key was asked in this state. */
  ask(key: string, state: string): void {
    const name = nameOf(key);
    const before = this.#asked.get(name);
    this.#asked.set(name, { state, isRepeated: before?.state === state, isPolled: before?.isPolled === true });
  }

  /** Records that the answer to this question was given again in this state. */
  wasGiven(key: string, state: string): void {
    this.#asked.set(nameOf(key), { state, isRepeated: true, isPolled: true });
  }

  /** Whether the question was asked twice in this state. */
  isRepeated(key: string, state: string): boolean {
    const asked = this.#asked.get(nameOf(key));
    return asked?.state === state && asked.isRepeated;
  }

  /** Whether an answer to the question was given again before, in any state. So the next one may be, too. */
  isPolled(key: string): boolean {
    return this.#asked.get(nameOf(key))?.isPolled === true;
  }
}

const nameOf = (key: string): string => hash('sha256', key, 'base64url');
