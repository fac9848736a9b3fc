// Loaded before the service, and by the suite for itself: sets the wall clock back to when the measured events were
// made, so that a folder that was prepared once holds "the last hour" whenever it is measured. Nothing else is changed;
// performance.now() goes on.
const RealDate = Date;
const realNow = Date.now;
let offsetMs = 0;

class ShiftedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(ShiftedDate.now());
    else super(...args);
  }
  static now() {
    return realNow() + offsetMs;
  }
}

/** Makes it `presentMs`, milliseconds since 1970, in this process. */
export function setPresent(presentMs) {
  offsetMs = presentMs - realNow();
  globalThis.Date = ShiftedDate;
}

/** Milliseconds since 1970 by the machine's clock. */
export function machineNow() {
  return realNow();
}

const offsetGiven = process.env.BENCH_CLOCK_OFFSET_MS;
if (offsetGiven !== undefined) {
  offsetMs = Number(offsetGiven);
  globalThis.Date = ShiftedDate;
}
