import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncPath } from './syncPath.ts';

/** Files of the events folder by kind. */
export interface FolderContents {
  /** Numbers in ascending order. */
  readonly active: readonly number[];
  readonly sealed: readonly number[];
  /** Numbers of files that were being written, or were written and have not been given their name. */
  readonly temporary: readonly number[];
  /** Highest number that any name in the folder carries, damaged files included; 0 without any. */
  readonly highestNumber: number;
}

/** Names and life of the files under `DATA_DIR/events`. */
export class EventFolder {
  readonly path: string;
  /** Sorts spill here; emptied at every start. */
  readonly spillPath: string;

  constructor(dataDir: string) {
    this.path = resolve(dataDir, 'events');
    this.spillPath = join(this.path, 'spill');
  }

  activePath(number: number): string {
    return join(this.path, `active-${number}.duckdb`);
  }

  sealedPath(number: number): string {
    return join(this.path, `sealed-${number}.duckdb`);
  }

  temporaryPath(number: number): string {
    return join(this.path, `sealing-${number}.tmp`);
  }

  /** Gives a rewritten file that is complete and durable its name. */
  async publish(number: number): Promise<void> {
    await rename(this.temporaryPath(number), this.sealedPath(number));
    await syncPath(this.path);
  }

  async create(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await rm(this.spillPath, { recursive: true, force: true });
  }

  async read(): Promise<FolderContents> {
    const names = await readdir(this.path);
    const numbers = (pattern: RegExp) =>
      names.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
    return {
      active: numbers(/^active-(\d+)\.duckdb$/),
      sealed: numbers(/^sealed-(\d+)\.duckdb$/),
      temporary: [...new Set(numbers(/^sealing-(\d+)\.tmp/))],
      highestNumber: Math.max(0, ...numbers(/^(?:active|sealed|sealing)-(\d+)\./)),
    };
  }

  /** Removes a database file and its log. */
  async remove(path: string): Promise<void> {
    for (const suffix of ['', '.wal']) await rm(`${path}${suffix}`, { force: true });
  }

  /** Size of a database file's log; 0 where it has none. */
  async logBytes(path: string): Promise<number> {
    const names = await readdir(this.path);
    return names.some((name) => join(this.path, name) === `${path}.wal`) ? (await stat(`${path}.wal`)).size : 0;
  }

  /** Removes what rewriting has written so far. */
  async removeTemporary(number: number): Promise<void> {
    await this.remove(this.temporaryPath(number));
  }

  /** Renames a database file and its log, so that it is kept but not opened again. */
  async setAside(path: string): Promise<void> {
    const names = await readdir(this.path);
    for (const suffix of ['', '.wal']) {
      if (names.some((name) => join(this.path, name) === `${path}${suffix}`)) {
        await rename(`${path}${suffix}`, `${path}${suffix}.damaged`);
      }
    }
  }
}
