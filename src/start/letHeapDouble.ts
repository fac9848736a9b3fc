import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap of this process double before the collector looks at all of it. Bytes from sockets lie outside of the heap
 * but count for its growth, of which V8 allows little while a program waits for the collector: it ran ten times a second
 * while a stream was sent, and took half of the processor time (decision 113).
 */
export function letHeapDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
