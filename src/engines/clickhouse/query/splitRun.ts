import type { Pause } from '../../../core/concurrency/turns.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { Column, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type {
  Explanation,
  RowForm,
  RunCaller,
  RunRequest,
  RunTime,
  ValuesProfile,
} from '../../../ports/queryEngine.ts';
import { type FetchedPart, restStatement } from '../../duckdb/emit/emitStatement.ts';
import { isScripted, notStreamed } from '../../duckdb/host/statementRun.ts';
import type { FetchedTable } from '../../duckdb/process/protocol.ts';
import type { EncodedRows, EndOfRows, EngineRunner, TakeFrame } from '../../duckdb/query/statementRunner.ts';
import type { TableRead } from '../../duckdb/query/tableRead.ts';
import { answerFormat } from '../answer/answerFormat.ts';
import { directAnswer } from '../answer/directAnswer.ts';
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
import { allBounds, type Fetch, type Fetched } from './fetch.ts';
import { unfitRows } from './fetchedFiles.ts';
import type { Fetcher, FetchReasons, FetchUse } from './fetcher.ts';
import { irregularCondition } from './irregularCondition.ts';
import type { NestedMembers } from './nestedMembers.ts';
import { type RunInputs, rowsScannedOf } from './runInputs.ts';

type Named = Pick<Fetched, 'alias'>;

/** What to do with the rows of one attempt. */
interface RestWork<T> {
  readonly use: FetchUse;
  /** Takes the rows of a query that has no rest. Absent if DuckDB must read the rows of every query. */
  direct?(rows: EncodedRows): T;
  /** Called before anything is fetched. Throws if the rest cannot be run in this way. */
  check?(split: SplitPlan): void;
  run(split: SplitPlan, fetched: readonly Fetched[]): Promise<T>;
}

/** What is known of the events and values that a plan reads; each attempt knows more. */
interface Known {
  readonly irregular: ReadonlyMap<Column, ReadonlySet<string>>;
  readonly avoid: ReadonlySet<AvoidedPart>;
}

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
  readonly #pause: Pause;
  readonly #nestedMembers: NestedMembers;
  #rowsScanned = 0;

  constructor({ plan, request, fetcher, statements, signal, time, caller, pause, nestedMembers }: RunInputs) {
    this.#plan = plan;
    this.#request = request;
    this.#fetcher = fetcher;
    this.#statements = statements;
    this.#signal = signal;
    this.#time = time;
    this.#caller = caller;
    this.#pause = pause;
    this.#nestedMembers = nestedMembers;
  }

  get rowsScanned(): number | null {
    return rowsScannedOf(this.#plan, this.#rowsScanned);
  }

  /** The split with which the run begins. */
  first(): SplitPlan {
    return this.#split(this.#knownAtFirst, this.#rowsNeeded);
  }

  async rows(first: SplitPlan): Promise<EncodedRows> {
    const { rowsMax, bytesMax, profile, hasRowKeys = false } = this.#request;
    return await this.#run(first, {
      use: 'answers',
      direct: (rows) => rows,
      run: async (split, fetched) => {
        const sql = this.#rest(split, fetched, profile, rowsMax);
        const bounds = { rowsMax, bytesMax, hasRowKeys };
        const rows = await this.#runner(fetched).runRows(sql, bounds, this.#signal, () => readsOf(split, fetched));
        this.#countEvents(fetched);
        return rows;
      },
    });
  }

  /**
   * Hands over all rows in frames. They are fetched to disk first, so an attempt can be repeated until the first frame, which
   * comes after the fetched rows were checked.
   */
  async stream(take: TakeFrame, form?: RowForm): Promise<EndOfRows> {
    const { rowsMax, bytesMax, profile } = this.#request;
    const hasColumns = form?.kind === 'columns';
    return await this.#run(this.#split(this.#knownAtFirst, null), {
      use: 'streams',
      check: (split) => {
        const names = split.fetches.map((_, i) => ({ alias: `rows_${i}` }));
        const sql = this.#rest(split, names, profile, null, form);
        if (isScripted({ sql, cutoff: null, redactionTag: null })) throw notStreamed();
      },
      run: async (split, fetched) => {
        const sql = this.#rest(split, fetched, profile, null, form);
        const bounds = { rowsMax, bytesMax, hasColumns, doublesQuotes: form?.kind === 'csv' };
        const takeCounted: TakeFrame = async (frame) => {
          this.#countEvents(fetched);
          const { rows, rowCount } = frame;
          await take(form === undefined || hasColumns ? frame : { kind: 'lines', rows, rowCount });
        };
        const reads = () => readsOf(split, fetched);
        const end = await this.#runner(fetched).streamRows(sql, bounds, takeCounted, this.#signal, reads);
        this.#countEvents(fetched);
        return end;
      },
    });
  }

  async #run<T>(first: SplitPlan, work: RestWork<T>): Promise<T> {
    let known = this.#knownAtFirst;
    const rowsNeeded = work.use === 'streams' ? null : this.#rowsNeeded;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const split = attempt === 0 ? first : this.#split(known, rowsNeeded);
      const result = await this.#attempt(split, known, work);
      if ('given' in result) return result.given;
      known = result.known;
    }
    throw new Error('a query was split again and again');
  }

  get #knownAtFirst(): Known {
    const isNested = this.#nestedMembers.has(this.#request);
    return { irregular: new Map(), avoid: new Set(isNested ? ['members'] : []) };
  }

  get #rowsNeeded(): number {
    return this.#request.rowsMax + 1;
  }

  #countEvents(fetched: readonly Fetched[]): void {
    const { files } = this.#fetcher;
    this.#rowsScanned = fetched.reduce((sum, { alias, rows }) => sum + (files.eventsOf(alias) ?? rows), 0);
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
      const { profile, rowsMax } = this.#request;
      if (directAnswer(split, this.#plan, profile) !== null)
        return { statement: statements.join('\n\n'), plan: plans.join('\n\n') };
      const sql = this.#rest(split, names, profile, rowsMax);
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

  async #attempt<T>(
    split: SplitPlan,
    known: Known,
    work: RestWork<T>,
  ): Promise<{ readonly given: T } | { readonly known: Known }> {
    work.check?.(split);
    const fetches = split.fetches.map((each) => this.#fetchOf(each));
    const reasons = split.keptBack.flatMap(({ reason, costsRows }) => (costsRows ? [reason] : []));
    const direct = await this.#directly(split, fetches[0], reasons, work);
    if (direct !== null) {
      if (direct.check === 0) return { given: direct.given };
      return {
        known: await this.#knownAfter(split, fetches, [direct.check], known, new Error('a check failed twice')),
      };
    }
    const fetched = await this.#fetcher.fetch(fetches, this.#request, this.#signal, reasons, work.use);
    try {
      return { given: await work.run(split, fetched) };
    } catch (error) {
      const unfit = unfitRows(error);
      if (unfit === null) throw error;
      const checks = fetched.map(({ alias }) => unfit.checks.get(alias) ?? 0);
      return { known: await this.#knownAfter(split, fetches, checks, known, error) };
    } finally {
      await this.#fetcher.files.release(fetched);
    }
  }

  /** The rows of a query that has no rest; null if DuckDB must read them. */
  async #directly<T>(
    split: SplitPlan,
    fetch: Fetch | undefined,
    reasons: FetchReasons,
    { direct }: RestWork<T>,
  ): Promise<{ readonly given: T; readonly check: number } | null> {
    const { rowsMax, bytesMax, profile, hasRowKeys = false } = this.#request;
    const answer = direct === undefined ? null : directAnswer(split, this.#plan, profile);
    if (direct === undefined || answer === null || fetch === undefined) return null;
    const { answerBytesMax } = this.#fetcher;
    const format = answerFormat(answer, { rowsMax, bytesMax, hasRowKeys, answerBytesMax }, this.#pause);
    const read = await this.#fetcher.answer(fetch, this.#request, format, this.#signal, reasons);
    if (read === null) return null;
    this.#rowsScanned = read.events;
    return { given: direct(read.rows), check: read.check };
  }

  /**
   * What is known after checks of the fetched rows have failed. `checks`: the highest number that failed, by fetch.
   *
   * @throws `error` if that is not more than was known, ServiceError if a check is an error of the query
   */
  async #knownAfter(
    split: SplitPlan,
    fetches: readonly Fetch[],
    checks: readonly number[],
    known: Known,
    error: unknown,
  ): Promise<Known> {
    const failed = failedChecks(split, checks);
    const irregular = failed.flatMap(({ check, position }) => (check.kind === 'irregular' ? [position] : []));
    // Before all others, because they found what they found with values that may be wrong.
    if (irregular.length > 0) return await this.#learn(fetches, irregular, known);
    const avoid = avoidedPart(failed);
    if (avoid === null || known.avoid.has(avoid)) throw error;
    if (avoid === 'members') this.#nestedMembers.add(this.#request);
    return { ...known, avoid: new Set([...known.avoid, avoid]) };
  }

  /** What is known after the facts about the events of these fetches. */
  async #learn(fetches: readonly Fetch[], positions: readonly number[], known: Known): Promise<Known> {
    const irregular = new Map(known.irregular);
    for (const position of positions) {
      const fetch = fetches[position];
      for (const bounds of fetch === undefined ? [] : allBounds(fetch)) {
        const { timestamp } = bounds.scan.columns;
        const facts = await this.#fetcher.facts(bounds, this.#request, this.#signal);
        irregular.set(timestamp, new Set([...(irregular.get(timestamp) ?? []), ...facts.irregular]));
      }
    }
    return { ...known, irregular };
  }

  #split({ irregular, avoid }: Known, rowsNeeded: number | null): SplitPlan {
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
        rowsNeeded,
        // A table of a cluster shows all shards, whose rows would have to meet on one.
        canJoin: place.cluster === null,
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
      bounds: bounds ?? null,
      isIrregular: (keys) => irregularCondition(source, keys),
    };
  }

  #fetchOf({ sql, scan, others, columns, checks, countsEvents }: SplitFetch): Fetch {
    const boundsOf = ({ columns: { timestamp } }: ScanRelation) => {
      const bounds = this.#plan.bounds.get(timestamp);
      if (bounds === undefined) throw new Error('a scan has no bounds');
      return bounds;
    };
    return {
      bounds: boundsOf(scan),
      others: others.map(boundsOf),
      sql,
      table: {
        columns: columns.map(columnOf),
        irregular: null,
        check: checks.length === 0 ? null : 'out_check',
        events: countsEvents ? 'out_events' : null,
      },
    };
  }

  #rest(
    split: SplitPlan,
    names: readonly Named[],
    profile: ValuesProfile,
    rowsMax: number | null,
    form?: RowForm,
  ): string {
    const parts = split.fetches.map(
      ({ table, columns }, i): FetchedPart => ({
        table,
        from: `"${names[i]?.alias}"."${table.name}"`,
        columns: new Map(columns.map((column) => [column.column, fetchedSql(column)])),
      }),
    );
    return restStatement(this.#plan, split, parts, profile, rowsMax, form);
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

function failedChecks(split: SplitPlan, numbers: readonly number[]): readonly FailedCheck[] {
  return split.fetches.flatMap((fetch, position) => {
    const check = fetch.checks[(numbers[position] ?? 0) - 1];
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
