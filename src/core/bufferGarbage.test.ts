import { expect, it } from 'vitest';
import { BufferGarbage, youngCollector } from './bufferGarbage.ts';

const mebibyte = 1024 * 1024;

it('collects after each 4 MiB of buffers, however they are noted', () => {
  let collections = 0;
  const garbage = new BufferGarbage(() => collections++);
  const counts = [3 * mebibyte, mebibyte - 1, 1, 4 * mebibyte, 64 * mebibyte, 0].map((bytes) => {
    garbage.note(bytes);
    return collections;
  });
  expect(counts).toEqual([0, 0, 1, 2, 3, 3]);
});

it('frees buffers that are dropped, and exposes no collector to other code', () => {
  const collect = youngCollector();
  const before = process.memoryUsage().arrayBuffers;
  fill(16);
  collect();
  // Another collection waits for the bytes of the first.
  collect();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * mebibyte);
  expect('gc' in globalThis).toBe(false);
});

function fill(count: number): void {
  for (let i = 0; i < count; i++) new Uint8Array(mebibyte).fill(i);
}
