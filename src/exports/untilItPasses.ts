import { errorCatalogue } from '../core/errorCatalogue.ts';
import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';

/** How often work is tried, and how long to wait after an error that does not say it. */
const attemptsMax = 5;
const retryAfterMs = 1_000;

/** Does the work of an export, again after errors that may pass: it may have taken an hour so far. */
export async function untilItPasses<T>(work: () => Promise<T>, timer: Timer, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (attempt >= attemptsMax) throw error;
      await waitAfter(error, timer, signal);
    }
  }
}

/** Waits as long as an error says that may pass; rejects with other errors, and with the reason of the signal. */
export async function waitAfter(error: unknown, timer: Timer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!mayPass(error)) throw error;
  const seconds = error.retryAfterSeconds;
  await wait(seconds === undefined ? retryAfterMs : seconds * 1000, timer, signal);
}

function mayPass(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 503 && errorCatalogue[error.code].retryable;
}

function wait(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timer.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
