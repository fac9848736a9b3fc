import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chunkBytes = 64 * 1024;

/** A file system of a given size, in memory. Must be removed. */
export class SmallDisk {
  readonly path: string;
  readonly #ballast: string;

  private constructor(path: string) {
    this.path = path;
    this.#ballast = join(path, 'ballast');
  }

  /** Null if this process may not mount one (which needs root on Linux). */
  static mount(bytes: number): SmallDisk | null {
    const path = mkdtempSync(join(tmpdir(), 'logmill-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
    if (status === 0) return new SmallDisk(path);
    rmSync(path, { recursive: true });
    return null;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Fills the disk with a file, except for about `leaveBytes`. */
  fill(leaveBytes = 0): void {
    const chunk = Buffer.alloc(chunkBytes);
    const file = openSync(this.#ballast, 'a');
    try {
      while (this.freeBytes > leaveBytes) writeSync(file, chunk, 0, Math.min(chunkBytes, this.freeBytes - leaveBytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space that `fill` took. */
  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** Processes that still use it keep it until they end. */
  remove(): void {
    const { status, stderr } = spawnSync('umount', ['-l', this.path], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${this.path} cannot be unmounted: ${stderr}`);
    rmSync(this.path, { recursive: true });
  }
}
