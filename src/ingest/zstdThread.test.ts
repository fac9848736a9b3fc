import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { decompress, zstdRepeats } from './decompress.fixture.ts';

const bytesMax = 8 * 1024 * 1024;
/** What is decoded on a thread: twenty blocks that declare no size. */
const body = zstdRepeats(20, 100_000);

afterEach(() => {
  process.removeAllListeners('worker');
});

describe('a thread that fails is no fault of the body', () => {
  test.each<[string, (worker: Worker) => void]>([
    ['ends without a word', (worker) => void worker.terminate()],
    ['fails', (worker) => void worker.emit('error', new Error('out of memory'))],
  ])('that %s: all that it was to decode is refused for now, and what comes after it is decoded', async (_, harm) => {
    process.once('worker', harm);
    const both = await Promise.allSettled([decompress(body, 'zstd', bytesMax), decompress(body, 'zstd', bytesMax)]);
    for (const outcome of both) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'ingest.overloaded', status: 503, retryAfterSeconds: 1, cause: expect.any(Error) },
      });
    }
    expect((await decompress(body, 'zstd', bytesMax)).length).toBe(2_000_000);
  });
});
