import type { EventBatch, EventLog, RepeatedOutcome, StoredEvent } from '../../src/ports/eventLog.ts';

/** An EventLog that keeps everything in memory, and identities forever. */
export class MemoryEventLog implements EventLog {
  readonly batches: EventBatch[] = [];
  readonly #identities = new Map<string, { readonly digest: string; readonly answer: string }>();

  get events(): readonly StoredEvent[] {
    return this.batches.flatMap((batch) => batch.events);
  }

  append(batch: EventBatch): ReturnType<EventLog['append']> {
    const { identity } = batch;
    if (identity !== null) {
      const repeated = this.#repeated(identity);
      if (repeated !== null) return Promise.resolve(repeated);
      this.#identities.set(identity.key, { digest: identity.digest, answer: identity.answer });
    }
    this.batches.push(batch);
    return Promise.resolve({ kind: 'stored' });
  }

  recall(identity: Parameters<EventLog['recall']>[0]): ReturnType<EventLog['recall']> {
    return Promise.resolve(this.#repeated(identity));
  }

  #repeated({ key, digest }: Parameters<EventLog['recall']>[0]): RepeatedOutcome | null {
    const known = this.#identities.get(key);
    if (known === undefined) return null;
    return known.digest === digest ? { kind: 'duplicate', answer: known.answer } : { kind: 'conflict' };
  }
}
