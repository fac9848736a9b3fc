import type { StoreDatabase } from './schema.ts';
import { SqlRetentionStore } from './sqlRetentionStore.ts';

/**
 * Copies the records of removed events: deletions with the counts of what they removed, and how far retention has removed
 * events. The source must have carried out its deletions. Updates the records that the target has, and keeps its own.
 *
 * A deletion is known by its ID. Its boundary counts segments in one engine and arrival numbers in the other, so a deletion
 * of the target can have the same one. The copied deletion then gets a boundary above all others.
 */
export async function copyRemovals(from: StoreDatabase, into: StoreDatabase): Promise<void> {
  const deletions = await from.selectFrom('event_deletions').selectAll().orderBy('boundary').execute();
  const counts = await from.selectFrom('event_deletion_sources').selectAll().execute();
  await into.transaction().execute(async (transaction) => {
    const known = await transaction.selectFrom('event_deletions').select(['id', 'boundary']).execute();
    const boundaries = new Map(known.map(({ id, boundary }) => [id, boundary]));
    const taken = new Set(boundaries.values());
    let last = [...deletions, ...known].reduce((highest, { boundary }) => Math.max(highest, boundary), 0);
    const copied = new Map<number, number>();
    for (const deletion of deletions) {
      const free = taken.has(deletion.boundary) ? ++last : deletion.boundary;
      const boundary = boundaries.get(deletion.id) ?? free;
      copied.set(deletion.boundary, boundary);
      await transaction
        .insertInto('event_deletions')
        .values({ ...deletion, boundary })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ completed_at: deletion.completed_at }))
        .execute();
    }
    for (const { boundary: ofSource, source, events, bytes } of counts) {
      const boundary = copied.get(ofSource);
      if (boundary === undefined) throw new Error(`the counts of the deletion ${ofSource} belong to no deletion`);
      await transaction
        .insertInto('event_deletion_sources')
        .values({ boundary, source, events, bytes })
        .onConflict((conflict) => conflict.columns(['boundary', 'source']).doUpdateSet({ events, bytes }))
        .execute();
    }
  });
  await new SqlRetentionStore(into).change([], await new SqlRetentionStore(from).loadMarks());
}
