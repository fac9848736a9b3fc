import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { FileRefusal } from './fileRefusal.ts';

/**
 * Reads a file of a folder in which others may have created the names. Never reads a file outside the folder, or a
 * pipe, which would never end. Follows links inside the folder, because container platforms mount files that way.
 *
 * @throws FileRefusal, or the system's error if the file is missing or may not be read
 */
export function readFolderFile(folder: string, name: string, bytesMax: number): Buffer {
  const path = realPath(join(folder, name));
  const root = realpathSync(folder);
  if (!path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
    throw new FileRefusal('is a symbolic link that leads out of its folder; put the file itself there');
  }
  return readRegularFile(path, bytesMax);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOOP')) throw error;
    throw new FileRefusal('is a symbolic link that leads back to itself');
  }
}

/** Reads a regular file, not a link. @throws like `readFolderFile` */
export function readRegularFile(path: string, bytesMax: number): Buffer {
  const before = lstatSync(path);
  requireFile(before);
  // Does not wait for a writer, in case the file has become a pipe.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = fstatSync(descriptor);
    requireFile(opened);
    if (opened.ino !== before.ino || opened.dev !== before.dev) throw new FileRefusal('was replaced while it was read');
    if (opened.size > bytesMax) throw tooLarge(bytesMax);
    return readAll(descriptor, opened.size, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}

/** Throws a FileRefusal if an entry of a folder is not a regular file. */
export function requireFile(found: Stats): void {
  if (found.isFile()) return;
  const kind = found.isDirectory()
    ? 'a folder'
    : found.isSymbolicLink()
      ? 'a symbolic link'
      : found.isFIFO()
        ? 'a pipe'
        : found.isSocket()
          ? 'a socket'
          : 'a device';
  throw new FileRefusal(`is ${kind}, not a file`);
}

function readAll(descriptor: number, size: number, bytesMax: number): Buffer {
  let bytes = Buffer.alloc(size + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, null);
    length += count;
    if (count === 0) return bytes.subarray(0, length);
    if (length > bytesMax) throw tooLarge(bytesMax);
    // The file has grown since its size was read.
    if (length === bytes.length) bytes = Buffer.concat([bytes], bytesMax + 1);
  }
}

/** Names no size, because a file may have none: one of the system, or one that grows. */
function tooLarge(bytesMax: number): FileRefusal {
  return new FileRefusal(`has more than ${bytesMax} bytes, the most that are read`);
}
