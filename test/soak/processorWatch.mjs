// Prints a line each time that the machine did not run this process for long: `<end, ms since 1970> <ms>`. Started on one
// processor, with the highest priority there (machineStops.ts).
import { constants, setPriority } from 'node:os';

const everyMs = 5;
/** With the highest priority, it waits for less than this for other processes. */
const toldMs = 40;

// Throws, and ends, where that is not permitted.
setPriority(constants.priority.PRIORITY_HIGHEST);

let lastMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  const stoppedMs = nowMs - lastMs - everyMs;
  if (stoppedMs >= toldMs) console.log(`${Math.round(performance.timeOrigin + nowMs)} ${stoppedMs.toFixed(1)}`);
  lastMs = nowMs;
}, everyMs);
process.on('disconnect', () => process.exit());
