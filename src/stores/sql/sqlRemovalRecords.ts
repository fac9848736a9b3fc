import type { RemovedEvents } from '../../ports/fileManifest.ts';
import type { RemovalRecords } from '../../ports/removalRecords.ts';
import type { RetentionMark } from '../../retention/retentionMark.ts';
import { moveMarks } from './moveMarks.ts';
import type { StoreDatabase } from './schema.ts';

/** Records of removals in the store's database. */
export class SqlRemovalRecords implements RemovalRecords {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async countDeleted(removed: readonly RemovedEvents[]): Promise<void> {
    if (removed.length === 0) return;
    await this.#database
      .insertInto('event_deletion_sources')
      .values(removed.map(({ deletion, source, events, bytes }) => ({ boundary: deletion, source, events, bytes })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async advance(marks: readonly RetentionMark[]): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      await moveMarks(transaction, marks);
    });
  }
}
