import { type DuckDBConnection, type DuckDBInstance, DuckDBTimestampValue } from '@duckdb/node-api';
import type { HotColumn, Source } from '../../../src/sources/source.ts';
import type { MemoryRow } from './memoryRows.ts';

/** Number of tables that are kept for further queries on the same rows. */
const keptMax = 64;

/** A copy of rows that a statement reads as `"<schema>"."<source>"`. */
export interface LoadedTable {
  readonly schema: string;
  release(): void;
}

interface Entry {
  readonly schema: Promise<string>;
  uses: number;
}

const types: Readonly<Record<HotColumn['kind'], string>> = {
  string: 'VARCHAR',
  int64: 'BIGINT',
  float64: 'DOUBLE',
  presence: 'BOOLEAN',
};

/** Loads rows into tables of an in-memory database. Each set of rows has its own table, which never changes. */
export class MemoryTables {
  readonly #instance: DuckDBInstance;
  readonly #entries = new Map<string, Entry>();
  #count = 0;

  constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /** `key` must identify the rows. */
  async load(key: string, source: Source, rows: () => readonly MemoryRow[]): Promise<LoadedTable> {
    const known = this.#entries.get(key);
    const entry = known ?? { schema: this.#fill(source, rows()), uses: 0 };
    entry.uses++;
    // Moves the entry to the end, so that the oldest come first.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const release = () => {
      entry.uses--;
      void this.#dropUnused();
    };
    try {
      return { schema: await entry.schema, release };
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  async #fill(source: Source, rows: readonly MemoryRow[]): Promise<string> {
    const schema = `rows_${++this.#count}`;
    const connection = await this.#instance.connect();
    try {
      const hot = source.hotColumns.map(({ column, kind }) => `, "${column}" ${types[kind]}`).join('');
      await connection.run(`CREATE SCHEMA ${schema}`);
      await connection.run(
        `CREATE TABLE ${schema}."${source.name}" (id VARCHAR, "timestamp" TIMESTAMP, project VARCHAR, event_message VARCHAR, metadata VARCHAR${hot}, arrival_number BIGINT)`,
      );
      await append(connection, schema, source, rows);
      return schema;
    } finally {
      connection.closeSync();
    }
  }

  async #dropUnused(): Promise<void> {
    for (const [key, { schema, uses }] of this.#entries) {
      if (this.#entries.size <= keptMax) return;
      if (uses > 0) continue;
      this.#entries.delete(key);
      const connection = await this.#instance.connect();
      await connection.run(`DROP SCHEMA ${await schema} CASCADE`);
      connection.closeSync();
    }
  }
}

async function append(
  connection: DuckDBConnection,
  schema: string,
  source: Source,
  rows: readonly MemoryRow[],
): Promise<void> {
  const appender = await connection.createAppender(source.name, schema);
  const text = (value: string | null) => (value === null ? appender.appendNull() : appender.appendVarchar(value));
  for (const { event, arrival } of rows) {
    text(event.id);
    appender.appendTimestamp(new DuckDBTimestampValue(BigInt(event.timestampMicros)));
    text(event.project);
    text(event.eventMessage);
    text(event.metadata);
    for (const [i, { kind }] of source.hotColumns.entries()) {
      const cell = event.hot[i] ?? null;
      if (cell === null) appender.appendNull();
      else if (kind === 'string') appender.appendVarchar(String(cell));
      else if (kind === 'int64') appender.appendBigInt(BigInt(cell));
      else if (kind === 'float64') appender.appendDouble(Number(cell));
      else appender.appendBoolean(cell === true);
    }
    appender.appendBigInt(BigInt(arrival));
    appender.endRow();
  }
  appender.flushSync();
  appender.closeSync();
}
