import type { Kysely } from 'kysely';
import type { StoreSchema } from './schema.ts';

export interface GenerationTables {
  readonly generations: {
    /** What is counted: `tokens`, `endpoints`. */
    readonly subject: string;
    readonly generation: number;
  };
}

/**
 * Counts the changes of one subject in the database itself, in the transaction of each change, so
 * that another process finds out by reading one number whether what it holds in memory still stands.
 */
export class Generation {
  readonly #database: Kysely<StoreSchema>;
  readonly #subject: 'tokens' | 'endpoints';
  #ownChanges = 0;

  constructor(database: Kysely<StoreSchema>, subject: 'tokens' | 'endpoints') {
    this.#database = database;
    this.#subject = subject;
  }

  async read(): Promise<number> {
    const row = await this.#database
      .selectFrom('generations')
      .select('generation')
      .where('subject', '=', this.#subject)
      .executeTakeFirst();
    return row?.generation ?? 0;
  }

  get ownChanges(): number {
    return this.#ownChanges;
  }

  /** Runs `work` in one transaction; what it returns is there once the change is durable. */
  async change<T>(work: (transaction: Kysely<StoreSchema>) => Promise<T>): Promise<T> {
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
