/**
 * Processor time that this process needs for the work, in milliseconds, however busy the machine is. Takes the minimum
 * of three runs, because garbage of earlier files in the same worker may be collected during any of them.
 */
export function processorMs(work: () => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}
