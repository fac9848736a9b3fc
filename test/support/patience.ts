import { availableParallelism, loadavg } from 'node:os';

/**
 * Factor by which work may now take longer than on an idle machine: the number of processes per processor in the last
 * minute, at least 1. Use it only for checks that need the clock; check a state, an order or processor time if
 * possible.
 */
export function patience(): number {
  return Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());
}
