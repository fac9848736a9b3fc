import type { DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';

/** What the engine answers where it found no memory to read the statement with: not a word about the statement. */
const withoutMemory = /^\{"error":true,"error_type":"out of memory"/i;

/**
 * Has the engine show how it reads a statement. The question is prepared once for each that is asked
 * at the same time, on a connection of its own: it reads no table, and can be asked while the statement
 * itself is prepared on another one.
 */
export class StatementParser {
  readonly #instance: DuckDBInstance;
  readonly #idle: DuckDBPreparedStatement[] = [];

  constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /**
   * The statement's tree as JSON, as the engine's parser makes it; a text that it cannot read gives a tree that says so.
   *
   * @throws the engine's error.
   */
  async serialise(sql: string): Promise<string> {
    const question = this.#idle.pop() ?? (await this.#prepare());
    try {
      question.bindVarchar(1, sql);
      const answer = await question.runAndReadAll();
      const tree = String(answer.getRows()[0]?.[0]);
      if (withoutMemory.test(tree)) throw new Error('Out of Memory Error: the statement could not be read');
      this.#idle.push(question);
      return tree;
    } catch (error) {
      question.destroySync();
      throw error;
    }
  }

  async #prepare(): Promise<DuckDBPreparedStatement> {
    const connection = await this.#instance.connect();
    return await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  }
}
