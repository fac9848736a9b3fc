import { readFileSync } from 'node:fs';

/** USER_HZ, which is 100 on every Linux that Node runs on. */
export const ticksPerSecond = 100;

/** User and system time of all threads of a process in seconds, as Linux reports it; NaN elsewhere. */
export function processorSeconds(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The result of `work`, and the processor time of a process per call, in microseconds. */
export async function withProcessorTime<T extends { readonly count: number }>(
  pid: number | undefined,
  work: () => Promise<T>,
): Promise<readonly [T, number]> {
  const before = processorSeconds(pid);
  const done = await work();
  return [done, ((processorSeconds(pid) - before) * 1e6) / done.count];
}
