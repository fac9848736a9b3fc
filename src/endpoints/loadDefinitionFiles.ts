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
  /** Whether it is to answer by its name. `false` lets a new one share a name; null, where the file says nothing, does not. */
  readonly primary: boolean | null;
  /** Where a place in the query stands: in which file of the folder, and there. Both count from 1. */
  readonly placeOf: (inQuery: TextPosition) => FilePlace;
}

export interface FilePlace extends TextPosition {
  readonly file: string;
}

/** Bytes of one file; a definition is text that people write. */
const fileBytesMax = 2 ** 20;

/**
 * The definitions of a folder: one YAML file (`.yaml` or `.yml`) each, of any name, with the fields
 * of the contract, section 3, and
 * - the query as `query:`, or in a file beside it that `query_file:` names, or, with neither, in the
 *   `.sql` file of the same base name;
 * - `primary: true` in at most one of those that share a name.
 *
 * Only files of the folder are read, never what a link leads to outside of it, and only UTF-8.
 *
 * Files of tests (`.test.yaml`) are passed over. Unknown keys are errors. Throws `definition.invalid`
 * with file, line and column for the first file that is wrong; a folder that cannot be read throws
 * what the file system said.
 */
export function loadDefinitionFiles(folder: string): readonly FileDefinition[] {
  const files = readdirSync(folder).filter(isDefinitionFile).sort();
  const loaded = files.map((file) => loadDefinitionFile(folder, file));
  refuseDoubles(loaded);
  return loaded;
}

/** Whether a file of this name holds a definition. Tests of endpoints (`.test.yaml`) stand beside definitions and are none. */
export function isDefinitionFile(file: string): boolean {
  return /\.ya?ml$/.test(file) && !isTestFile(file);
}

/** Whether a file of this name holds tests of an endpoint. */
export function isTestFile(file: string): boolean {
  return /\.test\.ya?ml$/.test(file);
}

/** One of them, as `loadDefinitionFiles` reads it. */
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

/** Calls `fail` with what completes "<file> …". */
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
      : fail({ path: ['query_file'], problem: 'cannot stand beside query; give one of the two' });
  }
  if (queryFile !== undefined && (typeof queryFile !== 'string' || !/^[^/\\]+\.sql$/.test(queryFile))) {
    return fail({ path: ['query_file'], problem: 'must be the name of a .sql file in the same folder' });
  }
  const name = queryFile ?? file.replace(/\.ya?ml$/, '.sql');
  const where = queryFile === undefined ? [] : ['query_file'];
  try {
    const text = textOf(folder, name, (problem) =>
      fail({ path: where, problem: `needs a query file that can be read: ${name} ${problem}` }),
    );
    return { file: name, text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return fail({
      path: where,
      problem: `needs a query: there is no file ${name} beside it, and no query or query_file in it`,
    });
  }
}

function refuseDoubles(loaded: readonly FileDefinition[]): void {
  const fileOfId = new Map<string, string>();
  const primaryFileOfName = new Map<string, string>();
  for (const { file, definition, primary } of loaded) {
    const other = fileOfId.get(definition.id);
    if (other !== undefined) throw definitionError(file, [{ path: ['id'], problem: `is the id of ${other} too` }]);
    fileOfId.set(definition.id, file);
    if (primary !== true) continue;
    const rival = primaryFileOfName.get(definition.name);
    if (rival !== undefined)
      throw definitionError(file, [{ path: ['primary'], problem: `is true in ${rival} for the same name too` }]);
    primaryFileOfName.set(definition.name, file);
  }
}
