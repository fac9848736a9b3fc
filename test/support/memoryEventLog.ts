import type { EventBatch, EventLog, StoredEvent } from '../../src/engines/ports/eventLog.ts';

/** An EventLog that keeps everything in memory, identities for ever. */
export class MemoryEventLog implements EventLog {
  readonly batches: EventBatch[] = [];
  readonly #identities = new Map<string, { readonly digest: string; readonly answer: string }>();

  get events(): readonly StoredEvent[] {
    return this.batches.flatMap((batch) => batch.events);
  }

  append({ source, events, identity }: EventBatch): ReturnType<EventLog['append']> {
    if (identity !== null) {
      const known = this.#identities.get(identity.key);
      if (known !== undefined) {
        return Promise.resolve(
          known.digest === identity.digest ? { kind: 'duplicate', answer: known.answer } : { kind: 'conflict' },
        );
      }
      this.#identities.set(identity.key, { digest: identity.digest, answer: identity.answer });
    }
    this.batches.push({ source, events, identity });
    return Promise.resolve({ kind: 'stored' });
  }
}
