import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../src/core/clock.ts';
import { Turns } from '../../../src/core/concurrency/turns.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { systemTimer, type Timer } from '../../../src/core/timer.ts';
import {
  type ClickHouseStorage,
  type ClickHouseStorageOptions,
  openClickHouseStorage,
} from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import { noQueries } from '../../../src/engines/clickhouse/query/noQueries.ts';
import { type ClickHouseSettings, defaultClickHouseSettings } from '../../../src/engines/clickhouse/settings.ts';
import { readTable } from '../../../src/engines/clickhouse/tables/tableLayout.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { RemovedEvents } from '../../../src/ports/fileManifest.ts';
import { Removals } from '../../../src/retention/removals.ts';
import { RetentionRules } from '../../../src/retention/retentionRules.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import type { StoreDatabase } from '../../../src/stores/sql/schema.ts';
import { SqlCommitLedger } from '../../../src/stores/sql/sqlCommitLedger.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import type { TestClickHouse } from '../../clickhouse/startClickHouse.ts';

export const startMicros = 1_700_000_000_000_000;

export interface TestStorageOptions {
  readonly sources?: readonly Source[];
  readonly removals?: Removals;
  readonly settings?: Partial<ClickHouseSettings>;
  readonly openQueries?: ClickHouseStorageOptions['openQueries'];
  readonly storeInterruptions?: () => number;
  /** Instead of ClickHouse's own. */
  readonly urls?: readonly string[];
  /** The machine's by default. */
  readonly timer?: Timer;
}

/** The storage in ClickHouse, with a store in a temporary folder and a clock that is moved. */
export class TestClickHouseStorage {
  readonly clickhouse: TestClickHouse;
  readonly place: { readonly database: string; readonly cluster: null };
  readonly clock = new ManualClock(startMicros);
  readonly observations: Observation[] = [];
  readonly deletionsDone: number[] = [];
  /** What the storage has counted before it removed the events of deletions. */
  readonly removed: RemovedEvents[] = [];
  readonly removals: Removals;
  readonly sources: readonly Source[];
  readonly folder: string;
  readonly #options: TestStorageOptions;
  #database: StoreDatabase;
  #storage: ClickHouseStorage | null = null;

  private constructor(
    clickhouse: TestClickHouse,
    database: string,
    folder: string,
    store: StoreDatabase,
    options: TestStorageOptions,
  ) {
    this.clickhouse = clickhouse;
    this.place = { database, cluster: null };
    this.folder = folder;
    this.#database = store;
    this.#options = options;
    this.sources = options.sources ?? builtinSources;
    this.removals = options.removals ?? new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
  }

  static async open(clickhouse: TestClickHouse, options: TestStorageOptions = {}): Promise<TestClickHouseStorage> {
    const test = await TestClickHouseStorage.create(clickhouse, options);
    await test.start();
    return test;
  }

  /** Prepares what the storage needs, and does not open it. */
  static async create(clickhouse: TestClickHouse, options: TestStorageOptions = {}): Promise<TestClickHouseStorage> {
    const folder = await mkdtemp(join(tmpdir(), 'logmill-clickhouse-'));
    const database = await clickhouse.createDatabase();
    return new TestClickHouseStorage(clickhouse, database, folder, await openDatabase(folder), options);
  }

  async start(): Promise<void> {
    this.#storage = await openClickHouseStorage(this.#storageOptions());
  }

  get storage(): ClickHouseStorage {
    if (this.#storage === null) throw new Error('the storage is closed');
    return this.#storage;
  }

  /** The store. */
  get database(): StoreDatabase {
    return this.#database;
  }

  get ledger(): SqlCommitLedger {
    return new SqlCommitLedger(this.#database);
  }

  /** Opens another node on the same tables and store; with other sources, one of another version. */
  async another(changes: Partial<ClickHouseStorageOptions> = {}): Promise<ClickHouseStorage> {
    return await openClickHouseStorage({ ...this.#storageOptions(), ...changes });
  }

  async restart(): Promise<void> {
    await this.storage.close();
    await this.#database.destroy();
    this.#database = await openDatabase(this.folder);
    await this.start();
  }

  async close(): Promise<void> {
    await this.#storage?.close();
    await this.#database.destroy();
    await this.clickhouse.run(`DROP DATABASE IF EXISTS ${this.place.database} SYNC`);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Every visible event of a source, in the order of arrival numbers. */
  async read(source: string, storage: ClickHouseStorage = this.storage): Promise<readonly StoredEvent[]> {
    await storage.visible.ready();
    const visible = storage.visible.condition(source, null, this.clock.nowMicros());
    return await this.select(source, visible);
  }

  /** Events that fulfil a condition of ClickHouse, visible or not. */
  async select(source: string, condition = '1'): Promise<readonly StoredEvent[]> {
    const hot = this.sources.find(({ name }) => name === source)?.hotColumns ?? [];
    const columns = [
      'id',
      'toUnixTimestamp64Micro(timestamp)',
      'project',
      'event_message',
      'metadata',
      ...hot.map(({ column }) => `\`${column}\``),
    ];
    const text = await this.clickhouse.run(
      `SELECT ${columns.join(', ')} FROM ${readTable(this.place, source)} WHERE ${condition} ORDER BY arrival_number FORMAT JSONCompactEachRow`,
      { output_format_json_quote_64bit_integers: '0' },
    );
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [id, timestampMicros, project, eventMessage, metadata, ...cells] = JSON.parse(line);
        return { id, timestampMicros, project, eventMessage, metadata, hot: cells, irregular: [] };
      });
  }

  #storageOptions(): ClickHouseStorageOptions {
    const { url, user, password } = this.clickhouse;
    const account = { name: user, password };
    return {
      urls: this.#options.urls ?? [url],
      place: this.place,
      writer: account,
      reader: account,
      settings: { ...defaultClickHouseSettings, ...this.#options.settings },
      sources: this.sources,
      ledger: new SqlCommitLedger(this.#database),
      records: { countDeleted: async (removed) => void this.removed.push(...removed), advance: async () => {} },
      removals: this.removals,
      openDeletions: [],
      deletionDone: async ({ token }) => void this.deletionsDone.push(token),
      storeInterruptions: this.#options.storeInterruptions,
      openQueries: this.#options.openQueries ?? noQueries,
      clock: this.clock,
      timer: this.#options.timer ?? systemTimer,
      randomness: systemRandomness,
      turns: new Turns(),
      observe: (observation) => void this.observations.push(observation),
    };
  }
}
