import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from './cliError.ts';

/** Paths of the files of a folder whose names are wanted, sorted; null where the path is a file. Throws a CliError where it cannot be read. */
export function filesInFolder(path: string, isWanted: (name: string) => boolean): readonly string[] | null {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
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
