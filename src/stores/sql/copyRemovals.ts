import type { StoreDatabase } from './schema.ts';
import { SqlRetentionStore } from './sqlRetentionStore.ts';

/**
 * Copies the records of removed events: deletions with the counts of what they removed, and how far retention has removed
 * events. Updates the records that the target has.
 */
export async function copyRemovals(from: StoreDatabase, into: StoreDatabase): Promise<void> {
  const deletions = await from.selectFrom('event_deletions').selectAll().orderBy('boundary').execute();
  const counts = await from.selectFrom('event_deletion_sources').selectAll().execute();
  await into.transaction().execute(async (transaction) => {
    for (const row of deletions) {
      await transaction
        .insertInto('event_deletions')
        .values(row)
        .onConflict((conflict) => conflict.column('boundary').doUpdateSet({ completed_at: row.completed_at }))
        .execute();
    }
    for (const row of counts) {
      await transaction
        .insertInto('event_deletion_sources')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['boundary', 'source']).doUpdateSet({ events: row.events, bytes: row.bytes }),
        )
        .execute();
    }
  });
  await new SqlRetentionStore(into).change([], await new SqlRetentionStore(from).loadMarks());
}
