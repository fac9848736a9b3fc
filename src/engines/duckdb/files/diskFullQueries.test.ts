import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { builtinSources } from '../../../sources/builtin.ts';
import { mountDevice } from '../mountDevice.fixture.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { ManifestInMemory } from './manifestInMemory.ts';

const mebibyte = 2 ** 20;

let cleanUp: (() => Promise<void>) | undefined;
afterEach(async () => {
  await cleanUp?.();
  cleanUp = undefined;
});

/** Groups far more than the memory of these tests holds. */
const spilling = (rows: number) => `SELECT count(*) FROM (SELECT DISTINCT md5(range::text) FROM range(${rows}))`;

/** A statement with a function in JavaScript, over a copy of what is in files that are written to. */
async function hashed(test: TestStorage): Promise<unknown> {
  const lease = test.storage.files.lease();
  const files = lease.files.filter((file) => file.hasTable('edge_logs'));
  const arms = files.map(({ alias }) => `SELECT id FROM "${alias}"."edge_logs"`);
  const part = { table: 'edge_logs', projects: null, fromMicros: null, toMicros: null };
  const sql = `SELECT count(DISTINCT logmill_farm_fingerprint(encode(id))) FROM (${arms.join(' UNION ALL ')})`;
  try {
    const reads = () => files.map((file) => ({ file, part }));
    return await test.storage.statements.boundTo(null).runValues(sql, never, reads);
  } finally {
    lease.release();
  }
}

const copies = (test: TestStorage) =>
  readdirSync(test.eventsDir, { recursive: true }).filter((name) => String(name).includes('copy-'));

const refused = { code: 'service.disk_full', status: 503, retryAfterSeconds: 15 };

describe('a query that has to put rows aside', () => {
  it('is refused before it copies where the copy would take more than its share of the room, and answered when there is room', async () => {
    const device = { free: 2 ** 40, total: 2 ** 41 };
    const test = await TestStorage.open({ freeBytesMin: 0 }, builtinSources, async () => ({ ...device }));
    cleanUp = () => test.close();
    await test.storage.log.append(edgeBatch(['a', 'b'], { eventMessage: 'x'.repeat(100_000) }));
    device.free = 300_000;
    await expect(hashed(test)).rejects.toMatchObject(refused);
    expect(copies(test)).toEqual([]);
    device.free = 500_000;
    expect(await hashed(test)).toEqual([['2']]);
  });

  it('is refused before it fills the device by what it spills, which ends no process', async () => {
    const device = { free: 2 ** 40, total: 2 ** 41 };
    const settings = { freeBytesMin: mebibyte, memoryBytesMax: 40 * mebibyte };
    const test = await TestStorage.open(settings, builtinSources, async () => ({ ...device }));
    cleanUp = () => test.close();
    const { statements, enginePid } = test.storage;
    device.free = 9 * mebibyte;
    test.clock.advanceMs(1000);
    await test.storage.boundSpill();
    await expect(statements.runValues(spilling(1_000_000), never)).rejects.toMatchObject(refused);
    device.free = 2 ** 40;
    test.clock.advanceMs(1000);
    await test.storage.boundSpill();
    expect(await statements.runValues(spilling(1_000_000), never)).toEqual([['1000000']]);
    expect(test.storage.enginePid).toBe(enginePid);
  });

  const device = mountDevice(96);
  it.skipIf(device === undefined)(
    'is refused on a full device, leaves nothing there, and is answered when there is room',
    async () => {
      if (device === undefined) throw new Error('skipped');
      // As large as it says it is to those who look, so that nothing but the device itself refuses.
      const endless = async () => ({ free: 2 ** 40, total: 2 ** 41 });
      const settings = { freeBytesMin: 0, memoryBytesMax: 40 * mebibyte };
      const test = new TestStorage(device.path, settings, builtinSources, new ManifestInMemory(), endless);
      await test.reopen();
      cleanUp = async () => {
        await test.closeStorage();
        device.unmount();
      };
      const free = () => {
        const { bavail, bsize } = statfsSync(device.path);
        return bavail * bsize;
      };
      const ids = Array.from({ length: 3000 }, (_, n) => `id ${n}`);
      await test.storage.log.append(edgeBatch(ids));
      const before = free();
      const isAlone = test.storage.enginePid;
      const refusals = test.observations.length;
      await expect(test.storage.statements.runValues(spilling(4_000_000), never)).rejects.toMatchObject(refused);
      await test.observed('engine.started', refusals);
      expect(test.storage.enginePid).not.toBe(isAlone);
      expect(free()).toBeGreaterThan(before - 4 * mebibyte);
      writeFileSync(join(device.path, 'ballast'), Buffer.alloc(free() - 4 * 1024));
      await expect(hashed(test)).rejects.toMatchObject(refused);
      expect(copies(test)).toEqual([]);
      expect((await test.ids()).length).toBe(3000);
      rmSync(join(device.path, 'ballast'));
      expect(await hashed(test)).toEqual([['3000']]);
      expect(await test.storage.statements.runValues(spilling(600_000), never)).toEqual([['600000']]);
    },
  );
});

it('tells whoever changes the files that the device is full or the memory taken, and changes nothing', async () => {
  const device = mountDevice(24);
  if (device === undefined) return;
  const test = new TestStorage(device.path, { freeBytesMin: 0 }, builtinSources);
  await test.reopen();
  cleanUp = async () => {
    await test.closeStorage();
    device.unmount();
  };
  await test.storage.log.append(edgeBatch(['a']));
  const { bavail, bsize } = statfsSync(device.path);
  writeFileSync(join(device.path, 'ballast'), Buffer.alloc(bavail * bsize));
  let registered = 0;
  const deletion = test.storage.deleteEvents(async () => {
    registered++;
    throw new Error('not reached');
  });
  await expect(deletion).rejects.toMatchObject({ code: 'service.disk_full', retryAfterSeconds: 15 });
  expect(registered).toBe(0);
  rmSync(join(device.path, 'ballast'));
  await test.storage.rotateNow();
  expect(await test.ids()).toEqual(['a']);
});
