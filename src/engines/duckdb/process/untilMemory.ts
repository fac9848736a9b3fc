import { setTimeout } from 'node:timers/promises';

/** Together five seconds: then a new process, which takes about one second, is the shorter interruption. */
const attemptsMax = 250;
const pauseMs = 20;

/**
 * Repeats a step that must not be left out, such as the end of a transaction, while queries hold all of the engine's
 * memory. Even a statement without rows needs some for its result.
 *
 * @throws the last error of the step
 */
export async function untilMemory<T>(step: () => Promise<T> | T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (!/Out of Memory Error:/i.test(String(error)) || attempt === attemptsMax) throw error;
    }
    await setTimeout(pauseMs);
  }
}
