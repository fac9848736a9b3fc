import { spawnSync } from 'node:child_process';

/** Drops files from the page cache of the system; false if that is not possible (no GNU dd). */
export function forgetFiles(files: readonly string[]): boolean {
  return files.every(
    (file) =>
      spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'], { stdio: 'ignore' }).status === 0,
  );
}
