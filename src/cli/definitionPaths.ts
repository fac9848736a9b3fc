import { basename, dirname } from 'node:path';
import { ServiceError } from '../core/errors.ts';
import {
  type FileDefinition,
  isDefinitionFile,
  isTestFile,
  loadDefinitionFile,
} from '../endpoints/loadDefinitionFiles.ts';
import { formatDefinition } from '../endpoints/parseDefinition.ts';
import { CliError } from './cliError.ts';
import type { DefinitionAt } from './deploymentProblem.ts';
import { filesInFolder } from './filesInFolder.ts';

/** A definition file, or the reason why it cannot be read. */
export interface NamedFile {
  readonly path: string;
  readonly definition: FileDefinition | null;
  /** A sentence with line and column; null if the file could be read. */
  readonly problem: string | null;
}

/** Reads the named definition files, and all those in the named folders. Throws a CliError if there are none. */
export function readDefinitionPaths(paths: readonly string[]): readonly NamedFile[] {
  const files = paths.flatMap(filesOf);
  if (files.length === 0) {
    throw new CliError(`No definition file (.yaml) found in ${paths.join(', ')}.`, { exitCode: 2 });
  }
  return files.map(readNamed);
}

/** Like `readDefinitionPaths`, but throws a CliError that lists every invalid file. */
export function requireDefinitions(paths: readonly string[]): readonly DefinitionAt[] {
  const files = readDefinitionPaths(paths);
  const wrong = files.flatMap(({ path, problem }) => (problem === null ? [] : [{ file: path, message: problem }]));
  if (wrong.length > 0) {
    throw new CliError(wrong.map(({ file, message }) => `${file}: ${message}`).join('\n'), {
      details: { code: 'definition.invalid', errors: wrong },
    });
  }
  return files.flatMap(({ path, definition }) => (definition === null ? [] : [{ path, definition }]));
}

/** The fields of a definition file, in the form that the API accepts. */
export function sentDefinition({ definition, primary }: FileDefinition): Readonly<Record<string, unknown>> {
  return { ...formatDefinition(definition), ...(primary === null ? {} : { primary }) };
}

function filesOf(path: string): readonly string[] {
  // A shell pattern such as endpoints/*.yaml also matches test files.
  return filesInFolder(path, isDefinitionFile) ?? (isTestFile(path) ? [] : [path]);
}

function readNamed(path: string): NamedFile {
  try {
    return { path, definition: loadDefinitionFile(dirname(path), basename(path)), problem: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { path, definition: null, problem: error.message };
  }
}
