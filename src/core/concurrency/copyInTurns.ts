import type { Pause } from './turns.ts';

/** Bytes that are copied at once: the first use of fresh memory is slow. */
export const copiedAtOnceMax = 1024 * 1024;

/** Copies `source` into `target` at `at`, in turns. */
export async function copyInTurns(source: Uint8Array, target: Uint8Array, at: number, pause: Pause): Promise<void> {
  for (let from = 0; from < source.byteLength; from += copiedAtOnceMax) {
    // Before the first part too, because many calls may begin to copy at once.
    if (pause.isDue(copiedAtOnceMax)) await pause.take();
    target.set(source.subarray(from, from + copiedAtOnceMax), at + from);
  }
}
