import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * The entry that ends each transaction in the engine's log: its size, a checksum, and the bytes of its type and its
 * end. Random bytes look the same once in about 2^104.
 */
const size = Buffer.from([5, 0, 0, 0, 0, 0, 0, 0]);
const checksumBytes = 8;
const contents = Buffer.from([0x64, 0, 0x64, 0xff, 0xff]);
const entryBytes = size.length + checksumBytes + contents.length;

/**
 * Whether the log of a database file holds a completed transaction. If the file shows nothing of it, the engine has
 * ignored the log, as it does silently if the first bytes are damaged.
 */
export async function hasTransaction(path: string): Promise<boolean> {
  const log = `${path}.wal`;
  if (!(await exists(log))) return false;
  let carried: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(log, { highWaterMark: 2 ** 20 })) {
    const bytes: Buffer = Buffer.concat([carried, chunk]);
    if (endsTransaction(bytes)) return true;
    // An entry can span two chunks.
    carried = bytes.subarray(Math.max(0, bytes.length - entryBytes + 1));
  }
  return false;
}

function endsTransaction(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(size); at !== -1; at = bytes.indexOf(size, at + 1)) {
    const from = at + size.length + checksumBytes;
    if (bytes.subarray(from, from + contents.length).equals(contents)) return true;
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
