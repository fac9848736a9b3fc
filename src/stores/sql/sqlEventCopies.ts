import type { StoreDatabase } from './schema.ts';

/** The engines that events can be copied to. */
export type CopyTarget = 'embedded' | 'clickhouse';

/** The stores from which and to which events are being copied, by name. */
export interface UnfinishedCopy {
  readonly origin: string;
  readonly place: string;
}

/** Which copies of events have begun and not ended, so that nobody takes a part of the events for all of them. */
export class SqlEventCopies {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  /** Null if no copy to the target is unfinished. */
  async find(target: CopyTarget): Promise<UnfinishedCopy | null> {
    const found = await this.#database
      .selectFrom('event_copies')
      .select(['origin', 'place'])
      .where('target', '=', target)
      .executeTakeFirst();
    return found ?? null;
  }

  async begin(target: CopyTarget, { origin, place }: UnfinishedCopy): Promise<void> {
    await this.#database
      .insertInto('event_copies')
      .values({ target, origin, place })
      .onConflict((conflict) => conflict.column('target').doUpdateSet({ origin, place }))
      .execute();
  }

  async end(target: CopyTarget): Promise<void> {
    await this.#database.deleteFrom('event_copies').where('target', '=', target).execute();
  }
}
