import { beforeEach, describe, expect, it } from 'vitest';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import type { EventFilePaths } from './eventFilePaths.ts';
import { FileRegistry } from './fileRegistry.ts';
import { ManifestChanges } from './manifestChanges.ts';
import { ManifestInMemory } from './manifestInMemory.ts';
import { SealedFile } from './sealedFile.ts';

const recordOf = (number: number): SealedFileRecord => ({
  number,
  bytes: 1,
  events: 1,
  sealedMicros: 0,
  sources: [],
  mergedFrom: [],
});
const fileOf = (number: number) => new SealedFile(recordOf(number), `sealed-${number}`, []);

const gone: string[] = [];
const folder = {
  sealedPath: (number: number) => `sealed-${number}`,
  publish: async () => undefined,
  remove: async (path: string) => void gone.push(path),
} as unknown as EventFilePaths;
const engine = { call: async () => ({ gives: {} }) };
const supervisor = { engine, ready: async () => engine } as unknown as EngineSupervisor;

let manifest: ManifestInMemory;
let registry: FileRegistry<SealedFile>;
let changes: ManifestChanges;
const files = [1, 2, 3].map(fileOf) as [SealedFile, SealedFile, SealedFile];
beforeEach(async () => {
  gone.length = 0;
  manifest = new ManifestInMemory();
  const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
  registry = new FileRegistry(removals, { files: [], isUnknown: false, examine: async () => false });
  for (const file of files) {
    await manifest.commit(recordOf(file.number), []);
    registry.add(file);
  }
  const options = { folder, manifest, sources: [], observe: () => undefined };
  changes = new ManifestChanges(options, supervisor, registry as ConstructorParameters<typeof ManifestChanges>[2]);
});

const recorded = async () => (await manifest.load()).map(({ number }) => number);

describe('changes of files', () => {
  it('refuse to put back the events of a file that was dropped while it was rewritten', async () => {
    const dropping = changes.drop([files[1]]);
    await expect(changes.replace([files[0], files[1]], recordOf(9))).rejects.toThrow('sealed_2 was dropped');
    expect((await dropping).map(({ number }) => number)).toEqual([2]);
    expect(await recorded()).toEqual([1, 3]);
    expect(registry.files).toEqual([files[0], files[2]]);
  });

  it('drop nothing that was replaced before', async () => {
    const replacing = changes.replace([files[0], files[1]], recordOf(9));
    expect(await changes.drop([files[1], files[2]])).toEqual([files[2]]);
    await replacing;
    expect(await recorded()).toEqual([9]);
    expect(await manifest.loadDropped()).toEqual([3]);
  });

  it('leave everything as it was where the manifest refuses', async () => {
    manifest.commit = async () => {
      throw new Error('the disk is full');
    };
    await expect(changes.drop([files[0]])).rejects.toThrow('the disk is full');
    await expect(changes.replace([files[0]], recordOf(9))).rejects.toThrow('the disk is full');
    expect(registry.files).toEqual(files);
    expect(changes.leaving.size).toBe(0);
  });

  it('are made where the manifest fails when they are durable, and not a second time', async () => {
    const { commit } = manifest;
    manifest.commit = async (...change) => {
      await commit.apply(manifest, change);
      throw new Error('the disk failed');
    };
    await changes.replace([files[0]], recordOf(9));
    expect(await changes.drop([files[1]])).toEqual([files[1]]);
    expect(registry.files.map(({ number }) => number)).toEqual([9, 3]);
    const damage = { file: 'sealed-3', reason: 'it is missing', foundMicros: 1 };
    expect(await changes.quarantine(files[2], damage, recordOf(3))).toBe(true);
    expect(registry.files.map(({ number }) => number)).toEqual([9]);
  });

  it('hold a file until its last reader has gone, and tell when it has', async () => {
    const lease = registry.lease();
    await changes.drop([files[0]]);
    expect([...changes.leaving]).toEqual([files[0]]);
    lease.release();
    await expect.poll(() => changes.leaving.size).toBe(0);
    expect(gone).toEqual(['sealed-1']);
  });
});
