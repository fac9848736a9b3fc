import type { Kysely, Transaction } from 'kysely';
import type { SharedSubject } from '../../ports/changeFeed.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreSchema } from './schema.ts';

/**
 * Counts the changes of one subject in the database, in the transaction of each change. Another process reads one
 * number to find out whether its data in memory is current.
 */
export class Generation {
  readonly #database: Kysely<StoreSchema>;
  readonly #subject: SharedSubject;
  readonly #current: RepeatedSelect<{ readonly generation: number }>;
  #ownChanges = 0;

  constructor(database: Kysely<StoreSchema>, subject: SharedSubject) {
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
    const result = await this.#database.transaction().execute(async (transaction) => {
      const value = await work(transaction);
      await transaction
        .insertInto('generations')
        .values({ subject: this.#subject, generation: 1 })
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet((row) => ({ generation: row('generations.generation', '+', 1) })),
        )
        .execute();
      return value;
    });
    this.#ownChanges += 1;
    return result;
  }
}
