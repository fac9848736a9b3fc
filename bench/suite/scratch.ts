import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where prepared events stay from run to run, and where each run has a folder of its own. */
export const sharedFolder = join(tmpdir(), 'logmill-bench');

/** A folder for this run, which removes it when it ends. What runs that were killed have left is removed first. */
export function newRunFolder(): string {
  mkdirSync(sharedFolder, { recursive: true });
  for (const name of readdirSync(sharedFolder)) {
    const pid = /^run-(\d+)-|-making-(\d+)$/
      .exec(name)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(sharedFolder, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(sharedFolder, `run-${process.pid}-`));
  // PostgreSQL runs under an account of its own, which has to pass through.
  for (const each of [sharedFolder, folder]) chmodSync(each, 0o755);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Any other error, such as a lack of permission, is of a process that lives.
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
