import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '../core/systemReason.ts';
import { CliError } from './cliError.ts';

/** Sorted paths of the wanted files in a folder; null if the path is a file. Throws a CliError if it cannot be read. */
export function filesInFolder(path: string, isWanted: (name: string) => boolean): readonly string[] | null {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${systemReason(error)}.`, {
      exitCode: 2,
      cause: error,
    });
  }
  if (!isFolder) return null;
  return readdirSync(path)
    .filter(isWanted)
    .sort()
    .map((name) => join(path, name));
}
