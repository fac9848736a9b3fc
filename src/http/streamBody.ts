import { PassThrough, type Transform } from 'node:stream';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { BodySink } from '../invoke/streams/openStream.ts';
import { acceptedCodings } from './contentCoding.ts';

/** Compressed bytes are sent on at the latest after this many bytes or milliseconds, and after the first rows. */
const flushBytes = 64 * 1024;
const flushMs = 250;

/** The body of an answer that is sent while it is written, with gzip if the client prefers that. */
export class StreamBody implements BodySink {
  readonly #body: PassThrough | Gzip;
  readonly #flush: (() => void) | null;
  readonly coding: 'gzip' | 'identity';
  #sinceFlush = 0;
  #flushedMs: number | null = null;

  constructor(acceptEncoding: string | undefined) {
    const [best] = acceptedCodings(acceptEncoding).filter((coding) => coding === 'gzip' || coding === 'identity');
    if (best === 'gzip') {
      // The fastest level: the rows come about as fast as one thread can compress these.
      const gzip = createGzip({ level: 1 });
      this.#body = gzip;
      this.#flush = () => gzip.flush(constants.Z_SYNC_FLUSH);
    } else {
      this.#body = new PassThrough();
      this.#flush = null;
    }
    this.coding = best === 'gzip' ? 'gzip' : 'identity';
    // Whoever sends the body handles its end, and the writer learns from `write` that it is over.
    this.#body.on('error', () => {});
  }

  get readable(): Transform {
    return this.#body;
  }

  write(bytes: Uint8Array): Promise<void> | null {
    const body = this.#body;
    if (body.destroyed) return Promise.reject(gone());
    const hasRoom = body.write(bytes);
    this.#flushIfDue(bytes.length);
    return hasRoom ? null : this.#drained();
  }

  /** The body is complete. */
  end(): void {
    this.#body.end();
  }

  /** The body is not complete, and the client must see that. */
  breakOff(reason: Error): void {
    this.#body.destroy(reason);
  }

  #flushIfDue(bytes: number): void {
    if (this.#flush === null) return;
    this.#sinceFlush += bytes;
    const nowMs = performance.now();
    const isLate = this.#flushedMs === null || nowMs - this.#flushedMs >= flushMs;
    if (!isLate && this.#sinceFlush < flushBytes) return;
    this.#flush();
    this.#sinceFlush = 0;
    this.#flushedMs = nowMs;
  }

  #drained(): Promise<void> {
    const body = this.#body;
    return new Promise((resolve, reject) => {
      const drained = () => {
        body.off('close', closed);
        resolve();
      };
      const closed = () => {
        body.off('drain', drained);
        reject(gone());
      };
      body.once('drain', drained);
      body.once('close', closed);
    });
  }
}

const gone = (): Error => new Error('the body of a stream was closed');
