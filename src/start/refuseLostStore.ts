import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasStore } from '../stores/sqlite/hasStore.ts';
import { StartError } from './startError.ts';

/**
 * Throws a StartError where a data folder has files of events and no store, or an empty one; DamagedStore where it is damaged. The store is made first and says which of
 * their events were deleted, and who may read them: with a new one, deleted events would be there again, and tokens,
 * definitions and retention would not.
 */
export function refuseLostStore(dataDir: string): void {
  const events = join(dataDir, 'events');
  if (!existsSync(events)) return;
  const [found] = readdirSync(events).filter((name) => name.endsWith('.duckdb'));
  if (found === undefined || hasStore(dataDir)) return;
  throw new StartError(
    `The data folder ${dataDir} holds events (events/${found}) and no store.sqlite with tables, which say who may read them and what of them was deleted. ` +
      'Put it back, or restore a backup into another folder with "logmill restore". To go without these events, move the folder "events" away.',
  );
}
