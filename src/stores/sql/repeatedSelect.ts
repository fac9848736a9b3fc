import type { CompiledQuery, Kysely } from 'kysely';
import type { StoreSchema } from './schema.ts';

/** A select that is written once and run with other values: to write it takes several times as long as to run it. */
export class RepeatedSelect<Row> {
  readonly #database: Kysely<StoreSchema>;
  readonly #written: CompiledQuery<Row>;

  /** `query` is compiled here; what it compares with stands for values of the same kind. */
  constructor(database: Kysely<StoreSchema>, query: { compile(): CompiledQuery<Row> }) {
    this.#database = database;
    this.#written = query.compile();
  }

  /** The first row with these values, in the order in which the query names them. */
  async first(...values: readonly (string | number | null)[]): Promise<Row | undefined> {
    const { parameters } = this.#written;
    if (values.length !== parameters.length) {
      throw new Error(`a select of ${parameters.length} values was given ${values.length}`);
    }
    const { rows } = await this.#database.executeQuery<Row>({ ...this.#written, parameters: values });
    return rows[0];
  }
}
