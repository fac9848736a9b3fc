import { readFileSync } from 'node:fs';
import { childrenOf } from '../test/support/enginesOf.ts';
import { ticksPerSecond } from './processorTime.ts';

/** All processes that a process started, and those that they started. */
export function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** User and system time of a process, of all that it started and of those that have ended, in seconds. Linux only. */
export function processorSecondsOfTree(root: number): number {
  return sumOfTree(root, (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    // utime, stime, and those of children that were waited for.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  });
}

/** Proportional memory of a process and of all that it started: each shared page counts once. Linux only. */
export function memoryBytes(root: number): number {
  return sumOfTree(root, (pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  });
}

function sumOfTree(root: number, read: (pid: number) => number): number {
  const own = read(root);
  return childrenOf(root).reduce((sum, pid) => sum + unlessEnded(pid, () => sumOfTree(pid, read)), own);
}

/** 0 if the process ended meanwhile: then its parent's times include it. */
function unlessEnded(pid: number, read: () => number): number {
  try {
    return read();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ESRCH'].includes(code)) return 0;
    throw new Error(`process ${pid} could not be read`, { cause });
  }
}
