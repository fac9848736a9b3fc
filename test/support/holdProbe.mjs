// Loaded before the service with `node --import`: records in the file named by HOLDS_FILE each time that its main thread
// was held, one line each: `<end, ms since 1970> <held ms> <of that waiting for a processor, ms> <collecting garbage, ms> <running, ms>`.
// A tick that comes late tells how long nothing else had a turn. How long the thread waited for a processor meanwhile, the
// kernel knows (schedstat); where it does not tell, as outside of Linux, it is 0. With HOLDS_PROFILE a line goes on with
// what ran, for what was held beyond the bound: JSON, an array of lines.
import { appendFileSync, openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { HoldProfile } from './holdProfile.mjs';

const everyMs = 2;
/** Shorter ones are not noted. */
const notedMs = 15;
const toldBeyondMs = 45;

function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return null;
  }
}

function begin(file, profile) {
  const schedule = openSchedule();
  const bytes = Buffer.alloc(128);
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs += duration;
  }).observe({ entryTypes: ['gc'] });
  /** What the thread ran, and what it waited for a processor, ms. */
  const scheduled = () => {
    if (schedule === null) return { ranMs: 0, waitedMs: 0 };
    const length = readSync(schedule, bytes, 0, bytes.length, 0);
    const [ranMs, waitedMs] = bytes
      .latin1Slice(0, length)
      .split(' ')
      .map((nanoseconds) => Number(nanoseconds) / 1e6);
    return { ranMs, waitedMs };
  };
  let lastMs = performance.now();
  let last = scheduled();
  setInterval(() => {
    const nowMs = performance.now();
    const now = scheduled();
    const waitedMs = now.waitedMs - last.waitedMs;
    const heldMs = nowMs - lastMs - everyMs;
    if (heldMs >= notedMs) {
      const shown = [heldMs, waitedMs, collectedMs, now.ranMs - last.ranMs].map((ms) => ms.toFixed(1));
      const isLong = heldMs - waitedMs > toldBeyondMs;
      if (isLong && profile !== null) shown.push(JSON.stringify(profile.tell(heldMs + everyMs)));
      // Not `Date`, which a test may have put off.
      appendFileSync(file, `${Math.round(performance.timeOrigin + nowMs)} ${shown.join(' ')}\n`);
    }
    profile?.tick(nowMs);
    collectedMs = 0;
    last = scheduled();
    lastMs = performance.now();
  }, everyMs).unref();
}

if (isMainThread && process.env.HOLDS_FILE !== undefined) {
  begin(process.env.HOLDS_FILE, process.env.HOLDS_PROFILE === undefined ? null : new HoldProfile());
}
