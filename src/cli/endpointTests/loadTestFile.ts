import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/jsonValue.ts';
import { nearestName } from '../../core/nearestName.ts';
import { hasOnlyFiniteNumbers } from '../../core/writeJson.ts';
import {
  type DefinitionIssue,
  issueSentence,
  issuesOfSchema,
  type Locate,
  unknownKey,
} from '../../endpoints/definitionIssue.ts';
import {
  type FileDefinition,
  isDefinitionFile,
  loadDefinitionFile,
  loadDefinitionFiles,
} from '../../endpoints/loadDefinitionFiles.ts';
import { parseTimestamp } from '../../endpoints/parseTimestamp.ts';
import { readYamlMap } from '../../endpoints/readYamlMap.ts';
import { FileRefusal } from '../../files/fileRefusal.ts';
import { readFolderFile } from '../../files/readFolderFile.ts';
import { utf8Text } from '../../files/utf8Text.ts';
import { shippedDefinitionsDir } from '../../start/packageInfo.ts';
import { type EndpointTest, fieldsAt, testFileFields } from './testFileFields.ts';

/** A test file, or the definition that it tests, is invalid; the message says what is wrong and where. */
export class TestFileError extends Error {}

export interface TestFile {
  readonly definition: FileDefinition;
  /** Microseconds since 1970. */
  readonly nowMicros: number;
  /** Events by source. */
  readonly events: Readonly<Record<string, readonly JsonValue[]>>;
  readonly tests: readonly EndpointTest[];
  /** Makes an error about a place in this file. */
  fail(issue: DefinitionIssue): TestFileError;
}

/** Reads a test file and finds the definition that it tests. Throws a TestFileError. */
export function loadTestFile(path: string): TestFile {
  const read = readYamlMap(textOf(path), { intAsBigInt: true });
  if (read.kind === 'wrong') throw failure([read.issue], read.locate);
  const { locate } = read;
  const fields = withNumbers(read.fields as unknown as JsonValue);
  const parsed = testFileFields.safeParse(fields);
  if (!parsed.success) {
    const issues = issuesOfSchema(parsed.error, (place, key) => unknownKey(place, key, fieldsAt(place)));
    throw failure(issues, locate);
  }
  const fail = (issue: DefinitionIssue) => failure([issue], locate);
  const { endpoint, now, tests } = parsed.data;
  const nowMicros = parseTimestamp(now);
  if (nowMicros === undefined) {
    throw fail({ path: ['now'], problem: 'must be a time such as 2026-05-01T12:00:00Z' });
  }
  // YAML values are JSON values, except for infinite numbers and NaN.
  const events = parsed.data.events as Readonly<Record<string, readonly JsonValue[]>>;
  for (const [source, list] of Object.entries(events)) {
    const index = list.findIndex((event) => !hasOnlyFiniteNumbers(event));
    if (index >= 0)
      throw fail({ path: ['events', source, String(index)], problem: 'has a number that JSON does not allow' });
  }
  return { definition: definitionOf(path, endpoint, fail), nowMicros, events, tests, fail };
}

function textOf(path: string): string {
  try {
    return utf8Text(readFolderFile(dirname(path), basename(path), testFileBytesMax));
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    throw new TestFileError(`It ${error.message}.`, { cause: error });
  }
}

const testFileBytesMax = 16 * 2 ** 20;

function failure(issues: readonly DefinitionIssue[], locate: Locate): TestFileError {
  return new TestFileError(issues.map((issue) => issueSentence(issue, locate)).join(' '));
}

/** Converts integers to numbers if no digit is lost. */
function withNumbers(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}

function definitionOf(
  path: string,
  endpoint: string | undefined,
  fail: (issue: DefinitionIssue) => TestFileError,
): FileDefinition {
  const folder = dirname(path);
  const base = basename(path).replace(/\.test\.ya?ml$/, '');
  const files = readdirSync(folder).filter(isDefinitionFile).sort();
  const beside = files.find((file) => file.replace(/\.ya?ml$/, '') === base);
  if (endpoint === undefined && beside !== undefined) return definitionFile(folder, beside);

  const wanted = endpoint ?? base;
  const problems: TestFileError[] = [];
  const own = files.flatMap((file) => {
    try {
      return [definitionFile(folder, file)];
    } catch (error) {
      if (!(error instanceof TestFileError)) throw error;
      // Reported only if the endpoint is not found, because this file may define it.
      problems.push(error);
      return [];
    }
  });
  const named = own.filter(({ definition }) => definition.name === wanted);
  const [first] = named;
  const chosen =
    named.find(({ file }) => file === beside) ??
    named.find(({ primary }) => primary) ??
    (named.length === 1 ? first : undefined);
  if (chosen !== undefined) return chosen;
  const place = endpoint === undefined ? [] : ['endpoint'];
  if (first !== undefined) {
    const others = named.map(({ file }) => file).join(', ');
    throw fail({ path: place, problem: `matches ${others}; give the test file the base name of one of these files` });
  }
  const shipped = loadDefinitionFiles(shippedDefinitionsDir);
  const found = shipped.find(({ definition }) => definition.name === wanted);
  if (found !== undefined) return found;
  const [problem] = problems;
  if (problem !== undefined) throw problem;
  const nearest = nearestName(
    wanted,
    [...own, ...shipped].map(({ definition }) => definition.name),
  );
  throw fail({
    path: place,
    problem: `names the endpoint ${wanted}, which no definition file in this folder and no shipped one defines`,
    ...(nearest === undefined ? {} : { nearest }),
  });
}

function definitionFile(folder: string, file: string): FileDefinition {
  try {
    return loadDefinitionFile(folder, file);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new TestFileError(`${join(folder, file)}: ${error.message}`, { cause: error });
  }
}
