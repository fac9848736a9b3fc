import { writeSync } from 'node:fs';

/**
 * Ends the engine process like a crash, which everything is prepared for, if it holds something that only a new process
 * gets rid of. Ends at once, so that no running statement delays it. The service reports the reason.
 */
export function endProcess(reason: string): void {
  writeSync(2, `${reason}\n`);
  process.kill(process.pid, 'SIGKILL');
}
