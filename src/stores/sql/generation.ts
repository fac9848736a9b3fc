import type { Transaction } from 'kysely';
import type { SharedSubject } from '../../ports/changeFeed.ts';
import { type GenerationSource, StoredGenerations } from './generationSource.ts';
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
  readonly #source: GenerationSource;
  #ownChanges = 0;

  constructor(
    database: StoreDatabase,
    subject: SharedSubject,
    source: GenerationSource = new StoredGenerations(database),
  ) {
    this.#database = database;
    this.#subject = subject;
    this.#source = source;
  }

  read(): Promise<number> {
    return this.#source.read(this.#subject);
  }

  get changesSeen(): number {
    return this.#ownChanges + this.#source.heard(this.#subject);
  }

  /** Runs `work` in one transaction. Its result is returned once the change is durable. */
  async change<T>(work: (transaction: Transaction<StoreSchema>) => Promise<T>): Promise<T> {
    const { generation, result } = await this.#inTurn(1, work);
    this.#source.made(this.#subject, generation);
    this.#ownChanges += 1;
    return result;
  }

  /** Runs `work` like a change, but no node is told of it: it changes nothing that nodes hold in memory. */
  async unseen<T>(work: (transaction: Transaction<StoreSchema>) => Promise<T>): Promise<T> {
    return (await this.#inTurn(0, work)).result;
  }

  #inTurn<T>(
    added: number,
    work: (transaction: Transaction<StoreSchema>) => Promise<T>,
  ): Promise<{ readonly generation: number; readonly result: T }> {
    return this.#database.transaction().execute(async (transaction) => {
      const { generation } = await transaction
        .insertInto('generations')
        .values({ subject: this.#subject, generation: added })
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet((row) => ({ generation: row('generations.generation', '+', added) })),
        )
        .returning('generation')
        .executeTakeFirstOrThrow();
      return { generation, result: await work(transaction) };
    });
  }
}
