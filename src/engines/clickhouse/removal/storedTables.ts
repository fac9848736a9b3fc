import type { RequestSettings } from '../connection/clickhouseServer.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { meaningSettings } from '../connection/readSettings.ts';
import type { Shards } from '../connection/shards.ts';
import { textWithin } from '../connection/textWithin.ts';
import { quoteText } from '../sqlText.ts';
import { storedTable, type TablePlace, tableNames } from '../tables/tableLayout.ts';

export interface StoredTablesOptions {
  readonly servers: ClickHouseServers;
  readonly shards: () => Shards;
  readonly place: TablePlace;
  /** Time of a statement that changes rows. Milliseconds. */
  readonly changeMs: number;
}

export interface CountedRows {
  /** One for each condition. */
  readonly rows: readonly number[];
  /** Estimated size of the events that fulfil any of the conditions. */
  readonly bytes: number;
}

/** The tables that hold the rows, over all shards. Conditions are those of ClickHouse, on the columns of a source. */
export class StoredTables {
  readonly #options: StoredTablesOptions;

  constructor(options: StoredTablesOptions) {
    this.#options = options;
  }

  async count(source: string, conditions: readonly string[]): Promise<CountedRows> {
    const statement = countStatement(this.#table(source), conditions);
    const ofShards = await this.#onEachShard<readonly number[]>(statement, (text) => numbersOf(text));
    const sums = [...conditions, 'bytes'].map((_, n) => ofShards.reduce((sum, row) => sum + (row[n] ?? 0), 0));
    return { rows: sums.slice(0, -1), bytes: sums.at(-1) ?? 0 };
  }

  /** Removes rows. Resolves when every replica that can be reached has removed them. */
  async delete(source: string, condition: string): Promise<void> {
    await this.#onEachShard(deleteStatement(this.#table(source), condition), () => null);
  }

  /** The partitions that hold rows (createTable.ts, weekExpression). */
  async partitions(source: string): Promise<readonly number[]> {
    const { place } = this.#options;
    const statement = partitionsStatement(place.database, tableNames(source, place).stored);
    const ofShards = await this.#onEachShard(statement, (text) => text.split('\n').filter(Boolean).map(Number));
    return [...new Set(ofShards.flat())];
  }

  async dropPartition(source: string, partition: number): Promise<void> {
    await this.#onEachShard(`ALTER TABLE ${this.#table(source)} DROP PARTITION ${partition}`, () => null);
  }

  /** The highest number in the column that is at least `from`; null if there is none. `withinMs`: for each shard. */
  async highest(source: string, column: string, from: number, withinMs?: number): Promise<number | null> {
    const statement = `SELECT count(), max(${column}) FROM ${this.#table(source)} WHERE ${column} >= ${from} FORMAT TabSeparated`;
    const ofShards = await this.#onEachShard(statement, (text) => numbersOf(text), withinMs);
    const found = ofShards.flatMap(([rows = 0, highest = 0]) => (rows === 0 ? [] : [highest]));
    return found.length === 0 ? null : Math.max(...found);
  }

  #table(source: string): string {
    return storedTable(this.#options.place, source);
  }

  async #onEachShard<T>(
    statement: string,
    parse: (text: string) => T,
    changeMs = this.#options.changeMs,
  ): Promise<readonly T[]> {
    const { servers, shards } = this.#options;
    const { count, serversOf } = shards();
    const results: T[] = [];
    for (let shard = 0; shard < count; shard++) {
      const among = serversOf(shard);
      const text = await servers.ask(
        async (server) => await textWithin(server, { statement, settings: changeSettings(changeMs) }, changeMs + 5_000),
        { among, attemptsMax: among.size },
      );
      results.push(parse(text));
    }
    return results;
  }
}

export function countStatement(table: string, conditions: readonly string[]): string {
  const counts = conditions.map((condition) => `countIf(${condition})`);
  const any = conditions.map((condition) => `(${condition})`).join(' OR ');
  const bytes = "sum(length(event_message) + length(ifNull(metadata, '')))";
  return `SELECT ${[...counts, bytes].join(', ')} FROM ${table} WHERE ${any} FORMAT TabSeparated`;
}

export function deleteStatement(table: string, condition: string): string {
  return `DELETE FROM ${table} WHERE ${condition}`;
}

export function partitionsStatement(database: string, table: string): string {
  return `SELECT DISTINCT partition FROM system.parts WHERE active AND database = ${quoteText(database)} AND table = ${quoteText(table)} FORMAT TabSeparated`;
}

/** Settings of statements that read or change rows for the engine itself. */
export function changeSettings(changeMs: number): RequestSettings {
  return {
    ...meaningSettings,
    max_execution_time: changeMs / 1000,
    timeout_overflow_mode: 'throw',
    // Done on every replica when it is answered.
    lightweight_deletes_sync: 2,
    mutations_sync: 2,
    alter_sync: 2,
    wait_end_of_query: 1,
  };
}

function numbersOf(text: string): readonly number[] {
  return text.trim().split('\t').map(Number);
}
