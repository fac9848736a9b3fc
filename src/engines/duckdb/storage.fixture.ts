import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ManualClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import type { Observation } from '../../core/observation.ts';
import type { EventBatch, HotValue, StoredEvent } from '../../ports/eventLog.ts';
import type { FileManifest } from '../../ports/fileManifest.ts';
import { builtinSources } from '../../sources/builtin.ts';
import type { Source } from '../../sources/source.ts';
import type { ReadDevice } from './files/freeSpace.ts';
import { ManifestInMemory } from './files/manifestInMemory.ts';
import { arrivalColumn, tableInFile, tableLayout } from './files/tableLayout.ts';
import { type DuckDbStorage, type DuckDbStorageOptions, openDuckDbStorage } from './openDuckDbStorage.ts';
import type { StatementValue } from './query/statementRunner.ts';
import type { DuckDbSettings } from './settings.ts';

/** Options of the storage that a test chooses. */
export type GivenOptions = Pick<
  DuckDbStorageOptions,
  'removals' | 'openDeletions' | 'deletionDone' | 'deletionReopened' | 'turns' | 'standby'
>;

export const never = new AbortController().signal;

/** A storage in its own folder, for tests. */
export class TestStorage {
  readonly dataDir: string;
  readonly clock = new ManualClock(1_700_000_000_000_000);
  readonly observations: Observation[] = [];
  readonly manifest: FileManifest;
  readonly #settings: Partial<DuckDbSettings>;
  readonly #sources: readonly Source[];
  readonly #readDevice: ReadDevice | undefined;
  /** Passed to the storage when it is opened. */
  given: GivenOptions = {};
  /** Called with each observation. */
  onObservation: (observation: Observation) => void = () => undefined;
  #storage: DuckDbStorage | null = null;

  constructor(
    dataDir: string,
    settings: Partial<DuckDbSettings>,
    sources: readonly Source[],
    manifest: FileManifest = new ManifestInMemory(),
    readDevice?: ReadDevice,
  ) {
    this.dataDir = dataDir;
    this.#settings = settings;
    this.#sources = sources;
    this.manifest = manifest;
    this.#readDevice = readDevice;
  }

  static async open(
    settings: Partial<DuckDbSettings> = {},
    sources: readonly Source[] = builtinSources,
    readDevice?: ReadDevice,
    given: GivenOptions = {},
  ): Promise<TestStorage> {
    const dataDir = await mkdtemp(join(tmpdir(), 'logmill-storage-[p]*{b}='));
    const test = new TestStorage(dataDir, settings, sources, new ManifestInMemory(), readDevice);
    test.given = given;
    await test.reopen();
    return test;
  }

  get storage(): DuckDbStorage {
    if (this.#storage === null) throw new Error('the storage is closed');
    return this.#storage;
  }

  get eventsDir(): string {
    return join(this.dataDir, 'events');
  }

  async reopen(): Promise<void> {
    await this.#storage?.close();
    this.#storage = await openDuckDbStorage({
      dataDir: this.dataDir,
      clock: this.clock,
      randomness: systemRandomness,
      observe: (observation) => {
        this.observations.push(observation);
        this.onObservation(observation);
      },
      sources: this.#sources,
      manifest: this.manifest,
      // Statements wait however long a new process takes to start on a busy machine.
      settings: { restartWaitMs: 300_000, ...this.#settings },
      ...this.given,
      ...(this.#readDevice === undefined ? {} : { readDevice: this.#readDevice }),
    });
  }

  async closeStorage(): Promise<void> {
    await this.#storage?.close();
    this.#storage = null;
  }

  async close(): Promise<void> {
    await this.closeStorage();
    await rm(this.dataDir, { recursive: true });
  }

  /** Sends kill -9 to the engine process, as soon as there is one. */
  async killEngine(): Promise<void> {
    for (;;) {
      const pid = this.storage.enginePid;
      if (pid !== null) {
        process.kill(pid, 'SIGKILL');
        return;
      }
      await delay(1);
    }
  }

  /** Waits for an observation of this kind after the first `after` observations. */
  async observed(kind: Observation['kind'], after = 0): Promise<Observation> {
    for (const endMs = performance.now() + 60_000; ; ) {
      const found = this.observations.slice(after).find((observation) => observation.kind === kind);
      if (found !== undefined) return found;
      if (performance.now() > endMs)
        throw new Error(`there was no ${kind} in a minute, only ${kindsOf(this.observations)}`);
      await delay(2);
    }
  }

  /** Values of a SELECT over all segments; `{edge_logs}` means the table in all of them. */
  async values(sql: string): Promise<readonly (readonly StatementValue[])[]> {
    const lease = this.storage.files.lease();
    try {
      const statement = sql.replaceAll(/\{(\w+)\}/g, (_, source: string) => {
        const { columns: ofSource } = tableLayout(this.#source(source));
        const columns = [...ofSource.map(({ name }) => `"${name}"`), arrivalColumn];
        const tables = lease.files
          .filter((file) => file.stats(source, null) !== null)
          .map((file) => `SELECT ${columns.join(', ')} FROM ${tableInFile(file.alias, source)}`);
        return tables.length > 0
          ? `(${tables.join(' UNION ALL ')})`
          : `(SELECT NULL::VARCHAR AS id, NULL::BIGINT AS ${arrivalColumn} LIMIT 0)`;
      });
      return await this.storage.statements.runValues(statement, never);
    } finally {
      lease.release();
    }
  }

  async ids(source = 'edge_logs'): Promise<readonly string[]> {
    return (await this.values(`SELECT id FROM {${source}} ORDER BY id`)).map(([id]) => String(id));
  }

  /** Every event of a source, as stored. */
  async read(source: string): Promise<readonly StoredEvent[]> {
    const layout = tableLayout(this.#source(source));
    const columns = layout.columns.map(({ name, type }) => {
      if (type === 'TIMESTAMP') return `epoch_us("${name}")`;
      return `"${name}"`;
    });
    const lease = this.storage.files.lease();
    const isEmpty = lease.files.every((file) => file.stats(source, null) === null);
    lease.release();
    if (isEmpty) return [];
    const rows = await this.values(`SELECT ${columns.join(', ')} FROM {${source}}`);
    return rows.map(([id, micros, project, eventMessage, metadata, ...hot]) => ({
      id: String(id),
      timestampMicros: Number(micros),
      project: String(project),
      eventMessage: String(eventMessage),
      metadata: metadata === null || metadata === undefined ? null : String(metadata),
      hot: hot.map((cell, index): HotValue => {
        return cell !== null && layout.columns[index + 5]?.type === 'BIGINT' ? BigInt(cell) : cell;
      }),
      irregular: [],
    }));
  }

  #source(name: string): Source {
    const source = this.#sources.find((other) => other.name === name);
    if (source === undefined) throw new Error(`no source ${name}`);
    return source;
  }
}

/**
 * Copies a folder in use, as a crash at this moment would leave it. Unused files disappear in the background; if one
 * does during the copy, the copy is repeated.
 */
export async function copyOfFolder(dataDir: string): Promise<string> {
  for (;;) {
    const copy = await mkdtemp(join(tmpdir(), 'logmill-copy-'));
    try {
      await cp(dataDir, copy, { recursive: true });
      return copy;
    } catch (error) {
      await rm(copy, { recursive: true });
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A batch of edge_logs with one event per id. */
export function edgeBatch(
  ids: readonly string[],
  event: Partial<StoredEvent> = {},
  identity: EventBatch['identity'] = null,
): EventBatch {
  const hot = builtinSources.find(({ name }) => name === 'edge_logs')?.hotColumns ?? [];
  return {
    source: 'edge_logs',
    identity,
    events: ids.map((id) => ({
      id,
      timestampMicros: 1_700_000_000_000_000,
      project: 'p',
      eventMessage: 'GET /',
      metadata: '{}',
      hot: hot.map(() => null),
      irregular: [],
      ...event,
    })),
  };
}

const kindsOf = (observations: readonly Observation[]) => observations.map(({ kind }) => kind).join(', ');
