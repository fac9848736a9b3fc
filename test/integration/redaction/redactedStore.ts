import { isJsonObject } from '../../../src/core/jsonValue.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { compileCaller } from '../../../src/googlesql/compile.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { QueryEngine } from '../../../src/ports/queryEngine.ts';
import type { HarnessOptions, StorageHarness } from '../../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import { engineUnderTest, never } from '../../support/enginesUnderTest.ts';

export interface LoggedEvent {
  readonly id: string;
  readonly event_message: string;
  readonly metadata: object;
  /** `p` if absent, the only one that callers read. */
  readonly project?: string;
}

export interface RowsOptions {
  readonly isRaw?: boolean;
  /** The configuration that the service says it redacts by. */
  readonly redaction?: string;
  readonly signal?: AbortSignal;
}

export interface StoreVariant {
  readonly withHotColumns: boolean;
  readonly isSealed: boolean;
  readonly settings?: Pick<HarnessOptions, 'redaction' | 'redactionRowsMax'>;
}

const firstMicros = Date.UTC(2026, 5, 1) * 1000;

/** What a caller's queries may read. */
const stored = `with logs as (select t.timestamp, t.id, t.event_message, t.metadata from sources.edge_logs as t where t.project = 'p'),
few as (select t.timestamp, t.id, t.event_message, t.metadata from sources.edge_logs as t where t.project = 'p' and t.timestamp < '2026-06-01T00:00:20Z'),
payloads as (select t.id, t.metadata.payload, json_value(t.metadata.payload, '$.message') as message from sources.edge_logs as t where t.project = 'p')
select id from logs`;

/** The engine under test over edge_logs with these events, one a second from 2026-06-01; callers read \`logs\`, \`few\` with the first twenty, and \`payloads\`. */
export class RedactedStore {
  readonly #test: StorageHarness;
  readonly #source: Source;

  private constructor(test: StorageHarness, source: Source) {
    this.#test = test;
    this.#source = source;
  }

  static async open(
    events: readonly LoggedEvent[],
    { withHotColumns, isSealed, settings = {} }: StoreVariant,
  ): Promise<RedactedStore> {
    const edge = builtinSources.find(({ name }) => name === 'edge_logs');
    if (edge === undefined) throw new Error('there is no edge_logs');
    const source = withHotColumns ? edge : { ...edge, hotColumns: [] };
    const test = await engineUnderTest.open({ ...settings, sources: [source] });
    const batch = events.map(({ id, event_message, metadata, project = 'p' }, i) => {
      const text = JSON.stringify(metadata);
      const parsed = parseJson(text);
      if (!isJsonObject(parsed)) throw new Error('metadata is no object');
      const cells = hotCells(parsed, source.hotColumns);
      return {
        id,
        timestampMicros: firstMicros + i * 1_000_000,
        project,
        eventMessage: event_message,
        metadata: text,
        hot: cells.values,
        irregular: cells.irregular,
      };
    });
    await test.seed(source.name, batch);
    if (isSealed) await test.age();
    return new RedactedStore(test, source);
  }

  get description(): string {
    const { barrier } = this.#test.engine;
    if (barrier === undefined) throw new Error('the engine redacts nothing');
    return barrier;
  }

  /** The rows of a caller's query as JSON text, below the barrier unless `isRaw`; the second redaction is not applied. */
  async rows(
    sql: string,
    { isRaw = false, redaction = this.description, signal = never }: RowsOptions = {},
  ): Promise<string> {
    const context = { sources: new Map([[this.#source.name, this.#source]]), parameters: new Map() };
    const query = compileCaller(sql, stored, context);
    const result = await this.engine.run(
      {
        query,
        parameters: new Map(),
        projects: ['p'],
        redaction: isRaw ? null : redaction,
        nowMicros: firstMicros + 86_400_000_000,
        rowsMax: query.outerLimit ?? 1000,
        bytesMax: 2 ** 26,
        profile: 'plain',
      },
      signal,
    );
    return `[${Buffer.from(result.rows).toString()}]`;
  }

  get engine(): QueryEngine {
    return this.#test.engine.queries;
  }

  /** How often what runs plain statements was started. */
  get starts(): number {
    return this.#test.starts;
  }

  /** Resolves when the engine has answered something small. */
  async ping(): Promise<void> {
    await this.#test.engine.ping(never);
  }

  async close(): Promise<void> {
    await this.#test.close();
  }
}
