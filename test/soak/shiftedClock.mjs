// Loaded before the service with `node --import`: the process sees a clock that is put forward or back while it runs,
// as by an operator or a time server. The file named by SOAK_CLOCK_FILE holds the milliseconds by which it is off.
// Timers and `performance.now()` are not touched: the system's monotonic clock does not jump either.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offsetMs = 0;

function readOffset() {
  try {
    const read = Number(readFileSync(process.env.SOAK_CLOCK_FILE, 'utf8'));
    if (Number.isFinite(read)) offsetMs = read;
  } catch {
    // The file is being replaced; the next look finds it.
  }
}

readOffset();
setInterval(readOffset, 50).unref();

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + offsetMs] : given, newTarget),
  apply: () => new Date().toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, name, receiver),
});
