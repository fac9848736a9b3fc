import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';

/** Only the owner has access, because a backup contains all events and the hashes of tokens. */
export const fileMode = 0o600;
export const folderMode = 0o700;

export interface WrittenBytes {
  readonly bytes: number;
  /** In hex digits. */
  readonly sha256: string;
}

/**
 * Writes a new file from chunks and flushes it to disk. Rejects if the file exists. Calls `chunksOf` only after the file
 * is open, because a stream that fails while nobody reads it would end the process.
 */
export async function writeStream(
  path: string,
  chunksOf: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
): Promise<WrittenBytes> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'wx', fileMode);
  try {
    for await (const chunk of await chunksOf()) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes a text to a new file instead of an existing one, without following a link, and flushes it to disk. */
export async function writeSynced(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', fileMode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a file or a folder to the device. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The SHA-256 of bytes in hex digits. */
export async function sha256Of(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
