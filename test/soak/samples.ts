import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { SoakedService } from './soakedService.ts';

/** One sample of both processes. Bytes are resident; null if a process was not running. */
export interface Sample {
  readonly atSeconds: number;
  readonly servicePid: number | null;
  readonly enginePid: number | null;
  readonly serviceBytes: number | null;
  readonly engineBytes: number | null;
  readonly serviceHandles: number | null;
  readonly engineHandles: number | null;
}

/** Takes a sample of a service every second until `isOver`. */
export async function sample(
  service: SoakedService,
  startedMs: number,
  samples: Sample[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const { pid: servicePid, enginePid } = service;
    samples.push({
      atSeconds: (performance.now() - startedMs) / 1000,
      servicePid,
      enginePid,
      serviceBytes: residentBytes(servicePid),
      engineBytes: residentBytes(enginePid),
      serviceHandles: handles(servicePid),
      engineHandles: handles(enginePid),
    });
    await delay(1000);
  }
}

/** Growth per minute, by least squares. */
export function slopePerMinute(points: readonly (readonly [atSeconds: number, value: number])[]): number {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const [above, below] = points.reduce(
    ([a, b], [x, y]) => [a + (x - meanX) * (y - meanY), b + (x - meanX) ** 2],
    [0, 0],
  );
  return below === 0 ? 0 : (60 * above) / below;
}

function residentBytes(pid: number | null): number | null {
  return ofProcess(pid, (folder) => {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  });
}

function handles(pid: number | null): number | null {
  return ofProcess(pid, (folder) => readdirSync(`${folder}/fd`).length);
}

function ofProcess(pid: number | null, read: (folder: string) => number | null): number | null {
  if (pid === null) return null;
  try {
    return read(`/proc/${pid}`);
  } catch {
    // The process has ended meanwhile.
    return null;
  }
}
