import type { DuckDBInstance } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { Mutex } from '../../../../core/concurrency/mutex.ts';
import { RefusedFrame } from '../callFailure.ts';
import { longStatementChars, tenantBreach } from './projectIsolation.ts';
import { StatementParser } from './statementParser.ts';
import { statementShape } from './statementShape.ts';

/** Characters of all statements together that are remembered; two bytes each at most. */
const knownCharsMax = 2_000_000;

/**
 * Passes statements through the isolation check (projectIsolation.ts). Whether a text keeps to a list of
 * projects is decided by the two alone, whatever the times and numbers in it (statementShape.ts), so that a statement
 * which has passed is known by its shape and that list, both whole, and one of the same passes without being parsed: a
 * dashboard of the last hour asks for another time in each call. What is refused is not remembered.
 */
export class TenantCheck {
  readonly #parser: StatementParser;
  readonly #longOnes = new Mutex();
  readonly #passed = new LRUCache<string, true>({
    maxSize: knownCharsMax,
    sizeCalculation: (_, key) => key.length,
  });

  constructor(instance: DuckDBInstance) {
    this.#parser = new StatementParser(instance);
  }

  /** Whether a statement of exactly this shape has passed for exactly these projects. */
  hasPassed(sql: string, projects: readonly string[]): boolean {
    return this.#passed.get(keyOf(sql, projects)) === true;
  }

  /** @throws RefusedFrame where the engine's own parser sees a read of events that is not held to the projects. */
  async requireHeld(sql: string, projects: readonly string[]): Promise<void> {
    const look = async () => tenantBreach(await this.#parser.serialise(sql), projects);
    const breach = sql.length < longStatementChars ? await look() : await this.#longOnes.run(look);
    if (breach !== null) throw new RefusedFrame(`the statement is not held to the projects of its call: ${breach}`);
    this.#passed.set(keyOf(sql, projects), true);
  }
}

/** A list in JSON ends where its bracket closes, so that no two pairs have the same key. */
function keyOf(sql: string, projects: readonly string[]): string {
  return JSON.stringify(projects) + statementShape(sql);
}
