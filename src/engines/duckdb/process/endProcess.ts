import { writeSync } from 'node:fs';

/**
 * Ends the engine process as by a crash, which everything is made for, where it holds something that only a fresh process
 * is rid of. At once: a running statement must not delay it. The reason is told with the end.
 */
export function endProcess(reason: string): void {
  writeSync(2, `${reason}\n`);
  process.kill(process.pid, 'SIGKILL');
}
