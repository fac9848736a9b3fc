import { copyFile, cp, mkdtemp, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Observation } from '../../core/observation.ts';
import type { SealedFileRecord } from '../../ports/fileManifest.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { ManifestInMemory } from './files/manifestInMemory.ts';
import { EngineConnection, type EngineReply } from './host/engineConnection.ts';
import type { CallName, EngineCalls } from './process/protocol.ts';
import { edgeBatch, TestStorage } from './storage.fixture.ts';

/** An engine process that gets kill -9 at one of the calls that a start makes. */
class KilledEngine extends EngineConnection {
  readonly calls: string[] = [];
  readonly #killedAt: number;
  readonly #moment: 'before' | 'after';

  constructor(killedAt: number, moment: 'before' | 'after') {
    super(4);
    this.#killedAt = killedAt;
    this.#moment = moment;
  }

  override async call<Name extends CallName>(
    call: Name,
    takes: EngineCalls[Name]['takes'],
    payload: readonly Uint8Array[] = [],
  ): Promise<EngineReply<Name>> {
    this.calls.push(call);
    if (this.calls.length !== this.#killedAt) return await super.call(call, takes, payload);
    if (this.#moment === 'before') this.kill();
    const reply = await super.call(call, takes, payload);
    this.kill();
    await this.ended;
    return reply;
  }
}

const opened: TestStorage[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** A folder after a crash: a sealed segment, one that was put back from quarantine, and an active one. */
let crashed: { readonly dataDir: string; readonly records: readonly SealedFileRecord[] };

beforeAll(async () => {
  const test = await TestStorage.open();
  const { storage, eventsDir } = test;
  for (const id of ['a', 'b']) {
    await storage.log.append(edgeBatch([id]));
    await storage.sealNow();
  }
  await storage.log.append(edgeBatch(['c']));
  const records = await test.manifest.load();
  await test.closeStorage();
  await copyFile(join(eventsDir, 'sealed-2.duckdb'), join(eventsDir, 'whole'));
  await truncate(join(eventsDir, 'sealed-2.duckdb'), 5_000);
  await test.reopen();
  await test.storage.log.append(edgeBatch(['d']));
  expect(records).toHaveLength(2);
  const dataDir = await mkdtemp(join(tmpdir(), 'logmill-storage-'));
  await cp(test.dataDir, dataDir, { recursive: true });
  await copyFile(join(eventsDir, 'whole'), join(dataDir, 'events', 'sealed-2.duckdb'));
  crashed = { dataDir, records: await test.manifest.load() };
  await test.close();
});

async function startWith(
  process: EngineConnection,
  onObservation: (observation: Observation) => void = () => undefined,
): Promise<TestStorage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'logmill-storage-'));
  await cp(crashed.dataDir, dataDir, { recursive: true });
  const manifest = new ManifestInMemory();
  for (const record of crashed.records) await manifest.commit(record, []);
  const test = new TestStorage(dataDir, {}, builtinSources, manifest);
  opened.push(test);
  test.given = { standby: { process, opening: undefined } };
  test.onObservation = onObservation;
  await test.reopen();
  test.given = {};
  return test;
}

it('starts with the next engine process, whichever call of a start the first one is killed at', async () => {
  const unharmed = new KilledEngine(0, 'before');
  expect(await (await startWith(unharmed)).ids()).toEqual(['a', 'b', 'c', 'd']);
  const calls = [...unharmed.calls];
  expect(new Set(calls)).toEqual(new Set(['open', 'attach', 'verify', 'detach', 'readActive']));
  for (const moment of ['before', 'after'] as const) {
    // After a call, the next one fails as if before it; after the last one, nothing does.
    for (let n = moment === 'before' ? 1 : calls.length; n <= calls.length; n++) {
      const killed = new KilledEngine(n, moment);
      const test = await startWith(killed);
      const at = `${moment} call ${n}, ${calls[n - 1]}`;
      expect(killed.hasEnded, at).toBe(true);
      // A process that ends just after it was started is replaced like any other.
      const tells = test.observations.filter(({ kind }) => kind === 'warning' || kind === 'engine.exited');
      expect(tells.length, at).toBeGreaterThan(0);
      expect(await test.ids(), at).toEqual(['a', 'b', 'c', 'd']);
      await test.storage.log.append(edgeBatch(['e']));
      await test.killEngine();
      expect(await test.ids(), at).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(test.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
      await opened.pop()?.close();
    }
  }
});

it('gives up, and says why, if one engine process after another is killed', async () => {
  let kills = 0;
  const starting = startWith(new KilledEngine(0, 'before'), (observation) => {
    if (observation.kind !== 'engine.started') return;
    kills++;
    process.kill(observation.pid, 'SIGKILL');
  });
  await expect(starting).rejects.toThrow(/the engine process ended: signal SIGKILL/);
  expect(kills).toBe(3);
});
