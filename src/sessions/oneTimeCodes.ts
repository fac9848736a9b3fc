import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { hashToken } from '../tokens/tokenFormat.ts';

/** A code can be exchanged for this long. */
export const codeMicros = 10 * 60 * 1_000_000;

/** Random bytes of a code or of a session's secret; 256 bits. */
export const secretBytes = 32;

/** Codes that are kept, used and expired ones included, so that their errors can say so. */
const codesMax = 100;

interface IssuedCode {
  readonly untilMicros: number;
  isUsed: boolean;
}

/** Codes that one process gives out and takes back, each once. It keeps only their hashes. */
export class OneTimeCodes {
  readonly #randomness: Randomness;
  /** By hash, oldest first. */
  readonly #issued = new Map<string, IssuedCode>();

  constructor(randomness: Randomness) {
    this.#randomness = randomness;
  }

  issue(nowMicros: number): string {
    const code = Buffer.from(this.#randomness.bytes(secretBytes)).toString('base64url');
    this.#issued.set(hashToken(code), { untilMicros: nowMicros + codeMicros, isUsed: false });
    for (const [oldest] of this.#issued) {
      if (this.#issued.size <= codesMax) break;
      this.#issued.delete(oldest);
    }
    return code;
  }

  /**
   * Uses up the code and runs the task. If the task rejects, the code can be used again. Throws `session.code_invalid` if
   * the code is unknown, used or expired.
   */
  async redeem<T>(code: string, nowMicros: number, task: () => Promise<T>): Promise<T> {
    const issued = this.#issued.get(hashToken(code));
    if (issued === undefined) throw refused('is unknown');
    if (issued.isUsed) throw refused('was used before');
    if (nowMicros >= issued.untilMicros) throw refused('is older than ten minutes');
    // Before anything is awaited, so that no second call uses the code meanwhile.
    issued.isUsed = true;
    try {
      return await task();
    } catch (error) {
      issued.isUsed = false;
      throw error;
    }
  }
}

function refused(why: string): ServiceError {
  return new ServiceError(
    'session.code_invalid',
    `The one-time code ${why}. A code works once and for ten minutes. Restart the service for a new link, or sign in with a token.`,
  );
}
