/**
 * Processor time that this process needs for the work, in milliseconds, however busy the machine is: the least of three
 * times, since the garbage of files that shared the worker before may be collected during any one of them.
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
