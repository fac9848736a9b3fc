import { type ChangeFeed, type Generations, type SharedSubject, sharedSubjects } from '../../ports/changeFeed.ts';
import type { StoreDatabase } from './schema.ts';

/** Reads the change counts of the stores in one database (generation.ts). */
export class SqlChangeFeed implements ChangeFeed {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async read(): Promise<Generations> {
    const rows = await this.#database.selectFrom('generations').selectAll().execute();
    const found = new Map(rows.map(({ subject, generation }) => [subject, generation]));
    const of = (subject: SharedSubject) => [subject, found.get(subject) ?? 0] as const;
    return Object.fromEntries(sharedSubjects.map(of)) as Record<SharedSubject, number>;
  }
}
