import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';

/** Changes one byte in every `everyBytes` of an existing file, in place, like a failing disk. */
export function damageFile(path: string, everyBytes: number, fromByte = 0): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    for (let at = fromByte; at < size; at += everyBytes) {
      readSync(file, byte, 0, 1, at);
      byte[0] = (byte[0] ?? 0) ^ 0xff;
      writeSync(file, byte, 0, 1, at);
    }
  } finally {
    closeSync(file);
  }
}
