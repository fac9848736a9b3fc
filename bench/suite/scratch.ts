import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Contains prepared events, which later runs reuse, and one folder for each run. */
export const sharedFolder = join(tmpdir(), 'logmill-bench');

/** Makes a folder for this run, which removes it when it ends. First removes the folders of killed runs. */
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
  // PostgreSQL runs under its own account, which must be able to enter.
  for (const each of [sharedFolder, folder]) chmodSync(each, 0o755);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Any other error, such as a lack of permission, means that the process is alive.
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
