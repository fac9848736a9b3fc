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

/**
 * The longest turn of the event loop as a share of the processor time of the work, from 0 to 1: the minimum of three
 * runs, for the same reason.
 */
export async function longestTurnShare(work: () => Promise<unknown>): Promise<number> {
  let least = 1;
  for (let time = 0; time < 3; time++) least = Math.min(least, await turnShareOnce(work));
  return least;
}

async function turnShareOnce(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let total = 0;
  let before = process.cpuUsage();
  let isDone = false;
  const turn = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
    total += user + system;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  turn();
  return longest / total;
}
