import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Readable and writable by their owner only: a backup holds every event, and what tokens are recognised by. */
export const fileMode = 0o600;
export const folderMode = 0o700;

export interface WrittenBytes {
  readonly bytes: number;
  /** As hex digits. */
  readonly sha256: string;
}

/**
 * Writes a new file from chunks and flushes it to the device. Rejects where there is a file already. `chunksOf` is
 * asked when the file is there: a stream that fails while nobody reads it would end the process.
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

/** Writes a text over what may be there, and flushes it to the device. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', fileMode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The SHA-256 of bytes as hex digits. */
export async function sha256Of(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
