import { closeSync, existsSync, lstatSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { systemReason } from '../core/systemReason.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';

/**
 * Does work that writes to a file. The file gets its name when the work is complete; if the work fails or is interrupted,
 * there is none.
 */
export async function intoFile<T>(
  file: string,
  { onInterrupt }: Pick<CliContext, 'onInterrupt'>,
  work: (write: (bytes: Uint8Array) => void) => Promise<T>,
): Promise<T> {
  const attempt = <R>(step: () => R): R => {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(file, error);
    }
  };
  const writeTo = (opened: number) => (bytes: Uint8Array) => {
    for (let from = 0; from < bytes.length; ) from += attempt(() => writeSync(opened, bytes, from));
  };
  if (attempt(() => isPlace(file))) {
    const opened = attempt(() => openSync(file, 'w'));
    try {
      return await work(writeTo(opened));
    } finally {
      closeSync(opened);
    }
  }
  const unfinished = `${file}.part`;
  if (existsSync(unfinished)) throw partExists(file);
  // Another command may begin to write the same file.
  const opened = attempt(() => openSync(unfinished, 'wx'));
  const undo = onInterrupt(() => {
    rmSync(unfinished, { force: true });
    return `\nInterrupted. ${file} was not written.\n`;
  });
  try {
    const result = await work(writeTo(opened));
    attempt(() => renameSync(unfinished, file));
    return result;
  } finally {
    closeSync(opened);
    rmSync(unfinished, { force: true });
    undo();
  }
}

/** Whether bytes go through the name to something else, such as a device or a pipe, which no file may replace. */
function isPlace(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return false;
  return (
    !found.isSymbolicLink() || file.startsWith('/dev/') || statSync(file, { throwIfNoEntry: false })?.isFile() !== true
  );
}

export const partExists = (file: string): CliError =>
  new CliError(
    `${file}.part exists already: another command is writing ${file}, or was stopped before it was complete. If none is running, remove ${file}.part.`,
  );

export const cannotWrite = (file: string, error: unknown): CliError =>
  new CliError(`${file} cannot be written: ${systemReason(error)}.`);
