import { mkdir, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { ServiceError } from '../core/errors.ts';

/**
 * Creates a folder of the service and its missing parents.
 *
 * @throws ServiceError `service.folder_taken` if a file has its name
 */
export async function makeOwnFolder(path: string): Promise<void> {
  await asFolder(path, async () => void (await mkdir(path, { recursive: true, mode: 0o700 })));
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
    throw new ServiceError(
      'service.folder_taken',
      `The service needs a folder "${basename(path)}" in its data folder, but a file has that name. Move the file away; no restart is needed.`,
      { cause: error },
    );
  }
}
