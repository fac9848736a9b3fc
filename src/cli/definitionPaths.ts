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

/** A definition file that could be read, or what is wrong with it. */
export interface NamedFile {
  readonly path: string;
  readonly definition: FileDefinition | null;
  /** A sentence with line and column; null where the file could be read. */
  readonly problem: string | null;
}

/** Reads definition files: those that are named, and all of each folder that is. Throws a CliError where there are none. */
export function readDefinitionPaths(paths: readonly string[]): readonly NamedFile[] {
  const files = paths.flatMap(filesOf);
  if (files.length === 0) {
    throw new CliError(`There is no definition file (.yaml) in ${paths.join(', ')}.`, { exitCode: 2 });
  }
  return files.map(readNamed);
}

/** As `readDefinitionPaths`, where every file has to be right; throws a CliError that tells all that are not. */
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

/** The fields of a definition file as the API takes them. */
export function sentDefinition({ definition, primary }: FileDefinition): Readonly<Record<string, unknown>> {
  return { ...formatDefinition(definition), ...(primary === null ? {} : { primary }) };
}

function filesOf(path: string): readonly string[] {
  // A pattern of the shell such as endpoints/*.yaml names files of tests as well.
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
