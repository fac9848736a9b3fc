import type { Clock } from '../core/clock.ts';
import type { DeletionRecord, DeletionStore, EventDeletion } from '../retention/eventDeletion.ts';
import { Removals } from '../retention/removals.ts';
import { RetentionRules } from '../retention/retentionRules.ts';
import type { RetentionStore } from '../retention/retentionStore.ts';
import { serviceCalls, serviceCallsDays } from '../sources/serviceCalls.ts';
import type { Settings } from './settings.ts';

/** Removals that the storage is opened with, so that no query ever sees a removed event. */
export interface StoredRemovals {
  readonly removals: Removals;
  readonly openDeletions: readonly DeletionRecord[];
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  readonly deletionReopened: (deletion: EventDeletion) => Promise<void>;
}

export async function loadRemovals(
  { retentionDays }: Pick<Settings, 'retentionDays'>,
  retention: Pick<RetentionStore, 'load' | 'loadMarks'>,
  deletions: DeletionStore,
  clock: Clock,
): Promise<StoredRemovals> {
  const defaults = { days: retentionDays, bySource: new Map([[serviceCalls.name, serviceCallsDays]]) };
  const all = await deletions.load();
  const rules = new RetentionRules(defaults, await retention.load());
  const removals = new Removals(rules, all, await retention.loadMarks());
  for (const deletion of all) if (deletion.completedMicros !== null) removals.settle(deletion);
  return {
    removals,
    openDeletions: all.filter(({ completedMicros }) => completedMicros === null),
    deletionDone: ({ token }) => deletions.complete(token, clock.nowMicros()),
    deletionReopened: ({ token }) => deletions.reopen(token),
  };
}
