import { type Hold, ownMs } from '../support/holdRecords.ts';
import { type MachineStop, stoppedDuring } from './machineStops.ts';
import type { SoakRun } from './soakRun.ts';

/** Limit for which a request may block the main thread, milliseconds. Waiting for a processor does not count. */
const boundMs = 50;

const boundsMs = [25, boundMs, 75, 100, 250, 1000] as const;

/** How often the main thread was blocked for how long, one row for each range that occurred. */
export function holdsOf(holds: readonly Hold[], stops: readonly MachineStop[]): readonly (readonly string[])[] {
  const longest = holds.reduce((most, each) => Math.max(most, ownMs(each)), 0);
  const rows = [...boundsMs, Number.POSITIVE_INFINITY].flatMap((to, index) => {
    const from = boundsMs[index - 1] ?? 0;
    const within = holds.filter((each) => ownMs(each) >= from && ownMs(each) < to);
    const collecting = within.filter(({ collectedMs, heldMs }) => collectedMs > heldMs / 2).length;
    const stopped = within.filter((each) => stoppedMs(each, stops) > 0).length;
    const range = to === Number.POSITIVE_INFINITY ? `${from} ms and more` : `${from} to ${to} ms`;
    return within.length === 0 ? [] : [[range, String(within.length), String(collecting), String(stopped)]];
  });
  return [...rows, ['longest', `${longest.toFixed(1)} ms`, '', '']];
}

/**
 * Reports a finding if the main thread was blocked beyond the limit, with the longest times. It was not if a processor of the
 * machine had stopped for the rest of the time.
 */
export function findLongHolds(run: Pick<SoakRun, 'find'>, holds: readonly Hold[], stops: readonly MachineStop[]): void {
  const beyond = longest(holds).filter((each) => ownMs(each) - stoppedMs(each, stops) > boundMs);
  if (beyond.length === 0) return;
  const told = beyond
    .slice(0, 10)
    .map(
      (each) =>
        `${ownMs(each).toFixed(0)} ms (running ${each.ranMs.toFixed(0)}) at ${new Date(each.endMs).toISOString()}`,
    );
  run.find(
    `the main thread was blocked for more than ${boundMs} ms (number of times: ${beyond.length})`,
    told.join(', '),
  );
}

/** The calls that ran during each of these, the longest first. */
export function longHoldsTold(holds: readonly Hold[], stops: readonly MachineStop[]): readonly string[] {
  return longest(holds).map((each) => {
    const stopped = stoppedMs(each, stops);
    const ran = `${each.ranMs.toFixed(0)} ms of it running, and ${each.waitedMs.toFixed(0)} ms more waiting for a processor`;
    const without = stopped > 0 ? `; a processor of the machine stopped for ${stopped.toFixed(0)} ms` : '';
    const head = `${ownMs(each).toFixed(0)} ms until ${new Date(each.endMs).toISOString()} (${ran}${without}):`;
    return ['```text', head, ...each.calls, '```'].join('\n');
  });
}

/** Those beyond the limit, the longest first. */
function longest(holds: readonly Hold[]): readonly Hold[] {
  return holds.filter((each) => ownMs(each) > boundMs).sort((a, b) => ownMs(b) - ownMs(a));
}

function stoppedMs({ endMs, heldMs }: Hold, stops: readonly MachineStop[]): number {
  return stoppedDuring(stops, endMs, heldMs);
}
