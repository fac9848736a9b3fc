import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import type { Observation } from '../../src/core/observation.ts';
import { ManifestInMemory } from '../../src/engines/duckdb/files/manifestInMemory.ts';
import { type DuckDbStorage, openDuckDbStorage } from '../../src/engines/duckdb/openDuckDbStorage.ts';
import { DuckDbQueryEngine } from '../../src/engines/duckdb/query/duckdbQueryEngine.ts';
import { createIngest, defaultIngestLimits } from '../../src/ingest/ingest.ts';
import { sourceDirectory } from '../../src/ingest/sourceDirectory.ts';
import type { QueryEngine } from '../../src/ports/queryEngine.ts';
import { builtinSources } from '../../src/sources/builtin.ts';

/** A real engine over a sealed and an active file that hold the given events, by source. */
export class FuzzedEngine {
  readonly engine: QueryEngine;
  readonly observations: Observation[];
  readonly #storage: DuckDbStorage;
  readonly #dataDir: string;

  private constructor(storage: DuckDbStorage, dataDir: string, observations: Observation[]) {
    this.#storage = storage;
    this.#dataDir = dataDir;
    this.observations = observations;
    this.engine = new DuckDbQueryEngine(storage.files, storage.statements);
  }

  static async open(events: Readonly<Record<string, readonly object[]>>): Promise<FuzzedEngine> {
    const dataDir = await mkdtemp(join(tmpdir(), 'logmill-fuzz-'));
    const observations: Observation[] = [];
    const storage = await openDuckDbStorage({
      dataDir,
      clock: systemClock,
      randomness: systemRandomness,
      observe: (observation) => observations.push(observation),
      sources: builtinSources,
      manifest: new ManifestInMemory(),
    });
    const ingest = createIngest({
      eventLog: storage.log,
      sources: sourceDirectory(builtinSources),
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      defaultProject: 'p',
      limits: defaultIngestLimits,
    });
    const send = async (part: string) => {
      for (const [source, given] of Object.entries(events)) {
        await ingest.accept({
          tokenId: 'fuzz',
          maySend: () => true,
          projects: null,
          sourceCandidates: [{ place: 'here', name: source }],
          contentType: 'application/json',
          contentEncoding: undefined,
          body: Buffer.from(JSON.stringify(given)),
          idempotencyKey: part,
          strict: true,
        });
      }
    };
    await send('sealed');
    await storage.sealNow();
    await send('active');
    return new FuzzedEngine(storage, dataDir, observations);
  }

  async close(): Promise<void> {
    await this.#storage.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
