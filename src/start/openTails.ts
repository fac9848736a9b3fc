import type { Randomness } from '../core/ids.ts';
import type { InvokeServices } from '../invoke/invokeServices.ts';
import { CursorKeys } from '../invoke/pages/cursorKeys.ts';
import { TailIds } from '../invoke/tail/tailIds.ts';
import { Tails } from '../invoke/tail/tails.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { DefinitionStores } from './definitionStores.ts';
import type { Settings } from './settings.ts';

/** The tails of a process. Their IDs are read by every process with the same store. */
export function openTails(
  services: InvokeServices,
  storage: StorageEngine,
  { pageSecrets }: Pick<DefinitionStores, 'pageSecrets'>,
  { resultBytesMax }: Pick<Settings, 'resultBytesMax'>,
  randomness: Randomness,
): Tails {
  // A tail reads the same members again and again, which is no further query.
  const { memberReads: _, ...reading } = services;
  return new Tails({
    ...reading,
    ids: new TailIds(new CursorKeys(pageSecrets, services.clock, randomness, 'tails'), randomness),
    engineEvents: storage,
    resultBytesMax,
  });
}
