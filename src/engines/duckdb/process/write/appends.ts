import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  BIGINT,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import { syncPath } from '../../../../files/durableFiles.ts';
import { type LedgerTable, ledgerInFile, ledgerSchema } from '../../log/commitMetadata.ts';
import { quoteText } from '../../sqlText.ts';
import type { EngineCalls } from '../protocol.ts';
import { readRows } from '../read/wholeResult.ts';
import { begin, rollBack } from '../transaction.ts';
import { untilMemory } from '../untilMemory.ts';
import { BatchReader } from './batchReader.ts';

const chunkRowsMax = 2048;

const ledgerColumns: Readonly<Record<LedgerTable, readonly DuckDBType[]>> = {
  file: [BIGINT],
  commits: [VARCHAR],
  identities: [VARCHAR, VARCHAR, VARCHAR, BIGINT],
  irregular: [VARCHAR, VARCHAR, VARCHAR],
};

/** Writes into active segments. Calls must come one after another. */
export class Appends {
  readonly #connection: DuckDBConnection;
  readonly #syncedLogs = new Map<string, number>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Stores all batches with their ledger rows in one commit, or nothing. Resolves when it is durable. */
  async append(call: EngineCalls['append']['takes'], payload: Buffer): Promise<void> {
    await begin(this.#connection, 'READ WRITE');
    try {
      await this.#appendBatches(call, payload);
      await this.ledger(call.alias, 'commits', [[call.commitId]]);
      await this.ledger(call.alias, 'irregular', call.irregular);
      await this.ledger(
        call.alias,
        'identities',
        call.identities.map(([key, digest, answer, micros]) => [key, digest, answer, BigInt(micros)]),
      );
      await this.#connection.run('COMMIT');
    } catch (error) {
      await rollBack(this.#connection).catch((cause: unknown) => {
        throw notTakenBack(cause);
      });
      throw error;
    }
    await this.#syncLogEntry(call.path);
  }

  async #appendBatches(call: EngineCalls['append']['takes'], payload: Buffer): Promise<void> {
    const appenders = new Map<string, DuckDBAppender>();
    try {
      let at = 0;
      let number = 0;
      for (const { layout, bytes, first = number } of call.batches) {
        number = first;
        const batch = new BatchReader(layout, payload.subarray(at, at + bytes));
        at += bytes;
        if (batch.rowCount === 0) continue;
        const known = appenders.get(layout.table);
        const appender = known ?? (await this.#connection.createAppender(layout.table, 'main', call.alias));
        appenders.set(layout.table, appender);
        for (const chunk of batch.chunks(number === 0 ? null : number)) {
          appender.appendDataChunk(chunk);
          // Gives statements a turn; all parts at once would block them for too long.
          await setImmediate();
        }
        // The other parts of a batch without numbers have none either.
        if (number > 0) number += batch.rowCount;
      }
      for (const appender of appenders.values()) appender.flushSync();
    } finally {
      for (const appender of appenders.values()) await closeAppender(appender);
    }
  }

  /** Adds ledger rows in the open transaction of the connection. */
  async ledger(alias: string, table: LedgerTable, rows: readonly (readonly DuckDBValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    const types = ledgerColumns[table];
    const appender = await this.#connection.createAppender(table, ledgerSchema, alias);
    try {
      for (let first = 0; first < rows.length; first += chunkRowsMax) {
        const some = rows.slice(first, first + chunkRowsMax);
        const chunk = DuckDBDataChunk.create(types, some.length);
        for (const column of types.keys()) {
          chunk.setColumnValues(
            column,
            some.map((row) => row[column] ?? null),
          );
        }
        appender.appendDataChunk(chunk);
      }
      appender.flushSync();
    } finally {
      await closeAppender(appender);
    }
  }

  async findCommit(alias: string, commitId: string): Promise<boolean> {
    const rows = await readRows(
      this.#connection,
      `SELECT 1 FROM ${ledgerInFile(alias, 'commits')} WHERE commit_id = ${quoteText(commitId)} LIMIT 1`,
    );
    return rows.length > 0;
  }

  /**
   * The engine syncs its log at every commit, but not the directory entry of a new log; without that, a power loss
   * could lose the log itself.
   */
  async #syncLogEntry(path: string): Promise<void> {
    const log = statSync(`${path}.wal`, { throwIfNoEntry: false });
    if (log === undefined || this.#syncedLogs.get(path) === log.ino) return;
    await syncPath(dirname(path));
    this.#syncedLogs.set(path, log.ino);
  }
}

/** A failed appender keeps its rows, and would write them when it is collected; it must drop them. */
async function closeAppender(appender: DuckDBAppender): Promise<void> {
  try {
    await untilMemory(() => appender.clear());
    await untilMemory(() => appender.closeSync());
  } catch (cause) {
    throw notTakenBack(cause);
  }
}

/**
 * Ends the process, which drops everything uncommitted: rows that an appender still holds could be written with a later
 * batch, and an open transaction rejects every later one. Both happen if queries hold all memory.
 */
function notTakenBack(cause: unknown): Error {
  return new Error(`FATAL Error: a failed append could not be taken back: ${String(cause)}`, { cause });
}
