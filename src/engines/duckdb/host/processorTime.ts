import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for every process that reads it. */
const msOfTick = 10;

/**
 * The processor time that a process has used in all its threads, in milliseconds; null if the system does not report it
 * (Linux only) or the process has ended.
 */
export function processorTimeMs(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return processorTimeIn(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // The process has ended.
    return null;
  }
}

/** The 14th and 15th field of `stat`. The second one is a name in parentheses, which may contain any character. */
export function processorTimeIn(stat: string): number | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * msOfTick : null;
}
