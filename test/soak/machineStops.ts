import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** One time that a processor ran nothing of this machine, because its host had taken it away. */
export interface MachineStop {
  /** When it ended, milliseconds since 1970. */
  readonly endMs: number;
  readonly stoppedMs: number;
}

/**
 * Watches for times in which the host of a virtual machine takes a processor away. The kernel of the machine does not know
 * of them, and counts them as running. The process with the highest priority on each processor hardly waits there. Real-time priority would
 * disturb what is watched: with it, Linux 6.18 left other processes waiting for whole seconds.
 */
export class MachineStops {
  readonly stops: MachineStop[] = [];
  readonly #watches: readonly ChildProcess[];

  constructor() {
    this.#watches = Array.from({ length: availableParallelism() }, (_, processor) => this.#watch(processor));
  }

  /** Whether it could watch: only as root, on Linux. */
  get isWatching(): boolean {
    return this.#watches.every(
      ({ exitCode, signalCode, pid }) => exitCode === null && signalCode === null && pid !== undefined,
    );
  }

  close(): void {
    for (const watch of this.#watches) watch.kill();
  }

  #watch(processor: number): ChildProcess {
    const watched = [process.execPath, join(import.meta.dirname, 'processorWatch.mjs')];
    // With a channel, so that it ends with this process.
    const watch = spawn('taskset', ['-c', String(processor), ...watched], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    // Without this command nothing is watched, and the report says so.
    watch.on('error', () => undefined);
    if (watch.stdout !== null) {
      createInterface({ input: watch.stdout }).on('line', (line) => {
        const [endMs = 0, stoppedMs = 0] = line.split(' ').map(Number);
        this.stops.push({ endMs, stoppedMs });
      });
    }
    return watch;
  }
}

/** How much of a time that ended then a processor of the machine was stopped, milliseconds; at most its length. */
export function stoppedDuring(stops: readonly MachineStop[], endMs: number, lengthMs: number): number {
  const stopped = stops.map(
    (stop) => Math.min(endMs, stop.endMs) - Math.max(endMs - lengthMs, stop.endMs - stop.stoppedMs),
  );
  return Math.min(
    lengthMs,
    stopped.reduce((sum, ms) => sum + Math.max(0, ms), 0),
  );
}
