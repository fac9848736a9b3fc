/** Faults that can affect calls. */
export type Disturbance =
  | 'service-down'
  | 'engine-down'
  | 'disk-full'
  | 'damage'
  | 'clock'
  | 'greedy'
  | 'store-away'
  | 'events-away';

/** Calls that were running when a fault ended may still show its effects for this long, milliseconds. */
const afterMs = 3_000;

interface Span {
  readonly kind: Disturbance;
  readonly node: object | null;
  readonly fromMs: number;
  toMs: number;
}

/** Records when each fault was in force. */
export class Disturbances {
  readonly #spans: Span[] = [];

  /** Begins a fault of one node, or of all; the returned function ends it. */
  begin(kind: Disturbance, node: object | null = null): () => void {
    const span: Span = { kind, node, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.toMs = Math.min(span.toMs, performance.now());
    };
  }

  /** Faults that were in force at any moment since then: those that affect `node`, or those of any node without it. */
  since(fromMs: number, node: object | null = null): ReadonlySet<Disturbance> {
    const found = this.#spans.filter(
      (each) => each.toMs + afterMs >= fromMs && (node === null || each.node === null || each.node === node),
    );
    return new Set(found.map(({ kind }) => kind));
  }
}
