import { createHash } from 'node:crypto';
import type { BatchIdentity } from '../../../ports/eventLog.ts';
import type { IdentityRow } from '../process/protocol.ts';

interface Remembered {
  readonly digest: string;
  readonly answer: string;
  readonly storedMicros: number;
}

/** 128 bits of SHA-256, so that keys and digests of any length have a fixed size in memory and on disk. */
function fingerprint(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
}

/** Fingerprints of key and digest, as they are stored. */
export function fingerprintsOf({ key, digest }: Pick<BatchIdentity, 'key' | 'digest'>): [key: string, digest: string] {
  return [fingerprint(key), fingerprint(digest)];
}

/** The row that is stored with a batch, so that a retry is recognised. */
export function identityRow(identity: BatchIdentity, storedMicros: number): IdentityRow {
  return [...fingerprintsOf(identity), identity.answer, storedMicros];
}

/** Remembers batches for retries: those of the last `ageMs`, and at least the last `countMin`. */
export class IdentityMemory {
  readonly #ageMicros: number;
  readonly #countMin: number;
  /** In the order in which they were stored. */
  readonly #known = new Map<string, Remembered>();
  /** Shares equal answers, because most are the same few texts. */
  readonly #answers = new Map<string, string>();
  /** The last reading of the clock. */
  #lastMicros = 0;

  constructor(ageMs: number, countMin: number) {
    this.#ageMicros = ageMs * 1000;
    this.#countMin = countMin;
  }

  /** `keyFingerprint` is the first member of an identity row. */
  find(keyFingerprint: string): Remembered | undefined {
    return this.#known.get(keyFingerprint);
  }

  /** Rows must come in the order in which they were stored. A row from the future counts as stored now. */
  remember(rows: readonly IdentityRow[], nowMicros: number): void {
    this.#notice(nowMicros);
    for (const [key, digest, answer, storedMicros] of rows) {
      this.#known.delete(key);
      const atMicros = Math.min(storedMicros, nowMicros);
      this.#known.set(key, { digest, answer: this.#shared(answer), storedMicros: atMicros });
    }
    this.#forget(nowMicros);
  }

  /** The rows that a new active segment must carry over. */
  rows(nowMicros: number): readonly IdentityRow[] {
    this.#notice(nowMicros);
    this.#forget(nowMicros);
    return [...this.#known].map(([key, { digest, answer, storedMicros }]) => [key, digest, answer, storedMicros]);
  }

  /**
   * If the clock was set back, rows that are now in the future count as stored now. Otherwise they and all later rows
   * would be remembered until that time comes: an hour or a hundred years.
   */
  #notice(nowMicros: number): void {
    const wasPutBack = nowMicros < this.#lastMicros;
    this.#lastMicros = nowMicros;
    if (!wasPutBack) return;
    for (const [key, known] of this.#known) {
      if (known.storedMicros > nowMicros) this.#known.set(key, { ...known, storedMicros: nowMicros });
    }
  }

  #forget(nowMicros: number): void {
    for (const [key, { storedMicros }] of this.#known) {
      if (this.#known.size <= this.#countMin || storedMicros >= nowMicros - this.#ageMicros) return;
      this.#known.delete(key);
    }
  }

  #shared(answer: string): string {
    const known = this.#answers.get(answer);
    if (known !== undefined) return known;
    if (this.#answers.size >= this.#countMin) this.#answers.clear();
    this.#answers.set(answer, answer);
    return answer;
  }
}
