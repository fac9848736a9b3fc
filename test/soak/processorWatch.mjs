// Prints a line each time that the machine did not run this process for long: `<end, ms since 1970> <ms>`. Started with real-time
// priority on one processor, it waits for no other process (machineStops.ts).
const everyMs = 5;
/** What the kernel does for another process without interruption is shorter. */
const toldMs = 40;

let lastMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  const stoppedMs = nowMs - lastMs - everyMs;
  if (stoppedMs >= toldMs) console.log(`${Math.round(performance.timeOrigin + nowMs)} ${stoppedMs.toFixed(1)}`);
  lastMs = nowMs;
}, everyMs);
process.on('disconnect', () => process.exit());
