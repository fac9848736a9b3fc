import type { Transaction } from 'kysely';
import type { RetentionMark } from '../../retention/retentionMark.ts';
import type { StoreSchema } from './schema.ts';

/** Moves the marks of retention forward, never back. */
export async function moveMarks(transaction: Transaction<StoreSchema>, marks: readonly RetentionMark[]): Promise<void> {
  for (const { source, project, micros } of marks) {
    await transaction
      .insertInto('retention_marks')
      .values({ source, project: project ?? '', micros })
      .onConflict((conflict) =>
        conflict.columns(['source', 'project']).doUpdateSet({ micros }).where('retention_marks.micros', '<', micros),
      )
      .execute();
  }
}
