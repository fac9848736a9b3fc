import { readdirSync } from 'node:fs';
import { FileRefusal } from '../files/fileRefusal.ts';
import { readFolderFile } from '../files/readFolderFile.ts';
import { utf8Text } from '../files/utf8Text.ts';
import type { EndpointDefinition } from './definition.ts';
import {
  type DefinitionIssue,
  definitionError,
  type Locate,
  type TextPosition,
  unknownField,
} from './definitionIssue.ts';
import { parseDefinition } from './parseDefinition.ts';
import { readYamlMap } from './readYamlMap.ts';

export interface FileDefinition {
  /** The file's name, without its folder. */
  readonly file: string;
  readonly definition: EndpointDefinition;
  /** Whether the endpoint answers by its name. `false` lets a new one share a name. Null if the file does not have it. */
  readonly primary: boolean | null;
  /** Finds a place of the query in the files of the folder. Lines and columns count from 1. */
  readonly placeOf: (inQuery: TextPosition) => FilePlace;
}

export interface FilePlace extends TextPosition {
  readonly file: string;
}

/** Most bytes of one file. Definitions are written by people. */
const fileBytesMax = 2 ** 20;

/**
 * Loads the definitions of a folder: one YAML file (`.yaml` or `.yml`) each, with the fields of the contract, section 3.
 * - The query is in `query:`, in a file of the folder that `query_file:` names or, without either, in the `.sql` file
 *   with the same base name.
 * - `primary: true` is in at most one of the files that share an endpoint name.
 *
 * Links that lead out of the folder, texts other than UTF-8, and unknown keys are errors. Test files (`.test.yaml`) are
 * skipped. Throws `definition.invalid` with file, line and column for the first wrong file, or the file system's error
 * if the folder cannot be read.
 */
export function loadDefinitionFiles(folder: string): readonly FileDefinition[] {
  const files = readdirSync(folder).filter(isDefinitionFile).sort();
  const loaded = files.map((file) => loadDefinitionFile(folder, file));
  refuseDoubles(loaded);
  return loaded;
}

/** Whether a file with this name is a definition file. Tests of endpoints (`.test.yaml`) are not. */
export function isDefinitionFile(file: string): boolean {
  return /\.ya?ml$/.test(file) && !isTestFile(file);
}

/** Whether a file with this name has tests of an endpoint. */
export function isTestFile(file: string): boolean {
  return /\.test\.ya?ml$/.test(file);
}

/** Loads one file, like `loadDefinitionFiles`. */
export function loadDefinitionFile(folder: string, file: string): FileDefinition {
  const read = readYamlMap(
    textOf(folder, file, (problem) => {
      throw definitionError(file, [{ path: [], problem }]);
    }),
  );
  if (read.kind === 'wrong') throw definitionError(file, [read.issue], read.locate);
  const { locate } = read;
  const { query_file: queryFile, primary, ...fields } = read.fields;
  if (primary !== undefined && typeof primary !== 'boolean')
    throw definitionError(file, [{ path: ['primary'], problem: 'must be true or false' }], locate);
  const unknown = Object.keys(fields).filter((key) => isUnknownAtTop(key));
  if (unknown.length > 0) {
    throw definitionError(
      file,
      unknown.map((key) => unknownField([], key, fileFields)),
      locate,
    );
  }
  const query = queryOf(folder, file, fields, queryFile, locate);
  const inline = (place: TextPosition): FilePlace => ({
    file,
    ...(read.locateIn(['query'], place) ?? locate(['query']) ?? { line: 1, column: 1 }),
  });
  const beside = (place: TextPosition): FilePlace => ({ file: query.file, ...place });
  return {
    file,
    primary: primary ?? null,
    definition: parseDefinition({ ...fields, query: query.text }, { label: file, locate }),
    placeOf: query.file === file ? inline : beside,
  };
}

/** Reads a file. Calls `fail` with a problem that completes "<file> …". */
function textOf(folder: string, file: string, fail: (problem: string) => never): string {
  try {
    return utf8Text(readFolderFile(folder, file, fileBytesMax));
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    return fail(error.message);
  }
}

const fileFields = ['query_file', 'primary'];

function isUnknownAtTop(key: string): boolean {
  return unknownField([], key).allowed?.includes(key) === false;
}

function queryOf(
  folder: string,
  file: string,
  fields: Record<string, unknown>,
  queryFile: unknown,
  locate: Locate,
): { readonly file: string; readonly text: unknown } {
  const fail = (issue: DefinitionIssue): never => {
    throw definitionError(file, [issue], locate);
  };
  if (fields.query !== undefined) {
    return queryFile === undefined
      ? { file, text: fields.query }
      : fail({ path: ['query_file'], problem: 'cannot be combined with query; use one of the two' });
  }
  if (queryFile !== undefined && (typeof queryFile !== 'string' || !/^[^/\\]+\.sql$/.test(queryFile))) {
    return fail({ path: ['query_file'], problem: 'must be the name of a .sql file in the same folder' });
  }
  const name = queryFile ?? file.replace(/\.ya?ml$/, '.sql');
  const where = queryFile === undefined ? [] : ['query_file'];
  try {
    const text = textOf(folder, name, (problem) =>
      fail({ path: where, problem: `needs a readable query file: ${name} ${problem}` }),
    );
    return { file: name, text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return fail({
      path: where,
      problem: `needs a query: add the field query or query_file, or a file ${name} in the same folder`,
    });
  }
}

function refuseDoubles(loaded: readonly FileDefinition[]): void {
  const fileOfId = new Map<string, string>();
  const primaryFileOfName = new Map<string, string>();
  for (const { file, definition, primary } of loaded) {
    const other = fileOfId.get(definition.id);
    if (other !== undefined) throw definitionError(file, [{ path: ['id'], problem: `is also the ID of ${other}` }]);
    fileOfId.set(definition.id, file);
    if (primary !== true) continue;
    const rival = primaryFileOfName.get(definition.name);
    if (rival !== undefined)
      throw definitionError(file, [
        { path: ['primary'], problem: `is also true in ${rival}, which has the same name` },
      ]);
    primaryFileOfName.set(definition.name, file);
  }
}
