import { ServiceError } from '../../../core/errors.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { Column, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type { Explanation, RunCaller, RunRequest, RunTime } from '../../../ports/queryEngine.ts';
import { type FetchedPart, restStatement } from '../../duckdb/emit/emitStatement.ts';
import type { FetchedTable } from '../../duckdb/process/protocol.ts';
import type { EncodedRows, EngineRunner } from '../../duckdb/query/statementRunner.ts';
import type { TableRead } from '../../duckdb/query/tableRead.ts';
import {
  type AvoidedPart,
  type Check,
  type EventTable,
  type FetchedColumn,
  fetchedSql,
  type Fetch as SplitFetch,
  type SplitPlan,
} from '../emit/fetch.ts';
import { unreadableKey } from '../emit/readableJson.ts';
import { splitPlan } from '../emit/splitPlan.ts';
import { quoteIdentifier } from '../sqlText.ts';
import { arrivalColumn, readTable, type TablePlace } from '../tables/tableLayout.ts';
import { boundConditions } from './boundConditions.ts';
import type { Fetch, Fetched } from './fetch.ts';
import { type UnfitRows, unfitRows } from './fetchedFiles.ts';
import type { Fetcher } from './fetcher.ts';
import { irregularCondition } from './irregularCondition.ts';
import { type RunInputs, rowsScannedOf } from './runInputs.ts';

type Named = Pick<Fetched, 'alias'>;

/** What is known of the events and values that a plan reads; each attempt knows more. */
interface Known {
  readonly irregular: ReadonlyMap<Column, ReadonlySet<string>>;
  readonly avoid: ReadonlySet<AvoidedPart>;
}

const nothingKnown: Known = { irregular: new Map(), avoid: new Set() };

/** Attempts; each learns a fact that the one before did not know. More are a defect. */
const attemptsMax = 20;

/** A plan whose parts are computed by ClickHouse as far as they mean the same there. */
export class SplitRun {
  readonly #plan: QueryPlan;
  readonly #request: RunRequest;
  readonly #fetcher: Fetcher;
  readonly #statements: EngineRunner;
  readonly #signal: AbortSignal;
  readonly #time: RunTime | undefined;
  readonly #caller: RunCaller | undefined;
  #rowsScanned = 0;

  constructor({ plan, request, fetcher, statements, signal, time, caller }: RunInputs) {
    this.#plan = plan;
    this.#request = request;
    this.#fetcher = fetcher;
    this.#statements = statements;
    this.#signal = signal;
    this.#time = time;
    this.#caller = caller;
  }

  get rowsScanned(): number | null {
    return rowsScannedOf(this.#plan, this.#rowsScanned);
  }

  /** The split with which the run begins. */
  first(): SplitPlan {
    return this.#split(nothingKnown);
  }

  async rows(first: SplitPlan): Promise<EncodedRows> {
    let known = nothingKnown;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const split = attempt === 0 ? first : this.#split(known);
      const result = await this.#attempt(split, known);
      if ('rows' in result) return result.rows;
      known = result.known;
    }
    throw new Error('a query was split again and again');
  }

  async explain(split: SplitPlan): Promise<Explanation> {
    const { files } = this.#fetcher;
    const names = split.fetches.map(() => files.take());
    try {
      const statements: string[] = [];
      const plans: string[] = [];
      for (const [i, each] of split.fetches.entries()) {
        const fetch = this.#fetchOf(each);
        const alias = names[i]?.alias ?? '';
        statements.push(`-- ClickHouse: ${alias}\n${fetch.sql}`);
        plans.push(await this.#fetcher.explain(fetch, this.#request, this.#signal));
        files.set({ alias, table: { ...fetch.table, table: each.scan.source.name, path: null, rows: 0 } });
      }
      const sql = this.#rest(split, names);
      const plan = await this.#runner(names).explain(sql, this.#signal, () => readsOf(split, names));
      const kept = split.keptBack.map(({ reason }) => `-- ${reason}`);
      return {
        statement: [...statements, [...kept, '-- DuckDB', sql].join('\n')].join('\n\n'),
        plan: [...plans, plan].join('\n\n'),
      };
    } finally {
      await files.release(names);
    }
  }

  async #attempt(split: SplitPlan, known: Known): Promise<{ readonly rows: EncodedRows } | { readonly known: Known }> {
    const fetches = split.fetches.map((each) => this.#fetchOf(each));
    const reasons = split.keptBack.flatMap(({ reason, costsRows }) => (costsRows ? [reason] : []));
    const fetched = await this.#fetcher.fetch(fetches, this.#request, this.#signal, reasons);
    try {
      const { rowsMax, bytesMax } = this.#request;
      const reads = () => readsOf(split, fetched);
      const sql = this.#rest(split, fetched);
      const rows = await this.#runner(fetched).runRows(sql, { rowsMax, bytesMax }, this.#signal, reads);
      const { files } = this.#fetcher;
      this.#rowsScanned = fetched.reduce((sum, { alias, rows: count }) => sum + (files.eventsOf(alias) ?? count), 0);
      return { rows };
    } catch (error) {
      const unfit = unfitRows(error);
      if (unfit === null) throw error;
      const failed = failedChecks(split, fetched, unfit);
      const irregular = failed.flatMap(({ check, position }) => (check.kind === 'irregular' ? [position] : []));
      // Before all others, because they found what they found with values that may be wrong.
      if (irregular.length > 0) return { known: await this.#learn(split, fetches, irregular, known) };
      const avoid = avoidedPart(failed);
      if (avoid === null || known.avoid.has(avoid)) throw error;
      return { known: { ...known, avoid: new Set([...known.avoid, avoid]) } };
    } finally {
      await this.#fetcher.files.release(fetched);
    }
  }

  /** What is known after the facts about the events of these fetches. */
  async #learn(
    split: SplitPlan,
    fetches: readonly Fetch[],
    positions: readonly number[],
    known: Known,
  ): Promise<Known> {
    const irregular = new Map(known.irregular);
    for (const position of positions) {
      const fetch = fetches[position];
      const timestamp = split.fetches[position]?.scan.columns.timestamp;
      if (fetch === undefined || timestamp === undefined) continue;
      const facts = await this.#fetcher.facts(fetch, this.#request, this.#signal);
      irregular.set(timestamp, new Set([...(irregular.get(timestamp) ?? []), ...facts.irregular]));
    }
    return { ...known, irregular };
  }

  #split({ irregular, avoid }: Known): SplitPlan {
    const { place } = this.#fetcher;
    return this.#plan.at(() =>
      splitPlan({
        plan: this.#plan,
        tableOf: (scan) => this.#tableOf(place, scan),
        factsOf: ({ columns, source }) => {
          const known = irregular.get(columns.timestamp) ?? new Set();
          // Every row of such a table is marked as unreadable (existingView.ts).
          return { irregular: known, isReadable: source.existing === undefined && !known.has(unreadableKey) };
        },
        rowsNeeded: this.#request.rowsMax + 1,
        avoid,
      }),
    );
  }

  #tableOf(place: TablePlace, scan: ScanRelation): EventTable {
    const { source } = scan;
    const bounds = this.#plan.bounds.get(scan.columns.timestamp);
    return {
      from: readTable(place, source.name),
      columns: {
        id: '`id`',
        timestamp: '`timestamp`',
        event_message: '`event_message`',
        metadata: '`metadata`',
        project: '`project`',
      },
      arrival: quoteIdentifier(arrivalColumn),
      hot: new Map(source.hotColumns.map(({ column }) => [column, quoteIdentifier(column)])),
      conditions: bounds === undefined ? [] : boundConditions(bounds, this.#request.projects),
      isIrregular: (keys) => irregularCondition(source, keys),
    };
  }

  #fetchOf({ sql, scan, columns, checks, countsEvents }: SplitFetch): Fetch {
    const bounds = this.#plan.bounds.get(scan.columns.timestamp);
    if (bounds === undefined) throw new Error('a scan has no bounds');
    return {
      bounds,
      sql,
      table: {
        columns: columns.map(columnOf),
        irregular: null,
        check: checks.length === 0 ? null : 'out_check',
        events: countsEvents ? 'out_events' : null,
      },
    };
  }

  #rest(split: SplitPlan, names: readonly Named[]): string {
    const parts = split.fetches.map(
      ({ table, columns }, i): FetchedPart => ({
        table,
        from: `"${names[i]?.alias}"."${table.name}"`,
        columns: new Map(columns.map((column) => [column.column, fetchedSql(column)])),
      }),
    );
    return restStatement(this.#plan, split, parts, this.#request.profile, this.#request.rowsMax);
  }

  /** The isolation check of the engine process lets a statement read only the rows of this run. */
  #runner(names: readonly Named[]) {
    const aliases = names.map(({ alias }) => alias);
    return this.#statements.boundTo(this.#request.projects, null, this.#time, this.#caller, aliases);
  }
}

interface FailedCheck {
  readonly check: Check;
  /** Of the fetch. */
  readonly position: number;
}

function failedChecks(split: SplitPlan, fetched: readonly Named[], { checks }: UnfitRows): readonly FailedCheck[] {
  return split.fetches.flatMap((fetch, position) => {
    const check = fetch.checks[(checks.get(fetched[position]?.alias ?? '') ?? 0) - 1];
    return check === undefined ? [] : [{ check, position }];
  });
}

/** The part to avoid because a check failed; null if none did. @throws ServiceError if the check is an error of the query */
function avoidedPart(failed: readonly FailedCheck[]): AvoidedPart | null {
  for (const { check } of failed) {
    if (check.kind === 'inexact') return check.part;
    if (check.kind !== 'error') continue;
    const { sentence, line, column } = check;
    throw new ServiceError('sql.data', `${sentence.replace(/\.$/, '')} (line ${line}, column ${column}).`, {
      errors: [{ line, column, message: sentence }],
    });
  }
  return null;
}

/** Types in the file; `fetchedSql` makes those of the query of them. */
function columnOf({ name, transport, column }: FetchedColumn): FetchedTable['columns'][number] {
  const plain = plainTypes[column.type.kind] ?? 'VARCHAR';
  const type = transport === 'plain' ? plain : transport === 'micros' || transport === 'days' ? 'BIGINT' : 'VARCHAR';
  return { name, type, inFile: name };
}

const plainTypes: Readonly<Partial<Record<Column['type']['kind'], string>>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  BOOL: 'BOOLEAN',
};

function readsOf({ fetches }: SplitPlan, names: readonly Named[]): readonly TableRead[] {
  return fetches.map(({ table }, i) => ({
    file: { alias: names[i]?.alias ?? '', kind: 'sealed' },
    part: { table: table.name, projects: null, fromMicros: null, toMicros: null },
  }));
}
