import { newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Explanation, RunRequest } from '../../../ports/queryEngine.ts';
import { rowsStatement } from '../../duckdb/emit/emitStatement.ts';
import type { Statement } from '../../duckdb/emit/emittedStatement.ts';
import type { ScanChoice } from '../../duckdb/emit/scanChoice.ts';
import type { EncodedRows, StatementRunner } from '../../duckdb/query/statementRunner.ts';
import type { TableRead } from '../../duckdb/query/tableRead.ts';
import type { Fetched } from './fetch.ts';
import { type UnfitRows, unfitRows } from './fetchedFiles.ts';
import type { Fetcher, FetchReasons } from './fetcher.ts';
import { type RunInputs, rowsScannedOf } from './runInputs.ts';
import { fetchStatement, type NewestRows, type ScanFetch } from './scanFetch.ts';

/** Rows to fetch at first for each wanted one, if the rest may discard some; and how the number grows. */
const rowsPerWanted = 20;
const growth = 8;
/** Above this number of rows, the next fetch has no limit but the bounds of every fetch. */
const limitMax = 200_000;

/** The rows of a fetch that a statement reads are named by the position of the scan until they have a name. */
const markOf = (position: number): string => `\u0000scan${position}`;

type Irregular = ReadonlyMap<Column, ReadonlySet<string>>;

interface Rest {
  readonly statement: Statement;
  readonly scans: readonly ScanFetch[];
}

/**
 * One run of a plan that fetches the events of its scans, and has DuckDB answer the whole query over them. Of a query for
 * the newest rows, it fetches the newest events first, and more of them as long as they give too few rows.
 */
export class ScanRun {
  readonly #plan: QueryPlan;
  readonly #request: RunRequest;
  readonly #fetcher: Fetcher;
  readonly #statements: StatementRunner;
  readonly #signal: AbortSignal;
  readonly #reasons: FetchReasons;
  #rowsScanned = 0;

  constructor({ plan, request, fetcher, statements, signal, time, caller }: RunInputs, reasons: FetchReasons) {
    this.#plan = plan;
    this.#request = request;
    this.#fetcher = fetcher;
    // Directly from the request, not from the plan, because the isolation check must not depend on a correct plan.
    this.#statements = statements.boundTo(request.projects, plan.redaction?.tag ?? null, time, caller);
    this.#signal = signal;
    this.#reasons = reasons;
  }

  get rowsScanned(): number | null {
    return rowsScannedOf(this.#plan, this.#rowsScanned);
  }

  async rows(): Promise<EncodedRows> {
    const newest = newestFirst(this.#plan.relation, this.#request.rowsMax);
    if (newest === null) return (await this.#rowsOf(null)).rows;
    const scans = [...this.#plan.bounds.values()];
    // The rest discards rows of a scan only through filters and UNNEST.
    const isPrefix = scans.length === 1;
    let limit = isPrefix && scans.some(({ isFiltered }) => isFiltered) ? newest.count * rowsPerWanted : newest.count;
    for (;;) {
      const isLimited = limit <= limitMax && (isPrefix || scans.every(({ isFiltered }) => !isFiltered));
      const { rows, isWhole } = await this.#rowsOf(isLimited ? { count: limit, withTies: newest.keys > 1 } : null);
      const isEnough =
        rows.rowCount >= newest.count || rows.hasMore || rows.cutByBytes || rows.rowCount === newest.limit;
      if (isWhole || isEnough) return rows;
      limit *= growth;
    }
  }

  async explain(): Promise<Explanation> {
    const rest = this.#rest(null, new Map());
    const names = rest.scans.map(() => this.#fetcher.files.take());
    try {
      const statements: string[] = [];
      const plans: string[] = [];
      for (const [i, scan] of rest.scans.entries()) {
        const fetch = fetchStatement(this.#fetcher.place, scan);
        statements.push(`-- ClickHouse: ${names[i]?.alias}\n${fetch.sql}`);
        plans.push(await this.#fetcher.explain(fetch, this.#request, this.#signal));
        const table = { ...fetch.table, table: scan.bounds.scan.source.name, path: null, rows: 0 };
        this.#fetcher.files.set({ alias: names[i]?.alias ?? '', table });
      }
      const sql = named(rest.statement.sql, names);
      const plan = await this.#statements.explain(sql, this.#signal, () => readsOf(rest.scans, names));
      return {
        statement: [...statements, `-- DuckDB\n${sql}`].join('\n\n'),
        plan: [...plans, plan].join('\n\n'),
      };
    } finally {
      await this.#fetcher.files.release(names);
    }
  }

  /** Repeated if fetched events are irregular where a typed column was trusted: each time, fewer are. */
  async #rowsOf(newest: NewestRows | null): Promise<{ readonly rows: EncodedRows; readonly isWhole: boolean }> {
    let irregular: Irregular = new Map();
    for (;;) {
      const rest = this.#rest(newest, irregular);
      const fetches = rest.scans.map((scan) => fetchStatement(this.#fetcher.place, scan));
      const fetched = await this.#fetcher.fetch(fetches, this.#request, this.#signal, this.#reasons);
      try {
        const sql = named(rest.statement.sql, fetched);
        const { rowsMax, bytesMax, hasRowKeys = false } = this.#request;
        const reads = () => readsOf(rest.scans, fetched);
        const rows = await this.#statements.runRows(sql, { rowsMax, bytesMax, hasRowKeys }, this.#signal, reads);
        this.#rowsScanned = fetched.reduce((sum, each) => sum + each.rows, 0);
        return { rows, isWhole: newest === null || fetched.every((each) => each.rows < newest.count) };
      } catch (error) {
        const found = unfitRows(error);
        if (found === null) throw error;
        irregular = joined(irregular, rest.scans, fetched, found);
      } finally {
        await this.#fetcher.files.release(fetched);
      }
    }
  }

  #rest(newest: NewestRows | null, irregular: Irregular): Rest {
    const { bounds } = this.#plan;
    const read = [...bounds.values()].filter(({ projects }) => projects?.length !== 0);
    const choices = new Map<Column, ScanChoice>();
    for (const [timestamp, bound] of bounds) {
      const position = read.indexOf(bound);
      choices.set(timestamp, {
        databases: position < 0 ? [] : [markOf(position)],
        ordinals: new Map(),
        irregular: irregular.get(timestamp) ?? new Set(),
        kept: new Map(),
        unnumbered: new Map(),
      });
    }
    const { profile, rowsMax } = this.#request;
    const statement = rowsStatement(this.#plan, choices, bounds, profile, rowsMax);
    const scans = read.map((bound): ScanFetch => {
      const { timestamp } = bound.scan.columns;
      return {
        bounds: bound,
        stored: statement.stored.get(timestamp) ?? new Set(),
        trusted: statement.trusted.get(timestamp) ?? new Set(),
        conditions: [],
        newest,
      };
    });
    return { statement, scans };
  }
}

/** Literals never hold NUL (sqlText.ts), so only marks are replaced. */
function named(sql: string, names: readonly { readonly alias: string }[]): string {
  return names.reduceRight((text, { alias }, position) => text.replaceAll(markOf(position), alias), sql);
}

function readsOf(scans: readonly ScanFetch[], names: readonly { readonly alias: string }[]): readonly TableRead[] {
  return scans.map(({ bounds }, i) => ({
    file: { alias: names[i]?.alias ?? '', kind: 'sealed' },
    part: { table: bounds.scan.source.name, projects: bounds.projects, fromMicros: null, toMicros: null },
  }));
}

function joined(
  known: Irregular,
  scans: readonly ScanFetch[],
  fetched: readonly Fetched[],
  { irregular }: UnfitRows,
): Irregular {
  const all = new Map(known);
  for (const [i, { bounds }] of scans.entries()) {
    const { timestamp } = bounds.scan.columns;
    const found = irregular.get(fetched[i]?.alias ?? '');
    if (found !== undefined) all.set(timestamp, new Set([...(known.get(timestamp) ?? []), ...found]));
  }
  return all;
}
