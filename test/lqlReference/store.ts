import { ServiceError } from '../../src/core/errors.ts';
import { isJsonObject } from '../../src/core/jsonValue.ts';
import { parseJson } from '../../src/core/losslessJson.ts';
import { DuckDbQueryEngine } from '../../src/engines/duckdb/query/duckdbQueryEngine.ts';
import { never, TestStorage } from '../../src/engines/duckdb/storage.fixture.ts';
import { hotCells } from '../../src/ingest/hotCells.ts';
import { compileLql } from '../../src/lql/compileLql.ts';
import { rowsMaxParameter } from '../../src/lql/rowsMaxParameter.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import type { Source } from '../../src/sources/source.ts';
import { edgeEvents, functionEvents, type LoggedEvent, now, redacted } from './events.ts';
import type { ColumnType, Row, Table } from './table.ts';
import { jsonText, type Value } from './value.ts';

const columns = 'timestamp, id, event_message, metadata';
/** Tables whose names mean something to what LQL becomes. */
const sameAsEdge = ['metadata', 'timestamp', 'element', 'chart', 'count'] as const;
const stored = `with edge as (select ${columns} from sources.edge_logs),
own_edge as (select ${columns} from sources.edge_logs as t where t.project = 'own'),
work as (select ${columns} from sources.function_logs),
typed as (select id as name, nullif(length(event_message), 0) as n, length(event_message) / 2 as half,
  if(event_message = '', null, timestamp > '2026-05-01') as young, split(event_message, ' ') as words, 1 as c from sources.edge_logs),
odd as (select id as t, length(event_message) as s, metadata as m, event_message as f, event_message as chart, id as timestamp, 1 as id
  from sources.edge_logs),
${sameAsEdge.map((name) => `${name} as (select ${columns} from sources.edge_logs),`).join('\n')}
timed as (select cast(timestamp as datetime) as timestamp, id, event_message, metadata.n from sources.edge_logs)
select 1 as one`;

/** How a query is run. */
export interface Call {
  readonly projects: readonly string[] | null;
  readonly isRedacted: boolean;
  readonly rowsMax: number;
}

export interface Answer {
  readonly names: readonly string[];
  /** By name, with every digit of whole numbers. */
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly hasMore: boolean;
}

/** Events in a real engine, half of them in a sealed file, and the same tables for the reference evaluator. */
export class LqlStore {
  readonly #test: TestStorage;
  readonly #engine: DuckDbQueryEngine;
  readonly #seed: number;
  readonly #sources: ReadonlyMap<string, Source>;

  private constructor(test: TestStorage, seed: number, sources: readonly Source[]) {
    this.#test = test;
    this.#seed = seed;
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  }

  static async open(seed: number): Promise<LqlStore> {
    const sources = builtinSources.filter(({ name }) => name === 'edge_logs' || name === 'function_logs');
    const test = await TestStorage.open({}, sources);
    const parts = [0, 1];
    for (const part of parts) {
      for (const source of sources) {
        const events = source.name === 'edge_logs' ? edgeEvents(seed) : functionEvents(seed);
        await append(
          test,
          source,
          events.filter((_, i) => Math.floor((i * parts.length) / events.length) === part),
        );
      }
      if (part === 0) await test.storage.sealNow();
    }
    return new LqlStore(test, seed, sources);
  }

  async close(): Promise<void> {
    await this.#test.close();
  }

  /** Throws ServiceError. */
  async ask(text: string, { projects, isRedacted, rowsMax }: Call): Promise<Answer> {
    const query = compileLql(text, stored, { sources: this.#sources, parameters: new Map() });
    const result = await this.#engine.run(
      {
        query,
        parameters: new Map([[rowsMaxParameter, { kind: 'int64', value: BigInt(rowsMax) }]]),
        projects,
        redaction: isRedacted ? this.#test.storage.statements.redactor.description : null,
        nowMicros: Number(now),
        rowsMax,
        bytesMax: 2 ** 24,
        profile: 'plain',
      },
      never,
    );
    const rows = parseJson(`[${Buffer.from(result.rows).toString()}]`) as Answer['rows'];
    return { names: query.columns.map(({ name }) => name), rows, hasMore: result.hasMore };
  }

  tables({ projects, isRedacted }: Call): readonly Table[] {
    const seen = (events: readonly LoggedEvent[]): readonly LoggedEvent[] =>
      events
        .filter(({ project }) => projects === null || projects.includes(project))
        .map((event) =>
          isRedacted
            ? { ...event, message: redacted(event.message), metadata: redacted<Value>(event.metadata) as never }
            : event,
        );
    const edge = seen(edgeEvents(this.#seed));
    return [
      logTable('edge', edge),
      logTable(
        'own_edge',
        edge.filter(({ project }) => project === 'own'),
      ),
      logTable('work', seen(functionEvents(this.#seed))),
      ...sameAsEdge.map((name) => logTable(name, edge)),
      { name: 'odd', columns: oddColumns, rows: edge.map(oddRow) },
      { name: 'typed', columns: typedColumns, rows: edge.map(typedRow) },
      {
        name: 'timed',
        columns: { timestamp: 'DATETIME', id: 'STRING', event_message: 'STRING', n: 'JSON' },
        rows: edge.map((event) => ({ ...logRow(event), n: event.metadata?.n ?? null })),
      },
    ];
  }
}

async function append(test: TestStorage, source: Source, events: readonly LoggedEvent[]): Promise<void> {
  const rows = events.map(({ id, micros, project, message, metadata }) => {
    const text = metadata === null ? null : jsonText(metadata);
    const parsed = text === null ? null : parseJson(text);
    if (parsed !== null && !isJsonObject(parsed)) throw new Error('metadata is no object');
    const cells = hotCells(parsed, source.hotColumns);
    return {
      id,
      timestampMicros: Number(micros),
      project,
      eventMessage: message,
      metadata: text,
      hot: cells.values,
      irregular: cells.irregular,
    };
  });
  await test.storage.log.append({ source: source.name, events: rows, identity: null });
}

const logRow = ({ id, micros, message, metadata }: LoggedEvent): Row => ({
  timestamp: micros,
  id,
  event_message: message,
  metadata,
});

const logTable = (name: string, events: readonly LoggedEvent[]): Table => ({
  name,
  columns: { timestamp: 'TIMESTAMP', id: 'STRING', event_message: 'STRING', metadata: 'JSON' },
  rows: events.map(logRow),
});

/** Columns called as clauses are, and as those of a log without being like them. */
const oddColumns: Readonly<Record<string, ColumnType>> = {
  t: 'STRING',
  s: 'INT64',
  m: 'JSON',
  f: 'STRING',
  chart: 'STRING',
  timestamp: 'STRING',
  id: 'INT64',
};

const oddRow = ({ id, message, metadata }: LoggedEvent): Row => ({
  t: id,
  s: [...message].length,
  m: metadata,
  f: message,
  chart: message,
  timestamp: id,
  id: 1,
});

const typedColumns: Readonly<Record<string, ColumnType>> = {
  name: 'STRING',
  n: 'INT64',
  half: 'FLOAT64',
  young: 'BOOL',
  words: 'ARRAY<STRING>',
  c: 'INT64',
};

function typedRow({ id, micros, message }: LoggedEvent): Row {
  const length = [...message].length;
  return {
    name: id,
    n: length === 0 ? null : length,
    half: length / 2,
    young: message === '' ? null : micros > BigInt(Date.UTC(2026, 4, 1)) * 1000n,
    words: message.split(' '),
    c: 1,
  };
}

export const isRefusal = (error: unknown): error is ServiceError => error instanceof ServiceError;
