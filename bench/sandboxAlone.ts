import { join } from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import { systemRandomness } from '../src/core/ids.ts';
import { bindParameters } from '../src/endpoints/bindParameters.ts';
import { loadDefinitionFiles } from '../src/endpoints/loadDefinitionFiles.ts';
import { type DuckDbStorage, openDuckDbStorage } from '../src/engines/duckdb/openDuckDbStorage.ts';
import { DuckDbQueryEngine } from '../src/engines/duckdb/query/duckdbQueryEngine.ts';
import { compileCaller } from '../src/googlesql/compile.ts';
import type { ResolvedQuery } from '../src/googlesql/resolve/tree.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import type { CallerQuery } from './callerQueries.ts';
import { type Asked, expand, type HandFiles } from './handWritten.ts';

const definitions = loadDefinitionFiles(join(import.meta.dirname, '..', 'definitions'));
const bounds = { rowsMax: 1_000_000, bytesMax: 64 * 2 ** 20 };

/**
 * The product's engine process without HTTP, for statements by hand and through the sandbox (planned, written,
 * restricted to the project, run). Both use the same frames and return rows as JSON, so their difference is the cost of
 * the sandbox alone.
 */
export class SandboxAlone {
  readonly #storage: DuckDbStorage;
  readonly #files: HandFiles;
  readonly #engine: DuckDbQueryEngine;
  /** As in the service, a text is compiled once; by asker and text. */
  readonly #compiled = new Map<string, ResolvedQuery>();

  private constructor(storage: DuckDbStorage, files: HandFiles) {
    this.#storage = storage;
    this.#files = files;
    this.#engine = new DuckDbQueryEngine(storage.files, storage.statements);
  }

  static async open(dataDir: string): Promise<SandboxAlone> {
    const database = await openDatabase(dataDir);
    const storage = await openDuckDbStorage({
      dataDir,
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      sources: builtinSources,
      manifest: new SqliteFileManifest(database),
    });
    const lease = storage.files.lease();
    const sealed = lease.files.filter(({ kind }) => kind === 'sealed');
    const active = lease.files.filter(({ kind }) => kind === 'active').map(({ alias }) => alias);
    lease.release();
    return new SandboxAlone(storage, { sealed, active });
  }

  /** Milliseconds until the rows of statements by hand arrive. */
  async runByHand(way: CallerQuery['byHand'][number], asked: Asked): Promise<number> {
    const { signal } = new AbortController();
    const { statements } = this.#storage;
    const startedMs = performance.now();
    const [first = '', second] = way.statements;
    if (second === undefined) {
      await statements.runRows(asJson(expand(first, this.#files, asked, null)), bounds, signal);
    } else {
      const found = `SELECT epoch_us((${expand(first, this.#files, asked, null).replace(/;\s*$/, '')}))`;
      const [since] = (await statements.runValues(found, signal))[0] ?? [];
      if (typeof since === 'string')
        await statements.runRows(asJson(expand(second, this.#files, asked, Number(since))), bounds, signal);
    }
    return performance.now() - startedMs;
  }

  /**
   * Milliseconds until the rows of the caller query arrive. The last plan of a query is cached separately for each
   * asker, because calls with other times would displace the plan of calls with the same time.
   */
  async runQuery(query: CallerQuery, asked: Asked, asker: 'again' | 'moved'): Promise<number> {
    const definition = definitions.find(({ file }) => file === 'logs.all.yaml')?.definition;
    if (definition === undefined) throw new Error('no definition logs.all');
    const after =
      asked.afterMicros === null ? {} : { iso_timestamp_start: new Date(asked.afterMicros / 1000).toISOString() };
    const given = new Map(Object.entries({ project: asked.project, ...after }));
    const key = `${asker} ${query.text}`;
    const compiled = this.#compiled.get(key) ?? compile(query, definition);
    this.#compiled.set(key, compiled);
    const startedMs = performance.now();
    await this.#engine.run(
      {
        query: compiled,
        parameters: bindParameters(definition.parameters, given, { isStrict: true }).values,
        projects: [asked.project],
        redaction: null,
        nowMicros: systemClock.nowMicros(),
        rowsMax: Math.min(definition.maxRows, compiled.outerLimit ?? definition.maxRows),
        bytesMax: bounds.bytesMax,
        profile: 'plain',
      },
      new AbortController().signal,
    );
    return performance.now() - startedMs;
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }
}

function compile(query: CallerQuery, definition: NonNullable<(typeof definitions)[number]['definition']>) {
  return compileCaller(query.text, definition.query, {
    sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
    parameters: new Map(definition.parameters.map(({ name, type }) => [name, type] as const)),
  });
}

/** The rows as the service returns them. */
function asJson(sql: string): string {
  return `SELECT CAST(to_json(r) AS VARCHAR) AS row FROM (${sql}) AS r`;
}
