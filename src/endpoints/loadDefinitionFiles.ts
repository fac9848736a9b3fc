import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { EndpointDefinition } from './definition.ts';
import { type DefinitionIssue, definitionError, type Locate, unknownField } from './definitionIssue.ts';
import { parseDefinition } from './parseDefinition.ts';

export interface FileDefinition {
  /** The file's name, without its folder. */
  readonly file: string;
  readonly definition: EndpointDefinition;
  /** Whether it is to be created first among definitions of one name, and so be their primary. */
  readonly primary: boolean;
}

/**
 * The definitions of a folder: one YAML file (`.yaml` or `.yml`) each, of any name, with the fields
 * of the contract, section 3, and
 * - the query as `query:`, or in a file beside it that `query_file:` names, or, with neither, in the
 *   `.sql` file of the same base name;
 * - `primary: true` in at most one of those that share a name.
 *
 * Unknown keys are errors. Throws `definition.invalid` with file, line and column for the first file
 * that is wrong; a folder that cannot be read throws what the file system said.
 */
export function loadDefinitionFiles(folder: string): readonly FileDefinition[] {
  const files = readdirSync(folder)
    .filter((file) => /\.ya?ml$/.test(file))
    .sort();
  const loaded = files.map((file) => loadDefinitionFile(folder, file));
  refuseDoubles(loaded);
  return loaded;
}

/** One of them, as `loadDefinitionFiles` reads it. */
export function loadDefinitionFile(folder: string, file: string): FileDefinition {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(join(folder, file), 'utf8'), {
    lineCounter: lines,
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw definitionError(file, [{ path: [], problem: `is not readable as YAML: ${problem.message}` }], () => ({
      line,
      column: col,
    }));
  }
  if (!isMap(document.contents)) throw definitionError(file, [{ path: [], problem: 'must be a map of fields' }]);

  const locate: Locate = (path) => {
    const offset = offsetOf(document.contents, path);
    if (offset === undefined) return undefined;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const { query_file: queryFile, primary = false, ...fields } = document.toJS() as Record<string, unknown>;
  if (typeof primary !== 'boolean')
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
  return { file, primary, definition: parseDefinition({ ...fields, query }, { label: file, locate }) };
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
): unknown {
  const fail = (issue: DefinitionIssue): never => {
    throw definitionError(file, [issue], locate);
  };
  if (fields.query !== undefined) {
    return queryFile === undefined
      ? fields.query
      : fail({ path: ['query_file'], problem: 'cannot stand beside query; give one of the two' });
  }
  if (queryFile !== undefined && (typeof queryFile !== 'string' || !/^[^/\\]+\.sql$/.test(queryFile))) {
    return fail({ path: ['query_file'], problem: 'must be the name of a .sql file in the same folder' });
  }
  const name = queryFile ?? file.replace(/\.ya?ml$/, '.sql');
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const where = queryFile === undefined ? [] : ['query_file'];
    return fail({
      path: where,
      problem: `needs a query: there is no file ${name} beside it, and no query or query_file in it`,
    });
  }
}

/** Where the key of the last part of the path stands, or of the longest part of it that is there. */
function offsetOf(root: unknown, path: readonly string[]): number | undefined {
  let node = root;
  let offset = isNode(root) ? root.range?.[0] : undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === part);
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isCollection(node)) {
      const item: unknown = node.items[Number(part)];
      if (!isNode(item)) break;
      offset = item.range?.[0];
      node = item;
    }
  }
  return offset;
}

function refuseDoubles(loaded: readonly FileDefinition[]): void {
  const fileOfId = new Map<string, string>();
  const primaryFileOfName = new Map<string, string>();
  for (const { file, definition, primary } of loaded) {
    const other = fileOfId.get(definition.id);
    if (other !== undefined) throw definitionError(file, [{ path: ['id'], problem: `is the id of ${other} too` }]);
    fileOfId.set(definition.id, file);
    if (!primary) continue;
    const rival = primaryFileOfName.get(definition.name);
    if (rival !== undefined)
      throw definitionError(file, [{ path: ['primary'], problem: `is true in ${rival} for the same name too` }]);
    primaryFileOfName.set(definition.name, file);
  }
}
