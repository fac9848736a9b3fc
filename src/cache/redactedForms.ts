import { LRUCache } from 'lru-cache';

/** The rows of a result as a redacted call shows them. */
export interface RedactedForm {
  /** JSON objects separated by commas, in the format of the original rows. */
  readonly rows: Uint8Array;
  /** Number of redaction marks in the rows, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Upper estimate of the memory that a form takes in addition to its rows. */
const formBytes = 1024;

/**
 * Redacted rows of cached results, by entry number. Entry numbers are never reused. The result, its query and
 * the configuration decide the redaction; the call does not (decision 26). A form never outlives its entry.
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
