import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { SmallDisk } from '../support/smallDisk.ts';
import { type FaultScene, faults } from './faults.ts';
import { schedule } from './schedule.ts';
import { SoakedService } from './soakedService.ts';
import type { SoakRun } from './soakRun.ts';
import { requireFaults, type SoakTarget } from './soakTarget.ts';
import type { WatchedLog } from './watchedLog.ts';

export interface OneServiceOptions {
  readonly run: SoakRun;
  readonly log: WatchedLog;
  readonly workDir: string;
  /** Of the file system for the data folder. */
  readonly diskBytes: number;
  /** All if absent. */
  readonly faultNames?: readonly string[] | undefined;
  readonly durationMs: number;
  readonly seed: string;
}

/** One service with its events in its data folder. */
export function oneService(options: OneServiceOptions): SoakTarget {
  const { run, log, workDir, durationMs, seed, faultNames = Object.keys(faults) } = options;
  requireFaults(faultNames, faults);
  const disk = SmallDisk.mount(options.diskBytes);
  if (disk === null) run.say('no file system could be mounted: disk-full is skipped, and the default disk is used');
  const dataDir = join(disk?.path ?? workDir, 'data');
  const service = new SoakedService({
    dataDir,
    workDir,
    disturbances: run.disturbances,
    // Small segments, so that rotation, sealing and merging happen all the time.
    settings: { 'segment-events': '5000', 'log-level': 'info' },
    onLog: (entry) => log.read(entry, 'the service'),
  });
  const random = new SeededRandom(`${seed} faults`);
  const scene: FaultScene = { run, random, dataDir, workDir, disk, background: [], damaged: [] };
  return {
    nodes: [service],
    plan: schedule(faultNames, durationMs, seed),
    start: async () => {
      await service.start();
      return readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    },
    cause: async (name) => (await faults[name]?.(scene)) ?? '',
    settled: async () => void (await Promise.all(scene.background)),
    close: async () => {
      for (const name of scene.damaged) {
        if (existsSync(join(dataDir, 'events', name))) run.say(`${name} is still in its place`);
      }
      await service.end('SIGKILL');
      disk?.remove();
    },
  };
}
