import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { FramePlace } from './zstdDecodable.ts';

export type FramesDecoded =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** What the thread says. */
type Outcome = FramesDecoded | { readonly kind: 'failed'; readonly reason: string };

/**
 * On a thread of its own: the decoder is JavaScript, and takes some 30 ms for each MiB that comes out, or more. Otherwise it
 * is decoded as in `decodeAtOnce`.
 */
const decoding = `
const { parentPort, workerData } = require('node:worker_threads');
const { Decompress, decompress } = require(workerData.library);
const tooLarge = new Error('too large');
class NotInCoding extends Error {}
const decodeSized = (frame, contentBytes) => {
  const content = new Uint8Array(contentBytes);
  let given = 0;
  content.set = (part, at = 0) => {
    Uint8Array.prototype.set.call(content, part, at);
    given = at;
  };
  decompress(frame, content);
  if (given !== contentBytes) throw new NotInCoding('a frame declares ' + contentBytes + ' bytes and gives ' + given);
  return content;
};
const isOfBytes = (error) =>
  error instanceof NotInCoding ||
  typeof error.code === 'number' ||
  (error instanceof RangeError && error.message === 'offset is out of bounds');
const decodeAll = (bytes, frames, bytesMax) => {
  const parts = [];
  let size = 0;
  const add = (part) => {
    size += part.length;
    if (size > bytesMax) throw tooLarge;
    parts.push(part);
  };
  for (const { start, end, contentBytes } of frames) {
    const frame = bytes.subarray(start, end);
    if (contentBytes === null) new Decompress(add).push(frame, true);
    else add(decodeSized(frame, contentBytes));
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
parentPort.on('message', ({ id, bytes, frames, bytesMax }) => {
  try {
    const all = decodeAll(bytes, frames, bytesMax);
    parentPort.postMessage({ id, decoded: { kind: 'decoded', bytes: all } }, [all.buffer]);
  } catch (error) {
    const kind = error === tooLarge ? 'too_large' : isOfBytes(error) ? 'invalid' : 'failed';
    parentPort.postMessage({ id, decoded: { kind, reason: String(error.message) } });
  }
});
`;

/** The decoder failed, whatever the bytes are. */
export class DecoderFault extends Error {
  constructor(cause: unknown) {
    super('the decoder of zstd failed', { cause });
  }
}

interface Settlement {
  readonly resolve: (decoded: FramesDecoded) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread for all bodies that come while it has work; it takes some 30 ms to begin. Ends when it has none left. */
class ZstdThread {
  readonly #worker = new Worker(decoding, {
    eval: true,
    workerData: { library: createRequire(import.meta.url).resolve('fzstd') },
  });
  readonly #open = new Map<number, Settlement>();
  #count = 0;

  /** @param ended called before anyone is told, when nothing more may be sent to the thread */
  constructor(ended: () => void) {
    this.#worker.on('message', ({ id, decoded }: { readonly id: number; readonly decoded: Outcome }) => {
      const settlement = this.#open.get(id);
      this.#open.delete(id);
      if (this.#open.size === 0) {
        ended();
        void this.#worker.terminate();
      }
      if (decoded.kind === 'failed') settlement?.reject(new DecoderFault(decoded.reason));
      else settlement?.resolve(decoded);
    });
    const fail = (cause: unknown) => {
      if (this.#open.size === 0) return;
      ended();
      for (const { reject } of this.#open.values()) reject(new DecoderFault(cause));
      this.#open.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', (code) => fail(new Error(`it ended with ${code}`)));
  }

  decode(bytes: Uint8Array<ArrayBuffer>, frames: readonly FramePlace[], bytesMax: number): Promise<FramesDecoded> {
    const id = this.#count++;
    this.#worker.postMessage({ id, bytes, frames, bytesMax }, [bytes.buffer]);
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }
}

let thread: ZstdThread | null = null;

/**
 * Decodes frames of zstd one after another to at most `bytesMax` bytes, while the event loop goes on. The memory of `bytes`
 * is handed over.
 *
 * @throws DecoderFault
 */
export function decodeOnThread(
  bytes: Uint8Array<ArrayBuffer>,
  frames: readonly FramePlace[],
  bytesMax: number,
): Promise<FramesDecoded> {
  thread ??= new ZstdThread(() => {
    thread = null;
  });
  return thread.decode(bytes, frames, bytesMax);
}
