import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/core/clock.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type {
  AppendOutcome,
  BatchIdentity,
  EventBatch,
  EventLog,
  RepeatedOutcome,
} from '../../../src/ports/eventLog.ts';
import { unknownSource } from '../../../src/sources/unknownSource.ts';
import type { MemoryRows } from './memoryRows.ts';

/** Characters of batches that may wait for their turn. */
const waitingCharsMax = 64 * 2 ** 20;
const identityAgeMicros = 15 * 60 * 1_000_000;
const identityCountMin = 1_000;

interface Remembered extends Pick<BatchIdentity, 'digest' | 'answer'> {
  readonly atMicros: number;
}

/** A log that ends with its process. Batches are stored one turn after they arrive. */
export class MemoryLog implements EventLog {
  readonly #rows: MemoryRows;
  readonly #clock: Clock;
  readonly #known = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<void>>();
  #waitingChars = 0;

  constructor(rows: MemoryRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  async append({ source, events, identity }: EventBatch): Promise<AppendOutcome> {
    const { sources } = this.#rows;
    if (!sources.includes(source)) throw unknownSource(source, sources);
    if (identity !== null) {
      // No other turn may run between the last check and the start of the batch.
      for (let before = this.#underWay.get(identity.key); before !== undefined; ) {
        await before;
        before = this.#underWay.get(identity.key);
      }
      const repeated = this.#repeated(identity);
      if (repeated !== null) return repeated;
    }
    const chars = events.reduce((sum, event) => sum + event.eventMessage.length + (event.metadata?.length ?? 0), 0);
    if (this.#waitingChars + chars > waitingCharsMax) {
      throw new ServiceError('ingest.overloaded', 'Too many events are waiting to be stored.', {
        retryAfterSeconds: 1,
      });
    }
    this.#waitingChars += chars;
    const stored = this.#store({ source, events, identity }, chars);
    if (identity !== null) this.#underWay.set(identity.key, stored);
    await stored;
    return { kind: 'stored' };
  }

  async recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null> {
    await this.#underWay.get(identity.key);
    return this.#repeated(identity);
  }

  #repeated({ key, digest }: Pick<BatchIdentity, 'key' | 'digest'>): RepeatedOutcome | null {
    const known = this.#known.get(key);
    if (known === undefined) return null;
    return known.digest === digest ? { kind: 'duplicate', answer: known.answer } : { kind: 'conflict' };
  }

  async #store({ source, events, identity }: EventBatch, chars: number): Promise<void> {
    await setImmediate();
    this.#rows.add(source, events);
    this.#waitingChars -= chars;
    if (identity === null) return;
    const { key, digest, answer } = identity;
    this.#known.set(key, { digest, answer, atMicros: this.#clock.nowMicros() });
    this.#underWay.delete(key);
    this.#forget();
  }

  #forget(): void {
    const oldest = this.#clock.nowMicros() - identityAgeMicros;
    for (const [key, { atMicros }] of this.#known) {
      if (this.#known.size <= identityCountMin || atMicros >= oldest) return;
      this.#known.delete(key);
    }
  }
}
