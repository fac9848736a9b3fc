import { LRUCache } from 'lru-cache';

/** The rows of a result as a redacted call shows them. */
export interface RedactedForm {
  /** JSON objects separated by commas, as the rows that they were made of. */
  readonly rows: Uint8Array;
  /** Marks in them by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What a form takes beside its rows: an estimate, on the safe side. */
const formBytes = 1024;

/**
 * Redacted rows of cached results by the number of their entry, which never stands for another result:
 * what is redacted is decided by the result, its query and the configuration, and by nothing of the call
 * (decision 26). Each goes with its entry at the latest.
 */
export class RedactedForms {
  readonly #forms: LRUCache<number, RedactedForm>;

  constructor(bytesMax: number) {
    this.#forms = new LRUCache({ maxSize: Math.max(1, bytesMax) });
  }

  get bytes(): number {
    return this.#forms.calculatedSize;
  }

  get(entry: number): RedactedForm | undefined {
    return this.#forms.get(entry);
  }

  keep(entry: number, form: RedactedForm): void {
    this.#forms.set(entry, form, { size: form.rows.byteLength + formBytes });
  }

  forget(entry: number): void {
    this.#forms.delete(entry);
  }
}
