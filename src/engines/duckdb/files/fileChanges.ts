import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { EngineDied, isNoSpace, isOutOfMemory } from '../host/engineFailure.ts';

/** Attempts for work that runs out of memory: with the pauses of the settings, for five seconds. */
export const memoryAttemptsMax = 50;

/**
 * Repeats work that ran out of memory, because a query can hold all of the engine's memory for a moment. @throws the
 * error of the last attempt
 */
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

/** The error for a caller whose change of the segments the engine could not make; nothing was changed. */
export function fileChangeError(error: unknown): unknown {
  if (isNoSpace(error)) return noSpaceForChange(error);
  if (isOutOfMemory(error)) {
    return new ServiceError(
      'ingest.overloaded',
      'Queries hold the memory that a new segment needs, so nothing was changed. Try again in a few seconds.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
  if (error instanceof EngineDied) {
    return new ServiceError(
      'engine.restarting',
      'The query engine ended during the change and is being restarted. Try again in a few seconds.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
  return error;
}

/** The error for a change of the segments that needs another segment, on a disk without space for it. */
export function noSpaceForChange(cause?: unknown): ServiceError {
  return new ServiceError(
    'service.disk_full',
    'The disk of the service has no space for the new segment that a deletion of events or a new source needs, so nothing was changed. Try again after the operator of the service has freed some space, such as with LOGMILL_DISK_BUDGET.',
    { retryAfterSeconds: 15, cause },
  );
}
