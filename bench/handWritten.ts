import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api';
import type { EventFile } from '../src/engines/duckdb/files/eventFiles.ts';
import { SealedFile } from '../src/engines/duckdb/files/sealedFile.ts';
import { ordinalColumn } from '../src/engines/duckdb/files/tableLayout.ts';
import { quoteText } from '../src/engines/duckdb/sqlText.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import type { CallerQuery } from './callerQueries.ts';

/** The project's events later than a time, microseconds; null for all. */
export interface Asked {
  readonly project: string;
  readonly afterMicros: number | null;
}

export type Rows = readonly (readonly DuckDBValue[])[];

/** The segments that statements by hand read. */
export interface HandFiles {
  readonly sealed: readonly EventFile[];
  /** Names of the attached active files. */
  readonly active: readonly string[];
}

/** The engine alone on a copy of a data folder, with sealed and active segments, read-only and in this process. */
export class HandWritten {
  readonly #connection: DuckDBConnection;
  readonly #files: HandFiles;

  private constructor(connection: DuckDBConnection, files: HandFiles) {
    this.#connection = connection;
    this.#files = files;
  }

  static async open(copyDir: string): Promise<HandWritten> {
    const database = await openDatabase(copyDir);
    const records = await new SqliteFileManifest(database).load();
    await database.destroy();
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(
      `SET threads = 2; SET memory_limit = '512MiB'; SET late_materialization_max_rows = 0; SET TimeZone = 'UTC'`,
    );
    const folder = join(copyDir, 'events');
    const sealed = records.map(
      (record) => new SealedFile(record, join(folder, `sealed-${record.number}.duckdb`), builtinSources),
    );
    for (const { attached } of sealed) {
      await connection.run(`ATTACH ${quoteText(attached.path)} AS ${attached.alias} (READ_ONLY)`);
    }
    const active: string[] = [];
    for (const name of readdirSync(folder).filter((each) => /^active-\d+\.duckdb$/.test(each))) {
      const alias = name.replace('-', '_').replace('.duckdb', '');
      await connection.run(`ATTACH ${quoteText(join(folder, name))} AS ${alias} (READ_ONLY)`);
      active.push(alias);
    }
    return new HandWritten(connection, { sealed, active });
  }

  /** Milliseconds until every row has been read, and the rows. */
  async run(way: CallerQuery['byHand'][number], asked: Asked): Promise<{ ms: number; rows: Rows }> {
    const startedMs = performance.now();
    const [first = '', second] = way.statements;
    let rows = await this.#rows(expand(first, this.#files, asked, null));
    if (second !== undefined) {
      const since = rows[0]?.[0];
      rows =
        since instanceof DuckDBTimestampValue
          ? await this.#rows(expand(second, this.#files, asked, Number(since.micros)))
          : [];
    }
    return { ms: performance.now() - startedMs, rows };
  }

  /** The statements of a way with their plans, without a time that another statement finds. */
  async plans(way: CallerQuery['byHand'][number], asked: Asked): Promise<string> {
    const parts: string[] = [];
    for (const statement of way.statements) {
      const sql = expand(statement, this.#files, asked, null);
      const plan = await this.#connection.runAndReadAll(`EXPLAIN ${sql}`);
      parts.push(sql, ...plan.getRows().map((row) => String(row[1])));
    }
    return parts.join('\n\n');
  }

  async #rows(sql: string): Promise<Rows> {
    return (await this.#connection.runAndReadAll(sql)).getRows();
  }
}

/**
 * Fills in the tables of a statement by hand: segments are chosen by the manifest, and events by the conditions that an
 * author who knows the tables would write. `sinceMicros`: the result of another statement.
 */
export function expand(sql: string, files: HandFiles, asked: Asked, sinceMicros: number | null): string {
  return sql.replaceAll(/\{(\w+): ([^}]*)\}/g, (_, table: string, columns: string) => {
    const from = sinceMicros ?? (asked.afterMicros === null ? null : asked.afterMicros + 1);
    const project = `project = ${quoteText(asked.project)}`;
    const time = from === null ? '' : ` AND timestamp >= make_timestamp(${from})`;
    const sealed = files.sealed.flatMap((file) => {
      const stats = file.stats(table, asked.project);
      if (stats === null || (from !== null && stats.lastMicros < from)) return [];
      const ordinal = file.ordinal(table, asked.project);
      return `SELECT ${columns} FROM ${file.alias}.${table} WHERE ${project}${ordinal === null ? '' : ` AND ${ordinalColumn} = ${ordinal}`}${time}`;
    });
    const active = files.active.map((alias) => `SELECT ${columns} FROM ${alias}.${table} WHERE ${project}${time}`);
    return `(${[...sealed, ...active].join(' UNION ALL ')})`;
  });
}

/** A value as in an answer over HTTP, if it is neither text nor an object. */
export function asAnswered(value: DuckDBValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof DuckDBTimestampValue)) return value;
  const text = new Date(Number(value.micros / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${text}.${String(value.micros % 1_000_000n).padStart(6, '0')}Z`;
}
