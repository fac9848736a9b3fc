import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { EngineDied, isNoSpace, isOutOfMemory } from '../host/engineFailure.ts';

/** How often work is tried that finds no memory: with the pauses of the settings, for five seconds. */
export const memoryAttemptsMax = 50;

/** Repeats work that found no memory: a query can hold all of the engine's for a moment. @throws what the last attempt does */
export async function whileOutOfMemory<T>(pauseMs: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isOutOfMemory(error) || attempt >= memoryAttemptsMax) throw error;
      await delay(pauseMs);
    }
  }
}

/** What is told to whoever asked for a change of the event files that the engine could not make; nothing was changed. */
export function fileChangeError(error: unknown): unknown {
  if (isNoSpace(error)) {
    return new ServiceError(
      'service.disk_full',
      'The disk of the service has no room for the new event file that the change needs, so nothing was changed. Call again later; whoever operates the service must make room.',
      { retryAfterSeconds: 15, cause: error },
    );
  }
  if (isOutOfMemory(error)) {
    return new ServiceError(
      'ingest.overloaded',
      'Queries hold the memory that a new event file needs, so nothing was changed. Call again in a few seconds.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
  if (error instanceof EngineDied) {
    return new ServiceError(
      'engine.restarting',
      'The query engine ended under the change and is being restarted. Call again in a few seconds.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
  return error;
}
