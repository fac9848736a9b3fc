import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import type { Observation } from '../../../core/observation.ts';
import { noSpaceForChange } from './fileChanges.ts';
import { reserveBytes, SpaceReserve } from './spaceReserve.ts';

describe('space that is set aside', () => {
  let folder: string;
  let path: string;
  let free: number;
  const observations: Observation[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-reserve-'));
    path = join(folder, 'reserve');
    free = 2 ** 30;
    observations.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const reserve = (requireSame = async () => {}) =>
    new SpaceReserve({
      path,
      space: { hasRoom: async (bytes) => free >= bytes, noteRefusedWrite: async () => {} },
      requireSame,
      observe: (observation) => observations.push(observation),
    });
  const full = () => new ServiceError('service.disk_full', 'full', { cause: new Error('database or disk is full') });
  /** A change that fails so often. */
  const change = (failures: readonly Error[]) => {
    const left = [...failures];
    return async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    };
  };

  it('takes the space, and again if a killed process left only a part of it', async () => {
    await reserve().keep();
    expect(statSync(path)).toMatchObject({ size: reserveBytes, mode: 0o100600 });
    writeFileSync(path, 'part');
    await reserve().keep();
    expect(statSync(path).size).toBe(reserveBytes);
  });

  it('is not taken where little is free, or in the folder of another service', async () => {
    free = reserveBytes * 32 - 1;
    await reserve().keep();
    free = 2 ** 30;
    await reserve(async () => await Promise.reject(new Error('another folder'))).keep();
    expect(existsSync(path)).toBe(false);
    expect(observations).toMatchObject([{ kind: 'warning' }]);
  });

  it('is given up for a change that failed for lack of space, which is made once more', async () => {
    await reserve().keep();
    expect(await reserve().spend(change([full()]))).toBe('done');
    expect(existsSync(path)).toBe(false);
    await expect(reserve().spend(change([full()]))).rejects.toMatchObject({ code: 'service.disk_full' });
  });

  it('stays where it cannot help', async () => {
    await reserve().keep();
    for (const failure of [new Error('a defect'), noSpaceForChange()]) {
      await expect(reserve().spend(change([failure]))).rejects.toBe(failure);
    }
    const elsewhere = reserve(async () => await Promise.reject(new Error('another folder')));
    await expect(elsewhere.spend(change([full()]))).rejects.toMatchObject({ code: 'service.disk_full' });
    expect(existsSync(path)).toBe(true);
  });
});
