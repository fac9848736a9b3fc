import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceError } from '../../../core/errors.ts';
import { makeOwnFolder } from '../../../files/ownFolder.ts';
import type { EngineConnection } from '../../duckdb/host/engineConnection.ts';
import { EngineFailure, isFatal, isNoSpace } from '../../duckdb/host/engineFailure.ts';
import type { FetchedTable } from '../../duckdb/process/protocol.ts';
import type { TableRead } from '../../duckdb/query/tableRead.ts';
import { ClickHouseFailure } from '../connection/failure.ts';
import { incompleteAnswer } from './fetchError.ts';

/** Rows that ClickHouse answered with, under the name that a statement of the rest reads them by. */
export interface FetchedRows {
  readonly alias: string;
  readonly table: FetchedTable;
}

/**
 * Names and files for rows that came back from ClickHouse. A name is used by one run at a time, and the lowest free one
 * is given out, so that statements of equal queries have equal texts, which the isolation check remembers.
 */
export class FetchedFiles {
  readonly #folder: string;
  readonly #taken = new Set<number>();
  readonly #rows = new Map<string, FetchedTable>();
  readonly #events = new Map<string, number>();
  #files = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Empties the folder: files of an earlier process are of no use. */
  static async open(folder: string): Promise<FetchedFiles> {
    await rm(folder, { recursive: true, force: true });
    await makeOwnFolder(folder);
    return new FetchedFiles(folder);
  }

  take(): { readonly alias: string; readonly path: string } {
    let number = 0;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    // No path is used twice, so that nothing that is remembered of a file is taken for the rows of another run.
    this.#files += 1;
    return { alias: `rows_${number}`, path: join(this.#folder, `${this.#files}.parquet`) };
  }

  /** States what a name stands for, before a statement reads it. */
  set({ alias, table }: FetchedRows): void {
    this.#rows.set(alias, table);
  }

  /** The events that the rows stand for, once a statement has read them; null if they do not say. */
  eventsOf(alias: string): number | null {
    return this.#events.get(alias) ?? null;
  }

  /** Removes the files of names, which other runs may then use. */
  async release(names: readonly { readonly alias: string; readonly path: string }[]): Promise<void> {
    for (const { alias, path } of names) {
      this.#rows.delete(alias);
      this.#events.delete(alias);
      await rm(path, { force: true });
      this.#taken.delete(Number(alias.slice('rows_'.length)));
    }
  }

  /**
   * Attaches what a statement reads in the process that runs it. Nobody waits until it is detached: the next rows of a name
   * take the place of the last ones. Rejects with `UnfitRows` if the rows are not what the statement assumes.
   */
  async provide(engine: Pick<EngineConnection, 'call'>, reads: readonly TableRead[]): Promise<() => Promise<void>> {
    const irregular = new Map<string, ReadonlySet<string>>();
    const checks = new Map<string, number>();
    for (const alias of new Set(reads.map(({ file }) => file.alias))) {
      const table = this.#rows.get(alias);
      if (table === undefined) throw new Error(`no rows were fetched as ${alias}`);
      const { gives } = await engine.call('attachFetched', { alias, table }).catch((error: unknown) => {
        throw isUnreadable(error) ? notWhole(error) : error;
      });
      if (gives.irregular.length > 0) irregular.set(alias, new Set(gives.irregular));
      if (gives.check > 0) checks.set(alias, gives.check);
      if (gives.events !== null) this.#events.set(alias, gives.events);
    }
    if (irregular.size + checks.size > 0) throw new UnfitRows(irregular, checks);
    return async () => {};
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Whether the engine works, but cannot read the file, or finds another number of rows in it. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof EngineFailure) || isFatal(error) || isNoSpace(error)) return false;
  return error.failure.kind === 'engine' || error.failure.kind === 'data';
}

const notWhole = (cause: unknown): ServiceError =>
  incompleteAnswer(new ClickHouseFailure('damaged', 'fetched rows are not whole', null, cause));

/** Fetched rows are not what the statements assumed. */
export class UnfitRows extends Error {
  /** By the name of the rows: pathKeys at which an event is irregular (sources/source.ts), although none was assumed to be. */
  readonly irregular: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the name of the rows: the highest number of a check that failed. */
  readonly checks: ReadonlyMap<string, number>;

  constructor(irregular: ReadonlyMap<string, ReadonlySet<string>>, checks: ReadonlyMap<string, number>) {
    super('fetched rows are not what a statement assumes');
    this.irregular = irregular;
    this.checks = checks;
  }
}

/** The rows that made a statement fail; null if something else did. */
export function unfitRows(error: unknown): UnfitRows | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof UnfitRows) return each;
  }
  return null;
}
