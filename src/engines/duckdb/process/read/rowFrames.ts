import { CancelledCall } from '../callFailure.ts';

/**
 * Rows of at least this many bytes are sent. Small enough to reuse its memory, large enough for what each frame costs: the
 * calls of the pipe, a credit, a batch of Arrow.
 */
export const frameBytes = 256 * 1024;

/** Fewer rows are sent if the last ones were sent this long ago. */
const frameMs = 250;

/** A larger buffer, which a long row needed, is not kept. */
const keptBytesMax = 1024 * 1024;

/** Rows that are collected for a frame. */
export interface FramedRows {
  readonly frameBytes: number;
  /** Hands over the frame, and goes on with `next` or the other buffers that it has. */
  takeFrame(next: Buffer): TakenFrame;
}

export interface TakenFrame {
  readonly rowCount: number;
  readonly payload: readonly Uint8Array[];
  /** The buffer that can be used again when the frame has arrived. */
  readonly buffer: Buffer;
}

/** Sends part of a reply; the parts of the payload must not change before their frame is credited. */
export type SendPart = (partRows: number, payload: readonly Uint8Array[]) => void;

/**
 * Sends the rows of a statement in frames, as many as the service has allowed. While it may send none, the statement waits
 * and fetches no rows. A frame that was credited has arrived, so its buffer is used again.
 */
export class RowFrames {
  readonly #send: SendPart;
  readonly #nowMs: () => number;
  readonly #free: Buffer[] = [];
  /** Buffers of frames that were not credited yet, in order. */
  readonly #underWay: Buffer[] = [];
  #credits: number;
  #sentMs: number | null = null;
  #wake: () => void = () => {};

  constructor(credits: number, send: SendPart, nowMs: () => number = () => performance.now()) {
    this.#credits = credits;
    this.#send = send;
    this.#nowMs = nowMs;
  }

  /** Whether rows were sent, so that another run must not begin with the first rows again. */
  get hasSent(): boolean {
    return this.#sentMs !== null;
  }

  isFull({ frameBytes: bytes }: FramedRows): boolean {
    return bytes >= frameBytes;
  }

  /** The first rows are due at once. */
  isDue(rows: FramedRows): boolean {
    return rows.frameBytes > 0 && (this.#sentMs === null || this.#nowMs() - this.#sentMs >= frameMs);
  }

  /** Waits for a credit and sends the rows of the frame, if there are any. @throws CancelledCall */
  async send(rows: FramedRows, job: { readonly isCancelled: boolean }): Promise<void> {
    if (rows.frameBytes === 0) return;
    while (this.#credits === 0 && !job.isCancelled) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (job.isCancelled) throw new CancelledCall();
    const { rowCount, payload, buffer } = rows.takeFrame(this.#free.pop() ?? Buffer.allocUnsafe(frameBytes * 2));
    this.#credits--;
    this.#underWay.push(buffer);
    this.#sentMs = this.#nowMs();
    this.#send(rowCount, payload);
  }

  /** Allows one more frame. */
  credit(): void {
    const buffer = this.#underWay.shift();
    if (buffer === undefined) return;
    if (buffer.length <= keptBytesMax) this.#free.push(buffer);
    this.#credits++;
    this.wake();
  }

  /** Looks again whether the job was cancelled. */
  wake(): void {
    this.#wake();
  }
}
