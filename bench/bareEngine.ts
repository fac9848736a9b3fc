import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { systemClock } from '../src/core/clock.ts';
import { bindParameters } from '../src/endpoints/bindParameters.ts';
import { loadDefinitionFiles } from '../src/endpoints/loadDefinitionFiles.ts';
import type { EventFile } from '../src/engines/duckdb/files/eventFiles.ts';
import { SealedFile } from '../src/engines/duckdb/files/sealedFile.ts';
import { createTableSql, tableLayout } from '../src/engines/duckdb/files/tableLayout.ts';
import { ActiveFile } from '../src/engines/duckdb/log/activeFile.ts';
import { withCutoff } from '../src/engines/duckdb/query/cutoffMark.ts';
import { DuckDbQueryEngine } from '../src/engines/duckdb/query/duckdbQueryEngine.ts';
import type { CutoffSearch, EngineRunner, StatementValue } from '../src/engines/duckdb/query/statementRunner.ts';
import { compileStored } from '../src/googlesql/compile.ts';
import { createRedactor } from '../src/redact/createRedactor.ts';
import { Removals } from '../src/retention/removals.ts';
import { RetentionRules } from '../src/retention/retentionRules.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import type { BenchedQuery } from './benchedQueries.ts';

const definitions = loadDefinitionFiles(join(import.meta.dirname, '..', 'definitions'));

const noRemovals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));

/** The engine without the product: the sealed segments of a data folder, read-only, in this process. */
export class BareEngine implements EngineRunner {
  readonly #connection: DuckDBConnection;
  readonly #files: readonly EventFile[];
  readonly redactor = createRedactor();
  readonly sealedBytes: number;
  readonly sealedEvents: number;
  #recorded: string[] = [];

  private constructor(connection: DuckDBConnection, files: readonly EventFile[], bytes: number, events: number) {
    this.#connection = connection;
    this.#files = files;
    this.sealedBytes = bytes;
    this.sealedEvents = events;
  }

  static async open(dataDir: string): Promise<BareEngine> {
    const database = await openDatabase(dataDir);
    const records = await new SqliteFileManifest(database).load();
    await database.destroy();
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `SET threads = 2; SET memory_limit = '512MiB'; SET late_materialization_max_rows = 0; SET TimeZone = 'UTC'`,
    );
    const sealed = records.map(
      (record) => new SealedFile(record, join(dataDir, 'events', `sealed-${record.number}.duckdb`), builtinSources),
    );
    for (const { attached } of sealed) {
      await connection.run(`ATTACH '${attached.path}' AS ${attached.alias} (READ_ONLY)`);
    }
    // The service's statements also name its active segment, which is empty here.
    const active = new ActiveFile(0, ':memory:', systemClock.nowMicros());
    await connection.run(`ATTACH ':memory:' AS ${active.alias}`);
    for (const source of builtinSources)
      await connection.run(createTableSql(active.alias, tableLayout(source), 'active'));
    const sum = (pick: (record: (typeof records)[number]) => number) => records.reduce((a, each) => a + pick(each), 0);
    return new BareEngine(
      connection,
      [...sealed, active],
      sum(({ bytes }) => bytes),
      sum(({ events }) => events),
    );
  }

  get sealedFiles(): number {
    return this.#files.length - 1;
  }

  /** The statements that the product's engine runs for a call, in order. */
  async statementsOf({ definition, parameters }: BenchedQuery): Promise<readonly string[]> {
    const found = definitions.find(({ file }) => file === `${definition}.yaml`)?.definition;
    if (found === undefined) throw new Error(`no definition ${definition}`);
    const context = {
      sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
      parameters: new Map(found.parameters.map(({ name, type }) => [name, type] as const)),
    };
    const query = compileStored(found.query, context);
    const bound = bindParameters(found.parameters, new Map(Object.entries(parameters)), { isStrict: true });
    this.#recorded = [];
    await new DuckDbQueryEngine(
      {
        removals: noRemovals,
        damaged: { files: [], isUnknown: false, examine: async () => false },
        lease: () => ({ files: this.#files, release: () => undefined }),
      },
      this,
    ).run(
      {
        query,
        parameters: bound.values,
        projects: null,
        redaction: null,
        nowMicros: systemClock.nowMicros(),
        rowsMax: Math.min(found.maxRows, query.outerLimit ?? found.maxRows),
        bytesMax: 64 * 2 ** 20,
        profile: 'plain',
      },
      new AbortController().signal,
    );
    return this.#recorded;
  }

  /** Milliseconds that the statements take, one after another, with all rows read. */
  async time(statements: readonly string[]): Promise<number> {
    const startedMs = performance.now();
    for (const sql of statements) await this.#connection.runAndReadAll(sql);
    return performance.now() - startedMs;
  }

  /** The benchmark's statements are those of a token that reads every project. */
  boundTo(): this {
    return this;
  }

  async runRows(sql: string) {
    this.#recorded.push(sql);
    const rows = (await this.#connection.runAndReadAll(sql)).currentRowCount;
    return { rows: Buffer.alloc(0), rowCount: rows, hasMore: false, cutByBytes: false };
  }

  async runNewest(search: CutoffSearch, sql: string) {
    this.#recorded.push(search.sql);
    const [micros, found] = (await this.#connection.runAndReadAll(search.sql)).getRows()[0] ?? [];
    const cutoff = { micros: typeof micros === 'bigint' ? micros : null, found: Number(found) };
    const rows = { rows: Buffer.alloc(0), rowCount: 0, hasMore: false, cutByBytes: false };
    if (cutoff.micros === null || cutoff.found < search.foundMin) return { ...rows, cutoff };
    return { ...(await this.runRows(withCutoff(sql, String(cutoff.micros)))), cutoff };
  }

  async runValues(sql: string): Promise<readonly (readonly StatementValue[])[]> {
    this.#recorded.push(sql);
    return (await this.#connection.runAndReadAll(sql)).getRowsJson() as (readonly StatementValue[])[];
  }

  async streamRows(): Promise<never> {
    throw new Error('streams are not measured here');
  }

  async explain(): Promise<string> {
    throw new Error('plans are not measured');
  }

  close(): void {
    this.#connection.closeSync();
  }
}

/** Id of a definition's endpoint. */
export function endpointIdOf(definition: BenchedQuery['definition']): string {
  const found = definitions.find(({ file }) => file === `${definition}.yaml`);
  if (found === undefined) throw new Error(`no definition ${definition}`);
  return found.definition.id;
}
