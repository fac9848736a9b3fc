import { basename, join } from 'node:path';
import { systemReason } from '../core/systemReason.ts';
import { FileRefusal } from '../files/fileRefusal.ts';
import { replaceFile } from '../files/replaceFile.ts';
import { CliError } from './cliError.ts';
import { schemaLine } from './schemaLine.ts';

export interface DefinitionFiles {
  /** Name of both files without their endings. It may come from a service. */
  readonly base: string;
  readonly yaml: string;
  readonly sql: string;
  /** Address of the service, which has the JSON Schema of the `.yaml` file. */
  readonly url: string;
}

/**
 * Writes the `.yaml` and `.sql` file of a definition to a folder, and follows no link there.
 *
 * @returns the path of the `.yaml` file
 * @throws CliError if the name leads out of the folder, or a file cannot be written
 */
export function writeDefinitionFiles(folder: string, { base, yaml, sql, url }: DefinitionFiles): string {
  if (base === '' || base !== basename(base) || /[\\\0]/.test(base)) {
    throw new CliError(`The service gave the name ${JSON.stringify(base)}, which cannot be the name of a file.`);
  }
  const path = join(folder, `${base}.yaml`);
  write(path, `${schemaLine(url, path)}${yaml}`);
  write(join(folder, `${base}.sql`), sql);
  return path;
}

function write(path: string, text: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    const why = error instanceof FileRefusal ? error.message : `cannot be written: ${systemReason(error)}`;
    throw new CliError(`${path} ${why}.`, { cause: error });
  }
}
