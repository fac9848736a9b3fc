import type { DuckDBInstance } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { Mutex } from '../../../../core/concurrency/mutex.ts';
import { RefusedFrame } from '../callFailure.ts';
import { isolationBreach, longStatementChars } from './isolationCheck.ts';
import { StatementParser } from './statementParser.ts';
import { statementShape } from './statementShape.ts';

/** Characters of all cached statements together, of at most two bytes each. */
const knownCharsMax = 2_000_000;

/** A statement that has passed: one SELECT that reads only the projects of its call. */
export interface PassedStatement {
  /** Size of its last result; infinite if it is unknown. */
  resultBytes: number;
}

interface StatementOfCall {
  readonly sql: string;
  readonly projects: readonly string[] | null;
  readonly held?: readonly string[];
}

/**
 * Runs the isolation check (isolationCheck.ts) on statements. Whether a text is restricted to a list of projects
 * depends only on the two, not on the times and numbers in the text (statementShape.ts). So a statement that passed is
 * cached under its whole shape and list, and others with the same pass without being parsed: a dashboard of the last
 * hour asks for another time in each call. Rejected statements are not cached.
 */
export class CheckedStatements {
  readonly #parser: StatementParser;
  readonly #longOnes = new Mutex();
  readonly #passed = new LRUCache<string, PassedStatement>({
    maxSize: knownCharsMax,
    sizeCalculation: (_, key) => key.length,
  });

  constructor(instance: DuckDBInstance) {
    this.#parser = new StatementParser(instance);
  }

  /** Facts about statements of exactly this shape if one has passed for exactly these projects (null: all); or undefined. */
  passed(sql: string, projects: readonly string[] | null, held: readonly string[] = []): PassedStatement | undefined {
    return this.#passed.get(keyOf(sql, projects, held));
  }

  /** @throws RefusedFrame if the engine's own parser finds a read of events that is not restricted to the projects */
  async requireHeld(sql: string, projects: readonly string[], held: readonly string[] = []): Promise<void> {
    const look = async () => isolationBreach(await this.#parser.serialise(sql), projects, held);
    const breach = sql.length < longStatementChars ? await look() : await this.#longOnes.run(look);
    if (breach !== null) throw new RefusedFrame(`the statement is not held to the projects of its call: ${breach}`);
    this.#remember(sql, projects, held);
  }

  /** Remembers a statement that may read every project. The engine must have prepared it as one SELECT. */
  rememberSelect(sql: string, held: readonly string[] = []): void {
    this.#remember(sql, null, held);
  }

  /** Notes the size of a result of a statement that has passed. */
  noteResult({ sql, projects, held }: StatementOfCall, bytes: number): void {
    const known = this.passed(sql, projects, held);
    if (known !== undefined) known.resultBytes = bytes;
  }

  #remember(sql: string, projects: readonly string[] | null, held: readonly string[]): void {
    const key = keyOf(sql, projects, held);
    if (!this.#passed.has(key)) this.#passed.set(key, { resultBytes: Number.POSITIVE_INFINITY });
  }
}

/** The JSON lists end at their brackets, so no two have the same key. */
function keyOf(sql: string, projects: readonly string[] | null, held: readonly string[]): string {
  return JSON.stringify([projects, held]) + statementShape(sql);
}
