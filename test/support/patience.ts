import { availableParallelism, loadavg } from 'node:os';

/**
 * How many times as long as on a machine of its own something may take now: as many as there are who want each
 * processor, in the last minute. At least 1. For what a test can only hold by the clock; what it can hold by a state,
 * by the order of things or by processor time must not ask for it.
 */
export function patience(): number {
  return Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());
}
