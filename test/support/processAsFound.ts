import { afterAll } from 'vitest';

/**
 * Most test files share the process of a worker, and some run commands in it that change the process: `serve` lets nobody
 * else read the files that it makes. Each file hands the process on with the file mode mask with which it got it.
 */
const mask = process.umask();
afterAll(() => {
  process.umask(mask);
});
