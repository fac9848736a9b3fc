import type { PageSecret, PageSecretStore } from '../../ports/pageSecrets.ts';
import type { StoreDatabase } from './schema.ts';

/** The secrets of page cursors in the store's database. */
export class SqlPageSecrets implements PageSecretStore {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async load(): Promise<readonly PageSecret[]> {
    const rows = await this.#database.selectFrom('page_secrets').selectAll().orderBy('month').execute();
    return rows.map(({ month, secret }) => ({ month, secret: Buffer.from(secret, 'base64') }));
  }

  async add({ month, secret }: PageSecret): Promise<readonly PageSecret[]> {
    // Another node may add one for the same month: the first one counts.
    await this.#database
      .insertInto('page_secrets')
      .values({ month, secret: Buffer.from(secret).toString('base64') })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.#database
      .deleteFrom('page_secrets')
      .where('month', '<', month - 1)
      .execute();
    return await this.load();
  }
}
