import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isDefinitionFile, isTestFile } from '../../endpoints/loadDefinitionFiles.ts';
import { CliError } from '../cliError.ts';
import { type NamedFile, readDefinitionPaths, sentDefinition } from '../definitionPaths.ts';
import { loadTestFile, TestFileError } from '../endpointTests/loadTestFile.ts';
import { filesInFolder } from '../filesInFolder.ts';

/** A definition file with its test files. */
export interface DevelopedFile {
  readonly path: string;
  /** Null for a test file without a definition file in the folder; `tests` has it. */
  readonly named: NamedFile | null;
  readonly tests: readonly string[];
  /** Equal as long as nothing of it changes that matters. */
  readonly key: string;
}

/**
 * Reads the definition and test files of a folder. Files that vanish meanwhile are omitted, because editors replace files.
 *
 * @throws CliError if it is not a folder
 */
export function developedFiles(folder: string): readonly DevelopedFile[] {
  const paths = filesInFolder(folder, (name) => isDefinitionFile(name) || isTestFile(name));
  if (paths === null) throw new CliError(`${folder} is a file. Give the path of a folder.`, { exitCode: 2 });
  const tests = paths.filter(isTestFile).flatMap(testOf);
  const definitions = paths.filter(isDefinitionFile).flatMap((path) => unlessGone(() => readDefinitionPaths([path])));
  const files = definitions.map((named): DevelopedFile => {
    const own = tests.filter(({ definitionFile }) => definitionFile === basename(named.path));
    const sent = named.definition === null ? named.problem : sentDefinition(named.definition);
    return {
      path: named.path,
      named,
      tests: own.map(({ path }) => path),
      key: JSON.stringify([sent, own.map(({ text }) => text)]),
    };
  });
  const tested = new Set(files.flatMap((file) => file.tests));
  const others = tests
    .filter(({ path }) => !tested.has(path))
    .map(({ path, text, problem }): DevelopedFile => {
      return { path, named: null, tests: [path], key: JSON.stringify([text, problem]) };
    });
  return [...files, ...others];
}

interface DevelopedTest {
  readonly path: string;
  readonly text: string;
  /** Name of the file with the definition that it tests; null if it or the definition is invalid. */
  readonly definitionFile: string | null;
  readonly problem: string | null;
}

function testOf(path: string): readonly DevelopedTest[] {
  return unlessGone((): readonly DevelopedTest[] => {
    const text = readFileSync(path, 'utf8');
    try {
      return [{ path, text, definitionFile: loadTestFile(path).definition.file, problem: null }];
    } catch (error) {
      if (!(error instanceof TestFileError)) throw error;
      return [{ path, text, definitionFile: null, problem: error.message }];
    }
  });
}

function unlessGone<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
