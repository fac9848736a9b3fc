import { open } from 'node:fs/promises';

/** Flushes a file or a folder to the device. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
