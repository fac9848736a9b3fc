import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * The entry with which the engine's log ends each transaction: its size (5), its checksum, and its type. Bytes that
 * look the same come about by chance once in some 2^104.
 */
const endOfTransaction = /\x05\x00{7}[\s\S]{8}\x64\x00\x64\xff\xff/;
const entryBytes = 21;

/**
 * Whether the log of a database file holds a transaction that was completed. Where the file shows nothing of it, the
 * engine has passed over the log, as it does without a word where its first bytes are damaged.
 */
export async function hasTransaction(path: string): Promise<boolean> {
  const log = `${path}.wal`;
  if (!(await exists(log))) return false;
  let carried = '';
  for await (const chunk of createReadStream(log, { encoding: 'latin1', highWaterMark: 2 ** 20 })) {
    const text: string = carried + chunk;
    if (endOfTransaction.test(text)) return true;
    carried = text.slice(-entryBytes);
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
