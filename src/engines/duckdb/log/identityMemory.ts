import { ByteBudget } from '../../../core/concurrency/byteBudget.ts';
import { batchFingerprint } from '../../../ports/batchFingerprint.ts';
import type { BatchIdentity } from '../../../ports/eventLog.ts';
import type { IdentitiesInFile, IdentityRow } from '../process/protocol.ts';

interface Remembered {
  readonly digest: string;
  readonly answer: string;
  readonly storedMicros: number;
  readonly owner: string;
}

/** What a row takes in memory besides its answer, in bytes (measured: 165). */
const rowBytes = 200;

/** Rows forgotten in one turn; far more than are remembered in one. */
const forgottenMax = 1_000;

const bytesOf = (answer: string) => rowBytes + answer.length;

/** Fingerprints of key and digest, as they are stored. */
export function fingerprintsOf({ key, digest }: Pick<BatchIdentity, 'key' | 'digest'>): [key: string, digest: string] {
  return [batchFingerprint(key), batchFingerprint(digest)];
}

/** The row that is stored with a batch, so that a retry is recognised. */
export function identityRow(identity: BatchIdentity, storedMicros: number): IdentityRow {
  return [...fingerprintsOf(identity), identity.answer, storedMicros];
}

/**
 * Remembers batches for retries: those of the last `ageMs`, and at least the last `countMin`. Those of a token may take half
 * of the memory that others leave free, so that no sender of many small batches can fill it.
 */
export class IdentityMemory {
  readonly #ageMicros: number;
  readonly #countMin: number;
  /** In the order in which they were stored. */
  readonly #known = new Map<string, Remembered>();
  /** Shares equal answers, because most are the same few texts. */
  readonly #answers = new Map<string, string>();
  readonly #bytes: ByteBudget;
  /** The last reading of the clock. */
  #lastMicros = 0;

  constructor(ageMs: number, countMin: number, bytesMax: number) {
    this.#ageMicros = ageMs * 1000;
    this.#countMin = countMin;
    this.#bytes = new ByteBudget(bytesMax);
  }

  /** `keyFingerprint` is the first member of an identity row. */
  find(keyFingerprint: string): Remembered | undefined {
    return this.#known.get(keyFingerprint);
  }

  /**
   * Rows must come in the order in which they were stored. A row from the future counts as stored now. Owners are not stored:
   * those of an earlier run are unknown.
   */
  remember(rows: readonly IdentityRow[], nowMicros: number, owners: readonly string[] = []): void {
    this.#notice(nowMicros);
    for (const [index, [key, digest, answer, storedMicros]] of rows.entries()) {
      this.#drop(key);
      const owner = owners[index] ?? '';
      const atMicros = Math.min(storedMicros, nowMicros);
      this.#known.set(key, { digest, answer: this.#shared(answer), storedMicros: atMicros, owner });
      this.#bytes.change(owner, bytesOf(answer));
    }
    this.#forget(nowMicros);
  }

  /** Whether one more batch of this owner can be remembered. */
  hasRoom(owner: string, answer: string, nowMicros: number): boolean {
    this.#forget(nowMicros);
    return this.#bytes.hasRoom(owner, bytesOf(answer));
  }

  /** What a new active segment must carry over from the one before, which holds every row that is remembered. */
  inFile(alias: string, nowMicros: number): IdentitiesInFile {
    return { alias, sinceMicros: nowMicros - this.#ageMicros, countMin: this.#countMin };
  }

  /** All rows that must be remembered, in their order: a new active segment carries them over if there is none before it. */
  rows(nowMicros: number): readonly IdentityRow[] {
    this.#notice(nowMicros);
    this.#forget(nowMicros, Number.POSITIVE_INFINITY);
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

  /** Forgets only some at a time: hundreds of thousands can become too old while no batch comes. */
  #forget(nowMicros: number, atMost = forgottenMax): void {
    let left = atMost;
    for (const [key, { storedMicros }] of this.#known) {
      if (left-- === 0) return;
      if (this.#known.size <= this.#countMin || storedMicros >= nowMicros - this.#ageMicros) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    this.#bytes.change(known.owner, -bytesOf(known.answer));
  }

  #shared(answer: string): string {
    const known = this.#answers.get(answer);
    if (known !== undefined) return known;
    if (this.#answers.size >= this.#countMin) this.#answers.clear();
    this.#answers.set(answer, answer);
    return answer;
  }
}
