// Loaded before the service with `node --import`: notes in the file named by HOLDS_FILE each time that its main thread
// was held, one line each, `<end, ms since 1970> <held ms> <of that waiting for a processor, ms> <collecting garbage, ms>`.
// A tick that comes late tells how long nothing else had a turn. How long the thread waited for a processor meanwhile, the
// kernel knows (schedstat); where it does not tell, as outside of Linux, it is 0.
import { appendFileSync, openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;
/** Shorter ones are not noted. */
const notedMs = 15;

function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return null;
  }
}

function begin(file) {
  const schedule = openSchedule();
  const bytes = Buffer.alloc(128);
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs += duration;
  }).observe({ entryTypes: ['gc'] });
  const waited = () => {
    if (schedule === null) return 0;
    const length = readSync(schedule, bytes, 0, bytes.length, 0);
    return Number(bytes.latin1Slice(0, length).split(' ')[1]) / 1e6;
  };
  let lastMs = performance.now();
  let lastWaitedMs = waited();
  setInterval(() => {
    const nowMs = performance.now();
    const waitedMs = waited();
    const heldMs = nowMs - lastMs - everyMs;
    if (heldMs >= notedMs) {
      const shown = [heldMs, waitedMs - lastWaitedMs, collectedMs].map((ms) => ms.toFixed(1));
      // Not `Date`, which a test may have put off.
      appendFileSync(file, `${Math.round(performance.timeOrigin + nowMs)} ${shown.join(' ')}\n`);
    }
    collectedMs = 0;
    lastWaitedMs = waitedMs;
    lastMs = performance.now();
  }, everyMs).unref();
}

if (isMainThread && process.env.HOLDS_FILE !== undefined) begin(process.env.HOLDS_FILE);
