import { expect, it } from 'vitest';
import { ManualClock } from '../../../core/clock.ts';
import type { Observation } from '../../../core/observation.ts';
import { isNoSpace } from '../host/engineFailure.ts';
import { type DeviceBytes, diskFull, FreeSpace } from './freeSpace.ts';

const gibibyte = 2 ** 30;

function watched(freeBytesMin: number | null, total = 100 * gibibyte) {
  const clock = new ManualClock(1_000_000_000);
  const observations: Observation[] = [];
  const device: { bytes: DeviceBytes | Error; reads: number } = { bytes: { free: total, total }, reads: 0 };
  const space = new FreeSpace({
    read: async () => {
      device.reads++;
      if (device.bytes instanceof Error) throw device.bytes;
      return device.bytes;
    },
    freeBytesMin,
    clock,
    observe: (observation) => observations.push(observation),
  });
  const lookAt = async (free: number) => {
    device.bytes = { free, total };
    clock.advanceMs(300);
    await space.look();
    return space.isLow;
  };
  return { space, clock, device, observations, lookAt };
}

it('refuses below the bound, and takes events again by itself from somewhat above it on', async () => {
  const { space, lookAt, observations } = watched(gibibyte);
  expect(await lookAt(gibibyte)).toBe(false);
  space.refuseWhenLow();
  expect(await lookAt(gibibyte - 1)).toBe(true);
  expect(() => space.refuseWhenLow()).toThrow(expect.objectContaining({ code: 'ingest.disk_full', status: 503 }));
  expect(await lookAt(gibibyte + gibibyte / 16 - 1)).toBe(true);
  expect(await lookAt(gibibyte + gibibyte / 16)).toBe(false);
  expect(observations.map(({ kind }) => kind)).toEqual(['disk.low', 'disk.recovered']);
});

it('keeps 1 GiB where nothing is set, and a twentieth of a smaller device', async () => {
  const large = watched(null);
  expect(await large.lookAt(gibibyte)).toBe(false);
  expect(await large.lookAt(gibibyte - 1)).toBe(true);
  const small = watched(null, gibibyte);
  expect(await small.lookAt(Math.ceil(gibibyte / 20))).toBe(false);
  expect(await small.lookAt(gibibyte / 32)).toBe(true);
});

it('never refuses with 0', async () => {
  expect(await watched(0).lookAt(0)).toBe(false);
});

it('counts as low while the last write of events was refused, and refuses no other write for that', async () => {
  const { space, lookAt } = watched(0);
  const refused = async (free: number) => {
    await lookAt(free);
    await space.noteRefusedEvents();
    expect(space.isLow).toBe(true);
    space.refuseWhenLow();
  };
  await refused(4096);
  expect(await lookAt(4096 + 2 ** 20 - 1)).toBe(true);
  expect(await lookAt(4096 + 2 ** 20)).toBe(false);
  // Such as one of a quota.
  await refused(gibibyte);
  space.noteWrittenEvents();
  expect(space.isLow).toBe(false);
});

it('looks at the device four times a second at most, one look for all that ask, and at once when a write was refused', async () => {
  const { space, clock, device } = watched(gibibyte);
  await Promise.all([space.look(), space.look(), space.look()]);
  clock.advanceMs(249);
  await space.look();
  expect(device.reads).toBe(1);
  clock.advanceMs(1);
  await space.look();
  expect(device.reads).toBe(2);
  await space.noteRefusedWrite();
  expect(device.reads).toBe(3);
  // A clock that was put back must not keep an old reading alive.
  clock.advanceMs(-3_600_000);
  await space.look();
  expect(device.reads).toBe(4);
});

it('neither refuses nor says that there is room where the device cannot be looked at', async () => {
  const { space, clock, device, observations } = watched(gibibyte);
  await space.look();
  device.bytes = new Error('gone');
  clock.advanceMs(300);
  await space.look();
  expect(space.isLow).toBe(false);
  expect(space.freeBytes).toBeNull();
  expect(observations).toMatchObject([{ kind: 'warning' }]);
});

it('knows a device without room by what the engine, the store and the system say of it', () => {
  expect(isNoSpace(new Error('Could not write file "x": No space left on device'))).toBe(true);
  expect(isNoSpace(new Error('gave up', { cause: new Error('ENOSPC: write') }))).toBe(true);
  expect(isNoSpace(new Error('database or disk is full'))).toBe(true);
  expect(isNoSpace(diskFull(new Error('other')))).toBe(false);
  expect(isNoSpace(new Error('Corrupt database file'))).toBe(false);
});
