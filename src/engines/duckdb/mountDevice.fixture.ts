import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A device of its own, which only root can make; undefined elsewhere. */
export function mountDevice(megabytes: number): { readonly path: string; unmount(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), 'logmill-device-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    // Without the right the case is skipped, which the runner reports; unknownCommit.test.ts has it without a device.
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
