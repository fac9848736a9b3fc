import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { mountDevice } from '../mountDevice.fixture.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';
import { ManifestInMemory } from './manifestInMemory.ts';

let cleanUp: (() => Promise<void>) | undefined;
afterEach(async () => await cleanUp?.());

const bigBatch = (name: string, events = 200) =>
  edgeBatch(
    Array.from({ length: events }, (_, index) => `${name}-${String(index).padStart(4, '0')}`),
    { eventMessage: 'x'.repeat(2000) },
  );

describe('a device without room', () => {
  it('refuses batches before anything of them is taken, goes on answering, and takes them again by itself', async () => {
    const device = { free: 2 ** 40, total: 2 ** 41 };
    const test = await TestStorage.open({}, builtinSources, async () => ({ ...device }));
    cleanUp = () => test.close();
    const identity = { key: 'k', digest: 'd', answer: '{"accepted":1}' };
    await test.storage.log.append(edgeBatch(['a'], {}, identity));
    device.free = 2 ** 20;
    test.clock.advanceMs(1000);
    await expect(test.storage.log.append(edgeBatch(['b']))).rejects.toMatchObject({ code: 'ingest.disk_full' });
    // A stored batch is acknowledged again.
    expect(await test.storage.log.append(edgeBatch(['a'], {}, identity))).toMatchObject({ kind: 'duplicate' });
    expect(await test.ids()).toEqual(['a']);
    expect(test.storage.space.isLow).toBe(true);
    device.free = 2 ** 40;
    test.clock.advanceMs(1000);
    await test.storage.log.append(edgeBatch(['b']));
    expect(await test.ids()).toEqual(['a', 'b']);
  });

  it('says that the disk is full, not busy, while segments cannot be sealed for lack of space, and goes on by itself', async () => {
    const device = { free: 0, total: 2 ** 41, reads: 0 };
    const settings = { rotateEvents: 1, frozenFilesMax: 2, freeBytesMin: 0 };
    const test = await TestStorage.open(settings, builtinSources, async () => {
      device.reads++;
      return { ...device };
    });
    cleanUp = () => test.close();
    const { log } = test.storage;
    const warnings = () => test.observations.filter(({ kind }) => kind === 'warning').length;
    const state = () => [test.storage.space.isLow, test.storage.space.isSealingStopped];
    for (const id of ['a', 'b']) await log.append(edgeBatch([id]));
    await expect.poll(state).toEqual([false, true]);
    await log.append(edgeBatch(['c']));
    expect(state()).toEqual([true, true]);
    // Sealing is tried every second, and reported once a minute.
    const before = device.reads;
    await expect.poll(() => device.reads > before + 2, { timeout: 20_000 }).toBe(true);
    expect(warnings()).toBe(1);
    test.clock.advanceMs(60_000);
    await expect.poll(warnings).toBe(2);
    await expect(log.append(edgeBatch(['d']))).rejects.toMatchObject({ code: 'ingest.disk_full' });
    const given = { source: 'edge_logs', first: 100, events: edgeBatch(['d']).events };
    await expect(test.storage.copies.write([given])).rejects.toMatchObject({ code: 'ingest.disk_full' });
    await expect(
      test.storage.deleteEvents(async () => await Promise.reject(new Error('not reached'))),
    ).rejects.toMatchObject({ code: 'service.disk_full' });
    device.free = 2 ** 40;
    await test.storage.sealNow();
    expect(state()).toEqual([false, false]);
    await log.append(edgeBatch(['d']));
    expect(await test.ids()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('drops segments whose events were all deleted while a merge waits for space', async () => {
    // Enough to seal.
    const readDevice = async () => ({ free: 2 ** 26, total: 2 ** 41 });
    const settings = { mergeFiles: 2, mergeRetryMs: 3_600_000, freeBytesMin: 0 };
    const test = await TestStorage.open(settings, builtinSources, readDevice);
    cleanUp = () => test.close();
    for (const project of ['a', 'b']) {
      await test.storage.log.append(edgeBatch([project], { project }));
      await test.storage.sealNow();
    }
    expect(await test.observed('warning')).toMatchObject({ message: expect.stringContaining('merged yet') });
    await test.storage.deleteEvents(async (token) => ({
      token,
      project: 'a',
      source: null,
      beforeMicros: null,
      requestedMicros: test.clock.nowMicros(),
    }));
    expect(await test.observed('file.dropped')).toMatchObject({ reason: 'removed', events: 1 });
    expect(await test.ids()).toEqual(['b']);
  });

  it('opens a folder although the store has no space to forget the files of deleted events', async () => {
    class FullManifest extends ManifestInMemory {
      override async forgetDropped(): Promise<void> {
        throw new ServiceError('service.disk_full', 'The disk is full.');
      }
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'logmill-storage-'));
    const test = new TestStorage(dataDir, {}, builtinSources, new FullManifest());
    cleanUp = () => test.close();
    await test.reopen();
    await test.storage.log.append(edgeBatch(['a']));
    await test.reopen();
    expect(await test.ids()).toEqual(['a']);
  });

  const device = mountDevice(48);
  it.skipIf(device === undefined)(
    'stores all of a batch or nothing when the room ends under it, and what was acknowledged is there afterwards',
    async () => {
      if (device === undefined) throw new Error('skipped');
      const test = new TestStorage(device.path, { freeBytesMin: 0 }, builtinSources);
      await test.reopen();
      cleanUp = async () => {
        await test.closeStorage();
        device.unmount();
      };
      // Fills the disk with a file that the test removes later, so that the space runs out soon.
      writeFileSync(join(device.path, 'ballast'), Buffer.alloc(24 * 2 ** 20));
      const acknowledged: string[] = [];
      for (let batch = 0; ; batch++) {
        const sent = bigBatch(`batch-${String(batch).padStart(3, '0')}`);
        try {
          await test.storage.log.append(sent);
          acknowledged.push(...sent.events.map(({ id }) => id));
        } catch (error) {
          expect(error).toMatchObject({ code: 'ingest.disk_full' });
          break;
        }
      }
      expect(acknowledged.length).toBeGreaterThan(1000);
      expect(await test.ids()).toEqual(acknowledged);
      // The process comes back on the full device, and reads the log whose last write was cut off.
      const before = test.observations.length;
      await test.killEngine();
      await test.observed('engine.started', before);
      expect(await test.ids()).toEqual(acknowledged);
      rmSync(join(device.path, 'ballast'));
      const again = bigBatch('later');
      await test.storage.log.append(again);
      acknowledged.push(...again.events.map(({ id }) => id));
      await test.reopen();
      expect(await test.ids()).toEqual(acknowledged);
      await test.storage.sealNow();
      expect(await test.ids()).toEqual(acknowledged);
    },
  );
});

it('takes what a killed engine had spilled off the disk when the next one starts', async () => {
  const test = await TestStorage.open();
  cleanUp = () => test.close();
  const spill = join(test.eventsDir, 'spill');
  const left = join(spill, 'engine', 'duckdb_temp_storage_DEFAULT-0.tmp');
  mkdirSync(join(spill, 'engine'), { recursive: true });
  writeFileSync(left, Buffer.alloc(1000));
  const before = test.observations.length;
  await test.killEngine();
  await test.observed('engine.started', before);
  expect(existsSync(left)).toBe(false);
  // Moved aside first, as to remove gigabytes takes longer than others should wait for a process.
  await expect.poll(() => readdirSync(spill)).toEqual(['engine']);
  await test.storage.log.append(edgeBatch(['a']));
  expect(await test.ids()).toEqual(['a']);
});
