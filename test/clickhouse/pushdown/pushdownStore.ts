import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Pause } from '../../../src/core/concurrency/turns.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { answerFormat } from '../../../src/engines/clickhouse/answer/answerFormat.ts';
import { type DirectAnswer, directAnswer } from '../../../src/engines/clickhouse/answer/directAnswer.ts';
import { meaningSettings } from '../../../src/engines/clickhouse/connection/readSettings.ts';
import {
  type AvoidedPart,
  type Check,
  type EventFacts,
  type EventTable,
  type Fetch,
  fetchedSql,
} from '../../../src/engines/clickhouse/emit/fetch.ts';
import { isOuterMicros, outerTimeKey } from '../../../src/engines/clickhouse/emit/outerTimes.ts';
import { isReadableJson, unreadableKey } from '../../../src/engines/clickhouse/emit/readableJson.ts';
import { emitSettings } from '../../../src/engines/clickhouse/emit/settings.ts';
import { splitPlan } from '../../../src/engines/clickhouse/emit/splitPlan.ts';
import { boundConditions } from '../../../src/engines/clickhouse/query/boundConditions.ts';
import { fetchBreach } from '../../../src/engines/clickhouse/query/fetchCheck.ts';
import { irregularCondition } from '../../../src/engines/clickhouse/query/irregularCondition.ts';
import { quoteText as quoteForClickHouse } from '../../../src/engines/clickhouse/sqlText.ts';
import { lastColumns, tableColumns } from '../../../src/engines/clickhouse/tables/tableLayout.ts';
import { rowsStatement } from '../../../src/engines/duckdb/emit/emitStatement.ts';
import { duckType } from '../../../src/engines/duckdb/emit/literal.ts';
import { arrivalColumn, createTableSql, tableLayout } from '../../../src/engines/duckdb/files/tableLayout.ts';
import { StatementSteps } from '../../../src/engines/duckdb/process/scripted/scriptedFunction.ts';
import { registerScriptedFunctions } from '../../../src/engines/duckdb/process/scripted/scriptedFunctions.ts';
import { quoteText } from '../../../src/engines/duckdb/sqlText.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { type QueryPlan, QueryPlanner } from '../../../src/googlesql/plan/queryPlan.ts';
import type { ScanRelation } from '../../../src/googlesql/resolve/tree.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import type { TestClickHouse } from '../startClickHouse.ts';

export interface Answer {
  /** Rows as JSON objects, in order; or the sentence of an error. */
  readonly rows: readonly string[] | string;
}

export interface PushedAnswer extends Answer {
  readonly fetches: readonly Fetch[];
  readonly keptBack: readonly string[];
  /** Rows that came back from ClickHouse. */
  readonly fetchedRows: number;
}

export interface PushOptions {
  readonly mutate?: (sql: string) => string;
}

const same = (sql: string): string => sql;
const nothingKnown: EventFacts = { irregular: new Set(), isReadable: true };
/** In the order in which `#storeInClickHouse` writes them. */
const last = lastColumns.map(({ name }) => name);
/** A first one, one that knows the facts, and one without what is inexact; then once more of each. */
const attemptsMax = 6;

const project = 'p';
const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** An event without what is computed from its metadata. */
export interface GivenEvent {
  readonly id: string;
  readonly timestampMicros: number;
  readonly project: string;
  readonly eventMessage: string;
  readonly metadata: string | null;
}

/** How many shards a table has; the events of two are stored in turns. */
type ShardCount = 1 | 2;

type RunsClickHouse = Pick<TestClickHouse, 'run' | 'runForBytes'>;

/** The same events in DuckDB and in ClickHouse, and the answers of both to a query. */
export class PushdownStore {
  readonly #duckdb: DuckDBConnection;
  readonly #clickhouse: RunsClickHouse;
  readonly #database: string;
  readonly #shards: ShardCount;
  readonly #facts = new Map<string, EventFacts>();

  private constructor(duckdb: DuckDBConnection, clickhouse: RunsClickHouse, database: string, shards: ShardCount) {
    this.#duckdb = duckdb;
    this.#clickhouse = clickhouse;
    this.#database = database;
    this.#shards = shards;
  }

  /** With two shards, queries read Distributed tables, as in a cluster. */
  static async open(clickhouse: RunsClickHouse, database: string, shards: ShardCount = 1): Promise<PushdownStore> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const duckdb = await instance.connect();
    registerScriptedFunctions(duckdb, new StatementSteps());
    await duckdb.run("SET TimeZone = 'UTC'");
    await duckdb.run("ATTACH ':memory:' AS sealed_1");
    return new PushdownStore(duckdb, clickhouse, database, shards);
  }

  /** Replaces the events of a source. They arrive in this order. */
  async store(sourceName: string, given: readonly GivenEvent[]): Promise<void> {
    const source = sources.get(sourceName);
    if (source === undefined) throw new Error(`no source ${sourceName}`);
    const events = given.map((event) => stored(event, source));
    const own = events.filter((event) => event.project === project);
    this.#facts.set(sourceName, {
      irregular: new Set(
        own.flatMap(({ irregular, timestampMicros }) =>
          isOuterMicros(timestampMicros) ? [...irregular, outerTimeKey] : irregular,
        ),
      ),
      isReadable: own.every(({ metadata }) => metadata === null || isReadableJson(metadata)),
    });
    await this.#storeInDuckDb(source, events);
    await this.#storeInClickHouse(source, events);
  }

  async #storeInDuckDb(source: Source, events: readonly StoredEvent[]): Promise<void> {
    await this.#duckdb.run(`DROP TABLE IF EXISTS sealed_1."${source.name}"`);
    await this.#duckdb.run(createTableSql('sealed_1', tableLayout(source), 'active'));
    for (const [i, event] of events.entries()) {
      const cells = [
        quoteText(event.id),
        `make_timestamp(${event.timestampMicros})`,
        quoteText(event.project),
        quoteText(event.eventMessage),
        event.metadata === null ? 'NULL' : quoteText(event.metadata),
        ...event.hot.map((cell) => (typeof cell === 'string' ? quoteText(cell) : String(cell ?? 'NULL'))),
        String(i + 1),
      ];
      await this.#duckdb.run(`INSERT INTO sealed_1."${source.name}" VALUES (${cells.join(', ')})`);
    }
  }

  async #storeInClickHouse(source: Source, events: readonly StoredEvent[]): Promise<void> {
    const table = await this.#createTable(source);
    const rows = events.map((event, i) => {
      const text = (value: string | null) => (value === null ? 'NULL' : quoteForClickHouse(value));
      const cells = [
        text(event.id),
        `fromUnixTimestamp64Micro(toInt64(${event.timestampMicros}), 'UTC')`,
        text(event.project),
        text(event.eventMessage),
        text(event.metadata),
        ...event.hot.map((cell) => (typeof cell === 'string' ? text(cell) : String(cell ?? 'NULL'))),
        `[${notedOf(event).map(text).join(', ')}]`,
        String(source.hotColumns.length),
        String(i + 1),
      ];
      return `(${cells.join(', ')})`;
    });
    const hot = source.hotColumns.map(({ column }) => `\`${column}\``);
    const names = ['id', 'timestamp', 'project', 'event_message', 'metadata', ...hot, ...last];
    if (rows.length > 0)
      await this.#clickhouse.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${rows.join(', ')}`, {});
  }

  /** Creates an empty table, and returns the name of the one that takes rows. */
  async #createTable(source: Source): Promise<string> {
    const named = (prefix: string) => `${this.#database}.\`${prefix}${source.name}\``;
    const run = async (statement: string) => await this.#clickhouse.run(statement, {});
    const defined = tableColumns(source).map(({ name, type }) => `\`${name}\` ${type}`);
    const create = async (table: string, columns: readonly string[]) => {
      await run(`DROP TABLE IF EXISTS ${table} SYNC`);
      await run(`CREATE TABLE ${table} (${columns.join(', ')}) ENGINE = MergeTree ORDER BY (project, timestamp)`);
    };
    if (this.#shards === 1) {
      await create(named(''), defined);
      return named('');
    }
    // All shards are one process, so they have one table. A view shows each shard its own rows.
    await create(named('all_'), [...defined, `shard UInt8 MATERIALIZED 1 + ${arrivalColumn} % 2`]);
    await run(`CREATE OR REPLACE VIEW ${named('shard_')} AS SELECT * FROM ${named('all_')} WHERE shard = shardNum()`);
    await run(
      `CREATE OR REPLACE TABLE ${named('')} (${defined.join(', ')}) ENGINE = Distributed(two_shards, ${this.#database}, 'shard_${source.name}')`,
    );
    return named('all_');
  }

  /** The answer of DuckDB, which the conformance suite holds equal to GoogleSQL. */
  async reference(text: string): Promise<Answer> {
    const plan = planOf(text);
    const rowsMax = rowsMaxOf(plan);
    const choice = {
      databases: ['sealed_1'],
      ordinals: new Map(),
      kept: new Map(),
      unnumbered: new Map(),
    };
    const choices = new Map(
      [...plan.bounds].map(([timestamp, { scan }]) => [
        timestamp,
        { ...choice, irregular: this.#factsOf(scan.source.name).irregular },
      ]),
    );
    return await this.#run(() => plan.at(() => rowsStatement(plan, choices, plan.bounds, 'plain', rowsMax).sql));
  }

  /**
   * The answer with everything pushed that can be. Like a run in the service, it begins without facts about the events, and
   * learns them only if a statement finds an irregular event. `mutate` changes the statements for ClickHouse.
   */
  async pushed(text: string, { mutate = same }: PushOptions = {}): Promise<PushedAnswer> {
    const known = new Map<string, EventFacts>();
    let avoid: ReadonlySet<AvoidedPart> = new Set();
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const plan = planOf(text);
      const rowsMax = rowsMaxOf(plan);
      const split = plan.at(() =>
        splitPlan({
          plan,
          tableOf: (scan) => this.#tableOf(scan, plan),
          factsOf: ({ source }) => known.get(source.name) ?? nothingKnown,
          rowsNeeded: rowsMax + 1,
          canJoin: this.#shards === 1,
          avoid,
        }),
      );
      const keptBack = split.keptBack.map(({ reason, costsRows }) => `${reason}${costsRows ? ' (rows)' : ''}`);
      const facts = { fetches: split.fetches, keptBack };
      let fetchedRows = 0;
      const failed: (Check & { readonly sources: readonly string[] })[] = [];
      for (const fetch of split.fetches) {
        const fetched = await this.#fetch(fetch, mutate);
        fetchedRows += fetched.rows;
        const check = fetch.checks[fetched.check - 1];
        if (check !== undefined) failed.push({ ...check, sources: sourcesOf(fetch) });
      }
      const irregular = failed.filter(({ kind }) => kind === 'irregular');
      for (const source of irregular.flatMap(({ sources }) => sources)) known.set(source, this.#factsOf(source));
      if (irregular.length > 0) continue;
      for (const check of failed) if (check.kind === 'error') return { rows: check.sentence, ...facts, fetchedRows };
      if (failed.length > 0) {
        avoid = new Set(['json', 'unnest', 'members', 'casts']);
        continue;
      }
      const rest: QueryPlan = { ...plan, relation: split.relation, outputs: split.outputs, bounds: new Map() };
      const sql = () => plan.at(() => rowsStatement(rest, new Map(), new Map(), 'plain', rowsMax).sql);
      const answer = await this.#run(sql);
      const direct = directAnswer(split, plan, 'plain');
      if (direct === null) return { ...answer, ...facts, fetchedRows };
      const rows = await this.#directly(direct, rowsMax, fetchedRows, mutate);
      if (rows === null) {
        // A statement that was changed may return what is no text.
        if (mutate === same) throw new Error('the service would have DuckDB read these rows');
        return { ...answer, ...facts, fetchedRows };
      }
      // Their order differs if the query leaves it open.
      if (JSON.stringify([...rows].sort()) !== JSON.stringify([...answer.rows].sort()))
        throw new Error(`rows that DuckDB did not read differ from those that it read: ${rows.join()}, ${answer.rows}`);
      return { rows, ...facts, fetchedRows };
    }
    throw new Error('a query was split again and again: a statement trusts what is known to be wrong');
  }

  /** The rows of a query that ClickHouse computes whole, as the service reads them; null if it cannot read them. */
  async #directly(
    direct: DirectAnswer,
    rowsMax: number,
    announced: number,
    mutate: (sql: string) => string,
  ): Promise<readonly string[] | null> {
    const format = answerFormat(direct, { rowsMax: rowsMax + 1, ...unbounded }, new Pause());
    const body = await this.#clickhouse.runForBytes(`${mutate(direct.fetch.sql)}\nFORMAT ${format.name}`, settings);
    const read = await format.read(inChunks(body), { rows: announced, readRows: 0, readBytes: 0 });
    return read === null ? null : rowTexts(Buffer.from(read.rows.rows).toString());
  }

  async #fetch(
    fetch: Fetch,
    mutate: (sql: string) => string,
  ): Promise<{ readonly rows: number; readonly check: number }> {
    const tables = sourcesOf(fetch).map((source) => `${this.#database}.${source}`);
    const breach = fetchBreach(fetch.sql, new Set(tables), [project]);
    if (breach !== null) throw new Error(`the engine would not send ${fetch.sql}: ${breach}`);
    const text = await this.#clickhouse.run(`${mutate(fetch.sql)}\nFORMAT JSONCompactEachRow`, settings);
    const rows = text.split('\n').filter((line) => line !== '');
    const typed = fetch.columns.map(({ name, transport, column }, i) => {
      const type =
        transport === 'plain'
          ? duckType(column.type)
          : transport === 'json' || transport === 'scalar'
            ? 'VARCHAR'
            : 'BIGINT';
      return `CAST(r[${i + 1}] AS ${type}) AS ${name}`;
    });
    const check = fetch.checks.length === 0 ? '0' : `CAST(r[${typed.length + 1}] AS BIGINT)`;
    const read = fetch.columns.map((each) => {
      const sql = fetchedSql(each);
      return `${each.column.type.kind === 'JSON' ? `CAST(${sql} AS JSON)` : sql} AS c${each.column.id}`;
    });
    await this.#duckdb.run(
      `CREATE OR REPLACE TABLE raw AS SELECT ${typed.join(', ')}, ${check} AS failed FROM (SELECT unnest(from_json(${quoteText(`[${rows.join(',')}]`)}, '[["VARCHAR"]]')) AS r)`,
    );
    await this.#duckdb.run(`CREATE OR REPLACE TABLE w${fetch.table.id} AS SELECT ${read.join(', ')} FROM raw`);
    const found = await this.#duckdb.runAndReadAll('SELECT coalesce(max(failed), 0) FROM raw');
    return { rows: rows.length, check: Number(found.getRows()[0]?.[0] ?? 0) };
  }

  async #run(sql: () => string): Promise<Answer> {
    try {
      const result = await this.#duckdb.runAndReadAll(sql());
      const blobs = result.getRows().map(([row]) => Buffer.from((row as { bytes: Uint8Array }).bytes));
      return { rows: blobs.map((row) => row.toString()) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { rows: /logmill:\d+:\d+:(.*)$/m.exec(message)?.[1] ?? message };
    }
  }

  #tableOf({ source, columns }: ScanRelation, plan: QueryPlan): EventTable {
    const bounds = plan.bounds.get(columns.timestamp);
    const names = ['id', 'timestamp', 'event_message', 'metadata', 'project'] as const;
    return {
      from: `\`${this.#database}\`.\`${source.name}\``,
      columns: Object.fromEntries(names.map((name) => [name, name])) as EventTable['columns'],
      arrival: 'arrival_number',
      hot: new Map(source.hotColumns.map(({ column }) => [column, `\`${column}\``])),
      conditions: [`project = '${project}'`, ...(bounds === undefined ? [] : boundConditions(bounds, null))],
      bounds: bounds ?? null,
      isIrregular: (keys) => irregularCondition(source, keys),
    };
  }

  #factsOf(source: string): EventFacts {
    return this.#facts.get(source) ?? { irregular: new Set(), isReadable: true };
  }
}

const settings = Object.fromEntries(
  Object.entries({
    ...meaningSettings,
    ...emitSettings,
    output_format_json_quote_64bit_integers: '1',
    output_format_json_quote_denormals: '1',
    output_format_json_escape_forward_slashes: '0',
  }).map(([name, value]) => [name, String(value)]),
);

const unbounded = { bytesMax: Number.MAX_SAFE_INTEGER, answerBytesMax: Number.MAX_SAFE_INTEGER };

/** In small ones, which cut values. */
async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += 1000) yield bytes.subarray(from, from + 1000);
}

/** The texts of rows that are joined with commas. Each is an object, and DuckDB writes no white space. */
function rowTexts(joined: string): readonly string[] {
  const rows: string[] = [];
  let [depth, from, isText] = [0, 0, false];
  for (let at = 0; at < joined.length; at++) {
    const char = joined[at];
    if (char === '"') isText = !isText;
    else if (isText) at += char === '\\' ? 1 : 0;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > 0 || isText || char === ',') continue;
    rows.push(joined.slice(from, at + 1));
    from = at + 2;
  }
  return rows;
}

const sourcesOf = ({ scan, others }: Fetch): readonly string[] => [scan, ...others].map(({ source }) => source.name);

/** What ingestion notes of an event. */
function notedOf({ irregular, metadata }: StoredEvent): readonly string[] {
  return metadata === null || isReadableJson(metadata) ? irregular : [...irregular, unreadableKey];
}

function stored(event: GivenEvent, source: Source): StoredEvent {
  const metadata = event.metadata === null ? null : parseJson(event.metadata);
  const { values, irregular } = hotCells(metadata as never, source.hotColumns);
  return { ...event, hot: values, irregular };
}

/** The query's own LIMIT is not part of its plan. */
const rowsMaxOf = ({ query }: QueryPlan): number => query.outerLimit ?? 10_000;

function planOf(text: string): QueryPlan {
  return new QueryPlanner().plan({
    query: compileStored(text, { sources, parameters: new Map() }),
    parameters: new Map(),
    projects: [project],
    redaction: null,
    nowMicros: Date.UTC(2026, 4, 1) * 1000,
  });
}
