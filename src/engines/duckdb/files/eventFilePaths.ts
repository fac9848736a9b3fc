import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncPath } from '../../../files/durableFiles.ts';
import { makeOwnFolder, readOwnFolder } from '../../../files/ownFolder.ts';

/** Files of the events folder by kind. */
export interface FolderContents {
  /** Numbers in ascending order. */
  readonly active: readonly number[];
  readonly sealed: readonly number[];
  /** Numbers of files that are incomplete, or complete but not named yet. */
  readonly temporary: readonly number[];
  /** Numbers of active files that may never have been opened (`creationMark`). */
  readonly created: readonly number[];
  /** Names of database files in quarantine. */
  readonly damaged: readonly string[];
  /** Highest number in any name in the folder, including quarantined files; 0 without any. */
  readonly highestNumber: number;
}

/** Inodes of a database file and its log; null if there is none of that name. */
export interface FileEntries {
  readonly database: number | null;
  readonly log: number | null;
}

/**
 * Path of an empty file that is there until the engine can open a new active file. Without it, the beginning of a file that
 * never held events could not be told from what damage has left of another one.
 */
export const creationMark = (path: string): string => `${path}.new`;

export const activeName = (number: number) => `active-${number}.duckdb`;
export const sealedName = (number: number) => `sealed-${number}.duckdb`;

/** Names, creation and removal of the files in `DATA_DIR/events`. */
export class EventFilePaths {
  readonly path: string;
  /** Folder to which sorts spill. It and the other entries of its parent folder are removed at every start. */
  readonly spillPath: string;
  /** The same for the function process (functionProcess.ts); also for rows that are copied to it. */
  readonly functionsSpillPath: string;
  /** Folder of quarantined files. Never emptied. */
  readonly damagedPath: string;
  /** The file of the space that is set aside (spaceReserve.ts). */
  readonly reservePath: string;
  /** Inode of the folder when it was created or found; null before. */
  #inode: number | null = null;

  constructor(dataDir: string) {
    this.path = resolve(dataDir, 'events');
    this.spillPath = join(this.path, 'spill', 'engine');
    this.functionsSpillPath = join(this.path, 'spill-functions');
    this.damagedPath = join(this.path, 'damaged');
    this.reservePath = join(this.path, 'reserve');
  }

  activePath(number: number): string {
    return join(this.path, activeName(number));
  }

  sealedPath(number: number): string {
    return join(this.path, sealedName(number));
  }

  temporaryPath(number: number): string {
    return join(this.path, `sealing-${number}.tmp`);
  }

  /** Gives a rewritten file, complete and durable, its final name. */
  async publish(number: number): Promise<void> {
    await this.requireSame();
    await rename(this.temporaryPath(number), this.sealedPath(number));
    await syncPath(this.path);
  }

  async create(): Promise<void> {
    await makeOwnFolder(this.path, { mayBeLink: true });
    await rm(dirname(this.spillPath), { recursive: true, force: true });
    await rm(this.functionsSpillPath, { recursive: true, force: true });
    this.#inode = await inodeOf(this.path);
  }

  /**
   * Call it before a file is created, renamed or removed. The folder can be moved away while the service runs, and the
   * folder then at its path may belong to another service, with files of the same names.
   *
   * @throws Error if the path leads to another folder or to none
   */
  async requireSame(): Promise<void> {
    if (this.#inode === null || (await inodeOf(this.path)) === this.#inode) return;
    throw new Error(`${this.path} is no longer the folder that the service was started on`);
  }

  async read(): Promise<FolderContents> {
    const names = await readdir(this.path);
    const damaged = names.includes('damaged') ? await readOwnFolder(this.damagedPath) : [];
    const numbers = (pattern: RegExp, among: readonly string[] = names) =>
      among.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
    return {
      active: numbers(/^active-(\d+)\.duckdb$/),
      sealed: numbers(/^sealed-(\d+)\.duckdb$/),
      temporary: [...new Set(numbers(/^sealing-(\d+)\.tmp/))],
      created: numbers(/^active-(\d+)\.duckdb\.new$/),
      damaged: damaged.filter((name) => /^(?:active|sealed)-\d+(?:\.\d+)?\.duckdb$/.test(name)),
      highestNumber: Math.max(0, ...numbers(/^(?:active|sealed|sealing)-(\d+)\./, [...names, ...damaged])),
    };
  }

  /** Removes a database file and its log. */
  async remove(path: string): Promise<void> {
    await this.requireSame();
    for (const each of [path, `${path}.wal`, creationMark(path)]) await rm(each, { force: true });
  }

  /** Removes the mark of an active file that holds events or is gone. */
  async removeCreationMark(number: number): Promise<void> {
    await this.requireSame();
    await rm(creationMark(this.activePath(number)), { force: true });
  }

  /** Inodes of a database file and its log. @throws Error if they are unknown */
  async entriesOf(path: string): Promise<FileEntries> {
    const [database, log] = await Promise.all([inodeOf(path), inodeOf(`${path}.wal`)]);
    return { database, log };
  }

  /** Size of a database file's log; 0 if it has none. */
  async logBytes(path: string): Promise<number> {
    const names = await readdir(this.path);
    return names.some((name) => join(this.path, name) === `${path}.wal`) ? (await stat(`${path}.wal`)).size : 0;
  }

  /** Removes the unfinished file of a rewrite. */
  async removeTemporary(number: number): Promise<void> {
    await this.remove(this.temporaryPath(number));
  }

  /** Moves a database file and its log to quarantine; does nothing if the file is missing. */
  async quarantine(path: string): Promise<void> {
    await this.requireSame();
    await makeOwnFolder(this.damagedPath);
    const [names, taken] = await Promise.all([readdir(this.path), readOwnFolder(this.damagedPath)]);
    const name = basename(path);
    // A file that was put back and is damaged again must not replace the first one.
    let stem = name;
    for (let next = 2; taken.includes(stem); next++) stem = name.replace(/\.duckdb$/, `.${next}.duckdb`);
    for (const suffix of ['.wal', '']) {
      if (!names.includes(`${name}${suffix}`)) continue;
      await rename(`${path}${suffix}`, join(this.damagedPath, `${stem}${suffix}`));
    }
    await syncPath(this.damagedPath);
    await syncPath(this.path);
  }
}

async function inodeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).ino;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
