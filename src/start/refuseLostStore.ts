import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasStore } from '../stores/sqlite/hasStore.ts';
import { StartError } from './startError.ts';

/**
 * Throws a StartError if a data folder has event files but no store or an empty one, and DamagedStore if the store is
 * damaged. The store records which events were deleted and who may read them. With a new store, deleted events would
 * return, and tokens, definitions and retention would be lost.
 */
export function refuseLostStore(dataDir: string): void {
  const events = join(dataDir, 'events');
  if (!existsSync(events)) return;
  const [found] = readdirSync(events).filter((name) => name.endsWith('.duckdb'));
  if (found === undefined || hasStore(dataDir)) return;
  throw new StartError(
    `The data folder ${dataDir} holds events (events/${found}) but no store.sqlite with tables, which record who may read them and which were deleted. ` +
      'Put the store back, or restore a backup into another folder with "logmill restore". To start without these events, move the folder "events" away.',
  );
}
