import { join } from 'node:path';
import type { Turns } from '../../../core/concurrency/turns.ts';
import type { Observe } from '../../../core/observation.ts';
import type { Removals } from '../../../retention/removals.ts';
import { type FetchedStatements, openFetchedStatements } from '../../duckdb/openFetchedStatements.ts';
import type { DuckDbSettings } from '../../duckdb/settings.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { pingServers } from '../connection/pingServers.ts';
import type { TablePlace } from '../tables/tableLayout.ts';
import type { VisibleRows } from '../tables/visibleRows.ts';
import { ClickHouseQueryEngine } from './clickhouseQueryEngine.ts';
import { FetchedFiles } from './fetchedFiles.ts';
import { Fetcher } from './fetcher.ts';

/** Bounds of what a query may fetch. */
export interface FetchSettings {
  /** Bytes in Parquet, over all SELECTs of a query; beyond, the call is refused with `query.fetch_max`. */
  readonly bytesMax: number;
  /** Rows of one SELECT. */
  readonly rowsMax: number;
  /** Like `bytesMax`, of a stream, which reads them from disk. */
  readonly streamBytesMax: number;
  /** Memory of one SELECT in ClickHouse, bytes. */
  readonly memoryBytesMax: number;
  /** Time after which ClickHouse ends a SELECT by itself; longer than any deadline of a call. Milliseconds. */
  readonly timeoutMs: number;
  /** The same for a stream. */
  readonly streamTimeoutMs: number;
}

export const defaultFetchSettings: FetchSettings = {
  bytesMax: 16 * 2 ** 20,
  rowsMax: 2_000_000,
  streamBytesMax: 2 * 2 ** 30,
  memoryBytesMax: 4 * 2 ** 30,
  timeoutMs: 120_000,
  streamTimeoutMs: 620_000,
};

export interface OpenQueriesOptions {
  /** Servers with a user who may only read (docs/decisions/0074). */
  readonly servers: ClickHouseServers;
  readonly place: TablePlace;
  readonly visible: VisibleRows;
  readonly removals: Removals;
  /** Folder of this process alone for fetched rows and spilled sorts. It is emptied. */
  readonly temporaryDir: string;
  readonly fetch: FetchSettings;
  /** Of the engine processes that run the rest of each query. */
  readonly engine: DuckDbSettings;
  readonly observe: Observe;
  readonly turns?: Turns | undefined;
}

/** The queries of the engine that keeps events in ClickHouse. */
export interface ClickHouseQueries extends Pick<FetchedStatements, 'engine' | 'memoryBytes' | 'parquet'> {
  readonly queries: ClickHouseQueryEngine;
  /** Description of the redactor that fetched events pass before the rest of a query sees them. */
  readonly barrier: string;
  /** Starts the processes that redacted queries need, without waiting for them. */
  prepareRedaction(): void;
  /** Resolves when the server and the engine process have answered a small request. */
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Opens the query engine: empties its folder, and starts the engine process. */
export async function openQueries(options: OpenQueriesOptions): Promise<ClickHouseQueries> {
  const { servers, place, visible, removals, temporaryDir, observe, turns } = options;
  const rowsDir = join(temporaryDir, 'rows');
  const files = await FetchedFiles.open(rowsDir);
  const rest = await openFetchedStatements({
    settings: options.engine,
    rowsDir,
    spillDir: join(temporaryDir, 'spill'),
    observe,
    provide: files.provide.bind(files),
  });
  const { bytesMax, rowsMax, streamBytesMax, memoryBytesMax, timeoutMs, streamTimeoutMs } = options.fetch;
  const fetcher = new Fetcher({
    ...{ servers, place, visible, files, memoryBytesMax },
    answers: { bytesMax, rowsMax, timeoutMs },
    streams: { bytesMax: streamBytesMax, rowsMax: 0, timeoutMs: streamTimeoutMs },
  });
  const { statements } = rest;
  return {
    queries: new ClickHouseQueryEngine({ fetcher, statements, removals, turns }),
    barrier: statements.redactor.description,
    parquet: rest.parquet,
    get engine() {
      return rest.engine;
    },
    memoryBytes: () => rest.memoryBytes(),
    prepareRedaction: () => rest.prepareRedaction(),
    ping: async (signal) => {
      await pingServers(servers, signal);
      await statements.boundTo(null).runValues('select 1', signal);
    },
    close: async () => {
      await rest.close();
      await files.close();
    },
  };
}
