import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { systemReason } from '../core/systemReason.ts';
import { CliError } from './cliError.ts';

/** Does work that writes to a file. The file gets its name when the work is complete; if the work fails, there is none. */
export async function intoFile<T>(file: string, work: (write: (bytes: Uint8Array) => void) => Promise<T>): Promise<T> {
  const unfinished = `${file}.part`;
  const attempt = <R>(step: () => R, path = file): R => {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  // Another command may be writing the same file.
  const opened = attempt(() => openSync(unfinished, 'wx'), unfinished);
  try {
    const result = await work((bytes) => {
      for (let from = 0; from < bytes.length; ) from += attempt(() => writeSync(opened, bytes, from));
    });
    attempt(() => renameSync(unfinished, file));
    return result;
  } finally {
    closeSync(opened);
    rmSync(unfinished, { force: true });
  }
}

export const cannotWrite = (file: string, error: unknown): CliError =>
  new CliError(`${file} cannot be written: ${systemReason(error)}.`);
