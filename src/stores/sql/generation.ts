import type { Transaction } from 'kysely';
import type { SharedSubject } from '../../ports/changeFeed.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreDatabase, StoreSchema } from './schema.ts';

/**
 * Counts the changes of one subject in the database, in the transaction of each change. Another process reads one
 * number to find out whether its data in memory is current.
 *
 * A change counts before it does anything else. PostgreSQL then holds the subject's row until the commit, so changes of
 * one subject happen one after another there too, each on the result of the one before. In SQLite all changes do.
 */
export class Generation {
  readonly #database: StoreDatabase;
  readonly #subject: SharedSubject;
  readonly #current: RepeatedSelect<{ readonly generation: number }>;
  #ownChanges = 0;

  constructor(database: StoreDatabase, subject: SharedSubject) {
    this.#database = database;
    this.#subject = subject;
    this.#current = new RepeatedSelect(
      database,
      database.selectFrom('generations').select('generation').where('subject', '=', subject),
    );
  }

  async read(): Promise<number> {
    return (await this.#current.first(this.#subject))?.generation ?? 0;
  }

  get ownChanges(): number {
    return this.#ownChanges;
  }

  /** Runs `work` in one transaction. Its result is returned once the change is durable. */
  async change<T>(work: (transaction: Transaction<StoreSchema>) => Promise<T>): Promise<T> {
    const result = await this.#inTurn(1, work);
    this.#ownChanges += 1;
    return result;
  }

  /** Runs `work` like a change, but no node is told of it: it changes nothing that nodes hold in memory. */
  async unseen<T>(work: (transaction: Transaction<StoreSchema>) => Promise<T>): Promise<T> {
    return await this.#inTurn(0, work);
  }

  #inTurn<T>(added: number, work: (transaction: Transaction<StoreSchema>) => Promise<T>): Promise<T> {
    return this.#database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('generations')
        .values({ subject: this.#subject, generation: added })
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet((row) => ({ generation: row('generations.generation', '+', added) })),
        )
        .execute();
      return await work(transaction);
    });
  }
}
