import { ServiceError } from '../core/errors.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { StoreContact } from '../ports/storeContact.ts';

/** Rejects calls when what this node knows of the shared store is too old. */
export function requireStore({ isTooOld }: StoreContact): void {
  if (!isTooOld) return;
  throw new ServiceError(
    'service.store_unavailable',
    'The database of definitions and tokens has not answered for longer than LOGMILL_STORE_STALE_MAX allows.',
    { retryAfterSeconds: 2 },
  );
}

const readyWithinMs = 1000;

/** Checks that the engine answers soon. Rejects with `engine.restarting`. */
export async function checkEngine(storage: StorageEngine): Promise<void> {
  try {
    await storage.ping(AbortSignal.timeout(readyWithinMs));
  } catch (cause) {
    throw new ServiceError(
      'engine.restarting',
      'The query engine does not answer at present. Try again in a few seconds.',
      {
        cause,
        retryAfterSeconds: 1,
      },
    );
  }
}
