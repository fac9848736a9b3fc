import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a separate device, which only root can do; undefined for other users. */
export function mountDevice(megabytes: number): { readonly path: string; unmount(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), 'logmill-device-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    // The runner reports the case as skipped; unknownCommit.test.ts tests it without a device.
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    unmount: () => {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true });
    },
  };
}
