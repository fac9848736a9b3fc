import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { timeLimit } from '../../../core/concurrency/timeLimit.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Timer } from '../../../core/timer.ts';
import type { RequestSettings } from '../connection/clickhouseServer.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { ClickHouseFailure, withoutRepeatedValues } from '../connection/failure.ts';
import type { Shards } from '../connection/shards.ts';
import { mayPass, nextPause } from '../connection/untilAnswered.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { quoteIdentifier } from '../sqlText.ts';

/** One INSERT: rows of one source and shard. */
export interface RowInsert {
  /** The stored table, for statements. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly shard: number;
  /** In RowBinary. */
  readonly body: Buffer;
  /** Names these rows, and no others, forever. */
  readonly token: string;
}

export interface InsertRowsOptions {
  readonly servers: ClickHouseServers;
  readonly shards: () => Shards;
  readonly settings: ClickHouseSettings;
  /** Whether the tables are replicated. */
  readonly isReplicated: boolean;
  readonly timer: Timer;
}

/** Stores rows in ClickHouse, each INSERT once, whatever its connection does. */
export class InsertRows {
  readonly #options: InsertRowsOptions;
  readonly #running: Semaphore;

  constructor(options: InsertRowsOptions) {
    this.#options = options;
    this.#running = new Semaphore(options.settings.insertsMax);
  }

  /**
   * Resolves when every INSERT is stored. Rejects with `ingest.overloaded` if ClickHouse did not store them in time, with
   * `ingest.disk_full`, or with the failure of an INSERT that no repetition can help. Some may be stored in that case.
   */
  async store(inserts: readonly RowInsert[]): Promise<void> {
    const { timer, settings } = this.#options;
    const patience = timeLimit(timer, settings.commitMs);
    const outcomes = await Promise.allSettled(
      inserts.map(async (insert) => await this.#running.run(async () => await this.#storeOne(insert, patience.signal))),
    );
    patience.end();
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #storeOne(insert: RowInsert, giveUp: AbortSignal): Promise<void> {
    for (let pauseMs = nextPause(); ; pauseMs = nextPause(pauseMs)) {
      try {
        return await this.#send(insert, giveUp);
      } catch (error) {
        if (error instanceof ClickHouseFailure && error.kind === 'disk') throw diskFull(error);
        if (giveUp.aborted) throw overloaded(error);
        if (!mayPass(error)) throw error;
      }
      try {
        await delay(pauseMs, undefined, { signal: giveUp });
      } catch (error) {
        throw overloaded(error);
      }
    }
  }

  async #send({ table, columns, shard, body, token }: RowInsert, giveUp: AbortSignal): Promise<void> {
    const { servers, shards, settings, isReplicated, timer } = this.#options;
    const among = shards().serversOf(shard);
    const statement = insertStatement(table, columns);
    const requestSettings = insertSettings(token, settings, isReplicated);
    await servers.ask(
      async (server) => {
        const attempt = timeLimit(timer, settings.insertMs);
        try {
          const answer = await server.text(
            { statement, settings: requestSettings, body },
            AbortSignal.any([giveUp, attempt.signal]),
          );
          if (answer !== '')
            throw new ClickHouseFailure('uncertain', `an INSERT was answered: ${answer.slice(0, 500)}`);
        } catch (error) {
          if (error instanceof ClickHouseFailure) throw withoutRepeatedValues(error);
          throw new ClickHouseFailure('unreachable', 'an INSERT was not answered in time', null, error);
        } finally {
          attempt.end();
        }
      },
      { among, attemptsMax: among.size },
    );
  }
}

export function insertStatement(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.map(quoteIdentifier).join(', ')}) FORMAT RowBinary`;
}

export function insertSettings(token: string, settings: ClickHouseSettings, isReplicated: boolean): RequestSettings {
  return {
    // Later releases buffer inserts unless they are told not to.
    async_insert: 0,
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    // One block, whatever the server's defaults: a repeated INSERT that is cut otherwise would be stored again in part.
    max_insert_block_size: settings.insertRowsMax,
    min_insert_block_size_rows: 0,
    min_insert_block_size_bytes: 0,
    input_format_parallel_parsing: 0,
    // Events may come from any number of weeks.
    max_partitions_per_insert_block: 0,
    max_execution_time: settings.insertMs / 1000,
    timeout_overflow_mode: 'throw',
    wait_end_of_query: 1,
    ...(isReplicated
      ? {
          insert_quorum: String(settings.quorum),
          insert_quorum_parallel: 1,
          insert_quorum_timeout: settings.insertMs,
        }
      : {}),
  };
}

function overloaded(cause: unknown): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'The event store did not take the events in time, and nothing in this batch was stored. Send it again in a few seconds.',
    { retryAfterSeconds: 5, cause },
  );
}

function diskFull(cause: unknown): ServiceError {
  return new ServiceError(
    'ingest.disk_full',
    'The event store has no space left, and nothing in this batch was stored.',
    { retryAfterSeconds: 60, cause },
  );
}
