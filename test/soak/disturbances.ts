/** Faults that can affect calls. */
export type Disturbance = 'service-down' | 'engine-down' | 'disk-full' | 'damage' | 'clock' | 'greedy';

/** Calls that were running when a fault ended may still show its effects for this long, milliseconds. */
const afterMs = 3_000;

interface Span {
  readonly kind: Disturbance;
  readonly fromMs: number;
  toMs: number;
}

/** Records when each fault was in force. */
export class Disturbances {
  readonly #spans: Span[] = [];

  /** Begins a fault; the returned function ends it. */
  begin(kind: Disturbance): () => void {
    const span: Span = { kind, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.toMs = Math.min(span.toMs, performance.now());
    };
  }

  /** Faults that were in force at any moment since then. */
  since(fromMs: number): ReadonlySet<Disturbance> {
    return new Set(this.#spans.filter(({ toMs }) => toMs + afterMs >= fromMs).map(({ kind }) => kind));
  }
}
