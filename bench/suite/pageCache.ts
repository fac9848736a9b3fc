import { spawnSync } from 'node:child_process';

/** Has the system forget what it holds of files in memory; false where it cannot be asked to (no GNU dd). */
export function forgetFiles(files: readonly string[]): boolean {
  return files.every(
    (file) =>
      spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'], { stdio: 'ignore' }).status === 0,
  );
}
