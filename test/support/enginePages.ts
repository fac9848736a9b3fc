import type { Clock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import { systemTimer } from '../../src/core/timer.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { CursorKeys } from '../../src/invoke/pages/cursorKeys.ts';
import { MemoryPageSecrets } from '../../src/invoke/pages/pages.fixture.ts';
import { type PageRun, preparePage } from '../../src/invoke/pages/pages.ts';
import type { QueryResult } from '../../src/ports/queryEngine.ts';
import type { StorageEngine } from '../../src/ports/storageEngine.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import type { Source } from '../../src/sources/source.ts';

export type EngineOfPages = Pick<StorageEngine, 'queries' | 'limits' | 'barrier' | 'lastArrival' | 'reachArrival'>;

const never = new AbortController().signal;

/** The column `v` of each row. */
export const valuesOf = ({ rows }: Pick<QueryResult, 'rows'>): readonly string[] =>
  (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { v: string }[]).map(({ v }) => v);

/** Reads pages from engines, all with the same secrets of cursors, as nodes have. */
export class EnginePages {
  readonly #secrets = new MemoryPageSecrets();
  readonly #clock: () => Clock;
  readonly #sources: ReadonlyMap<string, Source>;

  constructor(clock: () => Clock, sources: readonly Source[] = builtinSources) {
    this.#clock = clock;
    this.#sources = new Map(sources.map((source) => [source.name, source]));
  }

  /** The rows of the call without pages. */
  async wholeOf(engine: EngineOfPages, sql: string): Promise<readonly string[]> {
    const { query, ...request } = this.#requestOf(engine, sql, false);
    const rowsMax = query.outerLimit ?? request.rowsMax;
    return valuesOf(await engine.queries.run({ ...request, query, rowsMax }, never));
  }

  async pageOf(
    engine: EngineOfPages,
    sql: string,
    ask: { readonly size: number | null; readonly cursor: string | null },
    isRedacted = false,
  ): Promise<PageRun> {
    const clock = this.#clock();
    const randomness = systemRandomness;
    const request = this.#requestOf(engine, sql, isRedacted);
    const page = await preparePage(
      {
        ask,
        query: request.query,
        endpoint: { id: 'e', version: 1, query: sql, sandbox: false },
        callerQuery: null,
        parameters: new Map(),
        token: { scopes: [], restrictions: null },
        form: [],
        rowsMax: 1000,
        timeoutMs: 60_000,
        signal: never,
      },
      {
        lastArrival: engine.lastArrival,
        reachArrival: engine.reachArrival,
        keys: new CursorKeys(this.#secrets, clock, randomness),
        clock,
        timer: systemTimer,
        randomness,
      },
    );
    return await page.read(async (task) => {
      await task.ready();
      return await engine.queries.run({ ...request, ...task.request() }, never);
    });
  }

  #requestOf({ limits, barrier }: EngineOfPages, sql: string, isRedacted: boolean) {
    return {
      query: compileStored(sql, { sources: this.#sources, parameters: new Map(), limits }),
      parameters: new Map(),
      projects: null,
      redaction: isRedacted ? (barrier ?? null) : null,
      nowMicros: 0,
      rowsMax: 100_000,
      bytesMax: 2 ** 24,
      profile: 'plain' as const,
    };
  }
}
