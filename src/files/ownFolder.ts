import { lstat, mkdir, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../core/errors.ts';

/**
 * Creates a folder of the service and its missing parents.
 *
 * @param mayBeLink - whether a link to a folder may have its name, such as one to another disk
 * @throws ServiceError `service.folder_taken` if a file or link has its name
 */
export async function makeOwnFolder(path: string, { mayBeLink = false } = {}): Promise<void> {
  await asFolder(path, async () => void (await mkdir(path, { recursive: true, mode: 0o700 })));
  if (!mayBeLink && !(await lstat(path)).isDirectory()) throw folderTaken(path, 'a link');
}

/** Lists the names in such a folder. @throws like `makeOwnFolder` */
export async function readOwnFolder(path: string): Promise<readonly string[]> {
  return await asFolder(path, async () => await readdir(path));
}

async function asFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw folderTaken(path, 'a file', error);
  }
}

function folderTaken(path: string, what: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'service.folder_taken',
    `The service needs a folder "${basename(path)}" in its data folder, but ${what} has that name. Move the ${what.replace('a ', '')} away; no restart is needed.`,
    { cause },
  );
}
