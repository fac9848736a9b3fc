import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** A zstd frame and the most bytes that it may decode to, at least one. */
export interface FrameToDecode {
  readonly bytes: Uint8Array;
  readonly room: number;
}

/** The decoded frames, in order. A frame that is damaged or needs more room is empty. After too much output, frames are left out. */
export type DecodedFrames = readonly Uint8Array[];

/** The decoder itself failed; the bytes may be valid. */
export class DecoderFault extends Error {
  constructor(cause: unknown) {
    super('the decoder of zstd failed', { cause });
  }
}

/** Loads the decoder, which is done on first use. */
async function loadDecoder() {
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}

/** Decodes frames one after another until their output exceeds `bytesMax` bytes. */
export class ZstdDecoder {
  #loading: ReturnType<typeof loadDecoder> | null = null;
  #thread: ZstdThread | null = null;

  /** On the main thread. @throws DecoderFault */
  async decodeAtOnce(frames: readonly FrameToDecode[], bytesMax: number): Promise<DecodedFrames> {
    try {
      this.#loading ??= loadDecoder();
      const loaded = await this.#loading;
      const parts: Uint8Array[] = [];
      let size = 0;
      for (const { bytes, room } of frames) {
        if (size > bytesMax) break;
        const part = loaded.decode(bytes, room);
        parts.push(part);
        size += part.length;
      }
      return parts;
    } catch (error) {
      this.#loading = null;
      throw new DecoderFault(error);
    }
  }

  /** On another thread, while the event loop goes on. @throws DecoderFault */
  decodeOnThread(frames: readonly FrameToDecode[], bytesMax: number): Promise<DecodedFrames> {
    this.#thread ??= new ZstdThread(() => {
      this.#thread = null;
    });
    return this.#thread.decode(frames, bytesMax);
  }
}

/** `decodeAtOnce` on a thread of its own, which finds its library by a path. */
const decoding = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = import(workerData.library).then(async ({ ZSTDDecoder }) => {
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
});
parentPort.on('message', async ({ id, frames, bytesMax }) => {
  try {
    const decoder = await loaded;
    const parts = [];
    let size = 0;
    for (const { bytes, room } of frames) {
      if (size > bytesMax) break;
      const part = decoder.decode(bytes, room);
      parts.push(part);
      size += part.length;
    }
    parentPort.postMessage({ id, parts }, parts.map(({ buffer }) => buffer));
  } catch (error) {
    parentPort.postMessage({ id, failed: String(error.message) });
  }
});
`;

/** A message from the thread. */
interface Outcome {
  readonly id: number;
  readonly parts?: DecodedFrames;
  readonly failed?: string;
}

interface Settlement {
  readonly resolve: (decoded: DecodedFrames) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread for all bodies that arrive while it has work. It takes about 80 ms to start, and ends when it has no work. */
class ZstdThread {
  readonly #worker = new Worker(decoding, {
    eval: true,
    workerData: { library: pathToFileURL(createRequire(import.meta.url).resolve('zstddec')).href },
  });
  readonly #open = new Map<number, Settlement>();
  #count = 0;

  /** @param ended called before waiting calls are settled, when the thread accepts no more work */
  constructor(ended: () => void) {
    this.#worker.on('message', ({ id, parts, failed }: Outcome) => {
      const settlement = this.#open.get(id);
      this.#open.delete(id);
      if (this.#open.size === 0) {
        ended();
        void this.#worker.terminate();
      }
      if (parts === undefined) settlement?.reject(new DecoderFault(failed));
      else settlement?.resolve(parts);
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

  decode(frames: readonly FrameToDecode[], bytesMax: number): Promise<DecodedFrames> {
    const id = this.#count++;
    this.#worker.postMessage({ id, frames, bytesMax });
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }
}
