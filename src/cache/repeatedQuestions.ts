import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const questionsMax = 5000;

/** Remembers which questions were asked, so that only results of repeated questions take memory. Holds no results. */
export class RepeatedQuestions {
  /** The state of the last ask, by the hash of the key. */
  readonly #asked = new LRUCache<string, { readonly state: string; readonly isRepeated: boolean }>({
    max: questionsMax,
  });

  /** Records that the question with this key was asked in this state. */
  ask(key: string, state: string): void {
    const name = hash('sha256', key, 'base64url');
    const before = this.#asked.get(name);
    this.#asked.set(name, { state, isRepeated: before?.state === state });
  }

  /** Whether the question was asked twice in this state. */
  isRepeated(key: string, state: string): boolean {
    const asked = this.#asked.get(hash('sha256', key, 'base64url'));
    return asked?.state === state && asked.isRepeated;
  }
}
