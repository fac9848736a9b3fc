import type { StoreDatabase } from './schema.ts';

/** The engines that events can be copied to. */
export type CopyTarget = 'embedded' | 'clickhouse';

/** The names of the stores between which events are being copied. */
export interface UnfinishedCopy {
  readonly origin: string;
  readonly place: string;
}

/** Records the copies of events that have begun and not ended, so that no service starts with only a part of the events. */
export class SqlEventCopies {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  /** Returns the unfinished copy to the target; null if there is none. */
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
