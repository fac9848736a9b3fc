import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { readWholeRows } from '../read/wholeResult.ts';

/** The engine's answer if it ran out of memory; it says nothing about the statement. */
const withoutMemory = /^\{"error":true,"error_type":"out of memory"/i;

/** A prepared question, in a transaction that is never ended: it reads no table, so it holds nothing. */
interface Question {
  readonly connection: DuckDBConnection;
  readonly statement: DuckDBPreparedStatement;
}

/**
 * Asks the engine how it parses a statement. A question is prepared for each one that is asked at the same time, on a
 * separate connection; it reads no table, so it can run while the statement itself is prepared on another one.
 */
export class StatementParser {
  readonly #instance: DuckDBInstance;
  readonly #idle: Question[] = [];

  constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /**
   * Returns the statement's tree as JSON, from the engine's parser. For a text that it cannot read, the tree says so.
   *
   * @throws the engine's error
   */
  async serialise(sql: string): Promise<string> {
    const question = this.#idle.pop() ?? (await this.#prepare());
    try {
      question.statement.bindVarchar(1, sql);
      const rows = await readWholeRows(question.connection, async () => await question.statement.run());
      const tree = String(rows[0]?.[0]);
      if (withoutMemory.test(tree)) throw new Error('Out of Memory Error: the statement could not be read');
      this.#idle.push(question);
      return tree;
    } catch (error) {
      question.statement.destroySync();
      question.connection.closeSync();
      throw error;
    }
  }

  async #prepare(): Promise<Question> {
    const connection = await this.#instance.connect();
    await connection.run('BEGIN TRANSACTION READ ONLY');
    return { connection, statement: await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)') };
  }
}
