import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Measured (decision 112). What follows from a buffer, such as a frame and a block of an answer, is not counted. All of it must
 * stay below the 32 MiB at which V8 collects by itself: of two collections one shortly after the other, the second keeps what is
 * still under way for good, and only marking the whole heap frees that.
 */
const collectedBytes = 4 * 1024 * 1024;

/**
 * Collects young objects each time that a process has dropped so many bytes of buffers. A buffer is a small object whose bytes
 * lie outside of the heap, so V8 sees no reason for a scavenge of a millisecond, and after 64 MB marks the whole heap.
 */
export class BufferGarbage {
  #collect: (() => void) | null;
  #bytes = 0;

  /** `collect`: takes the place of V8's collector. */
  constructor(collect: (() => void) | null = null) {
    this.#collect = collect;
  }

  /** Counts bytes of buffers that will be dropped soon. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < collectedBytes) return;
    this.#bytes = 0;
    this.#collect ??= youngCollector();
    this.#collect();
  }
}

/** V8's collector of young objects, which only a new context gets once the flag is set. */
export function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
}
