/** What a fault may do to calls while it is in force. */
export type Disturbance = 'service-down' | 'engine-down' | 'disk-full' | 'damage' | 'clock' | 'greedy';

/** Calls that were under way when it ended may still tell of it, milliseconds. */
const afterMs = 3_000;

interface Span {
  readonly kind: Disturbance;
  readonly fromMs: number;
  toMs: number;
}

/** Which faults were in force when. */
export class Disturbances {
  readonly #spans: Span[] = [];

  /** Begins one; the function that is given back ends it. */
  begin(kind: Disturbance): () => void {
    const span: Span = { kind, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.toMs = Math.min(span.toMs, performance.now());
    };
  }

  /** Those that were in force at some moment since then. */
  since(fromMs: number): ReadonlySet<Disturbance> {
    return new Set(this.#spans.filter(({ toMs }) => toMs + afterMs >= fromMs).map(({ kind }) => kind));
  }
}
