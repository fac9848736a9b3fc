import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../core/errors.ts';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { RunRequest } from '../../../ports/queryEngine.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { readSettings, type SelectBounds } from '../connection/readSettings.ts';
import { type AnswerFormat, killQuery, type SelectRequest, select } from '../connection/select.ts';
import { selectParquet } from '../connection/selectParquet.ts';
import type { TimeBounds } from '../existing/existingView.ts';
import { type TablePlace, tableNames } from '../tables/tableLayout.ts';
import { tableFilters, type VisibleRows } from '../tables/visibleRows.ts';
import { type EventFacts, factsStatement, readFacts } from './eventFacts.ts';
import { allBounds, type Fetch, type Fetched } from './fetch.ts';
import { fetchBreach } from './fetchCheck.ts';
import { abortReason, fetchError } from './fetchError.ts';
import type { FetchedFiles } from './fetchedFiles.ts';

/** How much a query may fetch. */
export interface FetchBounds {
  /** Over all SELECTs of a query: bytes in Parquet. */
  readonly bytesMax: number;
  /** Of one SELECT; 0 for no bound. */
  readonly rowsMax: number;
  /** Time after which ClickHouse ends a SELECT by itself. */
  readonly timeoutMs: number;
}

/** What the fetched rows are for: an answer in memory, or rows that are read from disk while they are sent. */
export type FetchUse = 'answers' | 'streams';

export interface FetcherOptions {
  readonly servers: ClickHouseServers;
  readonly place: TablePlace;
  readonly visible: VisibleRows;
  readonly files: FetchedFiles;
  readonly answers: FetchBounds;
  readonly streams: FetchBounds;
  /** Of one SELECT. */
  readonly memoryBytesMax: number;
}

/** Why more rows are fetched than the answer needs, for the caller whose query fetches too many. */
export type FetchReasons = readonly string[];

/** The result in ClickHouse's memory may be this many times as large as its Parquet. */
const inMemory = 16;

/** The rows that a query may see, by the source of a scan. */
type Filters = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Runs the SELECTs of a query in ClickHouse. */
export class Fetcher {
  readonly #options: FetcherOptions;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  get files(): FetchedFiles {
    return this.#options.files;
  }

  get place(): TablePlace {
    return this.#options.place;
  }

  /**
   * Fetches the rows of each SELECT into a file. All see the same events. The caller releases the files. Rejects with a
   * ServiceError, or with the signal's reason; then no file is left.
   */
  async fetch(
    fetches: readonly Fetch[],
    request: RunRequest,
    signal: AbortSignal,
    reasons: FetchReasons = [],
    use: FetchUse = 'answers',
  ): Promise<readonly Fetched[]> {
    const { files, visible } = this.#options;
    const { bytesMax } = this.#options[use];
    const names = fetches.map(() => files.take());
    const giveUp = new AbortController();
    const either = AbortSignal.any([signal, giveUp.signal]);
    try {
      if (fetches.length > 0) await visible.ready();
      const filters = this.#filters(fetches, request);
      const fetched = await allOrNone(
        fetches.map(async (fetch, i) => {
          const name = names[i];
          if (name === undefined) throw new Error('a SELECT has no name for its rows');
          const { rows, bytes } = await this.#rows(fetch, name, request, filters, either, use);
          return { ...name, rows, bytes };
        }),
        giveUp,
      );
      if (fetched.reduce((sum, { bytes }) => sum + bytes, 0) > bytesMax) throw this.#tooMuch(fetches, reasons, use);
      return fetched;
    } catch (error) {
      await files.release(names);
      if (signal.aborted) throw abortReason(signal);
      throw fetchError(error, () => this.#tooMuch(fetches, reasons, use));
    }
  }

  /** What ClickHouse says of the way in which it would run a SELECT. */
  async explain(fetch: Fetch, request: RunRequest, signal: AbortSignal): Promise<string> {
    try {
      this.#requireHeld(fetch.sql, fetch, request);
      const { servers, visible } = this.#options;
      await visible.ready();
      const settings = this.#settings(fetch, this.#filters([fetch], request));
      const statement = `EXPLAIN indexes = 1\n${fetch.sql}`;
      return await servers.ask(async (server) => await server.text({ statement, settings }, signal));
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw fetchError(error, () => this.#tooMuch([fetch], []));
    }
  }

  async #rows(
    fetch: Fetch,
    { alias, path }: { readonly alias: string; readonly path: string },
    request: RunRequest,
    filters: Filters,
    signal: AbortSignal,
    use: FetchUse,
  ) {
    const { servers, files } = this.#options;
    const { bounds, table } = fetch;
    const selected = await selectParquet(servers, { ...this.#select(fetch, request, filters, use), path }, signal);
    files.set({ alias, table: { ...table, table: bounds.scan.source.name, path, rows: selected.rows } });
    return selected;
  }

  /** Reads the answer of a single SELECT without a file. Rejects like `fetch`. */
  async answer<T>(
    fetch: Omit<Fetch, 'table'>,
    request: RunRequest,
    format: AnswerFormat<T>,
    signal: AbortSignal,
    reasons: FetchReasons = [],
  ): Promise<T> {
    const { servers, visible } = this.#options;
    try {
      await visible.ready();
      const asked = this.#select(fetch, request, this.#filters([fetch], request), 'answers');
      return await select(servers, asked, format, signal);
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw fetchError(error, () => this.#tooMuch([fetch], reasons));
    }
  }

  #select(fetch: Omit<Fetch, 'table'>, request: RunRequest, filters: Filters, use: FetchUse): SelectRequest {
    const { sql } = fetch;
    this.#requireHeld(sql, fetch, request);
    return {
      statement: sql,
      queryId: randomUUID(),
      filters: filtersOf(fetch, filters),
      bounds: this.#bounds(use),
    };
  }

  /** The most bytes of an answer that is not compressed. */
  get answerBytesMax(): number {
    return this.#options.answers.bytesMax * inMemory;
  }

  /** Finds the facts about all events within the bounds of a scan. Rejects like `fetch`. */
  async facts(bounds: ScanBounds, request: RunRequest, signal: AbortSignal): Promise<EventFacts> {
    const fetch = { bounds };
    const { servers, visible } = this.#options;
    const queryId = randomUUID();
    try {
      await visible.ready();
      const sql = factsStatement(this.place, bounds, request.projects);
      this.#requireHeld(sql, { bounds }, request);
      const settings = this.#settings(fetch, this.#filters([fetch], request));
      return await servers.ask(async (server) => {
        try {
          const text = await server.text({ statement: `${sql}\nFORMAT JSONCompact`, settings, queryId }, signal);
          return readFacts(text, bounds.scan.source);
        } catch (error) {
          if (signal.aborted) void killQuery(server, queryId);
          throw error;
        }
      });
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      throw fetchError(error, () => this.#tooMuch([fetch], []));
    }
  }

  /** Directly from the request, not from the plan, because the check must not depend on a correct plan. */
  #requireHeld(sql: string, fetch: Pick<Fetch, 'bounds' | 'others'>, { projects }: RunRequest): void {
    const { place } = this.#options;
    const names = allBounds(fetch).map(({ scan }) => tableNames(scan.source.name, place).read);
    const breach = fetchBreach(sql, new Set(names.map((name) => `${place.database}.${name}`)), projects);
    if (breach !== null) throw new Error(`the SELECT is not held to the projects of its call: ${breach}`);
  }

  /** All at once, so that every SELECT sees the same events. */
  #filters(
    fetches: readonly Pick<Fetch, 'bounds' | 'others'>[],
    { projects, nowMicros, removedAtMicros = nowMicros }: RunRequest,
  ): Filters {
    const { place, visible } = this.#options;
    const all = fetches.flatMap(allBounds);
    const sources = new Map(all.map(({ scan }) => [scan.source.name, scan.source]));
    return new Map(
      [...sources].map(([name, source]) => {
        const times = timesOf(all.filter(({ scan }) => scan.source.name === name));
        return [name, tableFilters(place, visible, [{ source, projects, times }], removedAtMicros)];
      }),
    );
  }

  #settings(fetch: Pick<Fetch, 'bounds' | 'others'>, filters: Filters) {
    return readSettings(filtersOf(fetch, filters), this.#bounds('answers'));
  }

  #bounds(use: FetchUse): SelectBounds {
    const { memoryBytesMax } = this.#options;
    const { bytesMax, rowsMax, timeoutMs } = this.#options[use];
    return { timeoutMs, rowsMax, bytesMax: bytesMax * inMemory, answerBytesMax: bytesMax, memoryBytesMax };
  }

  #tooMuch(
    fetches: readonly Pick<Fetch, 'bounds' | 'others'>[],
    reasons: FetchReasons,
    use: FetchUse = 'answers',
  ): ServiceError {
    const sources = [...new Set(fetches.flatMap(allBounds).map(({ scan }) => scan.source.name))].join(', ');
    const megabytes = Math.floor(this.#options[use].bytesMax / 2 ** 20);
    const why =
      reasons.length === 0
        ? ''
        : ` ClickHouse does not compute all of it: ${reasons.map((each) => each.replace(/^not pushed: /, '')).join('; ')}.`;
    return new ServiceError(
      'query.fetch_max',
      `The query needs more than ${megabytes} MB of events of ${sources} from ClickHouse.${why} Narrow its time range, or filter by more columns.`,
    );
  }
}

/** Those of every table that a SELECT reads. */
const filtersOf = (fetch: Pick<Fetch, 'bounds' | 'others'>, filters: Filters): ReadonlyMap<string, string> =>
  new Map(allBounds(fetch).flatMap(({ scan }) => [...(filters.get(scan.source.name) ?? [])]));

/** The times that any of the scans reads. */
function timesOf(all: readonly ScanBounds[]): TimeBounds {
  const either = (bounds: readonly (bigint | null)[], isBeyond: (a: bigint, b: bigint) => boolean) =>
    bounds.reduce((a, b) => (a === null || b === null ? null : isBeyond(a, b) ? a : b));
  return {
    fromMicros: either(
      all.map(({ fromMicros }) => fromMicros),
      (a, b) => a < b,
    ),
    toMicros: either(
      all.map(({ toMicros }) => toMicros),
      (a, b) => a > b,
    ),
  };
}

/** The results of all. If one fails, the others are given up, and have ended before it rejects. */
async function allOrNone<T extends readonly unknown[]>(
  all: { readonly [K in keyof T]: Promise<T[K]> },
  giveUp: AbortController,
): Promise<T> {
  const failures: unknown[] = [];
  const settled = await Promise.allSettled(
    all.map(async (each) => {
      try {
        return await each;
      } catch (error) {
        failures.push(error);
        giveUp.abort(error);
        throw error;
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : undefined)) as unknown as T;
}
