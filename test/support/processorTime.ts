/** Processor time of this process while the work is done, in milliseconds: what it takes however busy the machine is. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
