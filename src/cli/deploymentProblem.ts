import { dirname, join } from 'node:path';
import type { FileDefinition, FilePlace } from '../endpoints/loadDefinitionFiles.ts';
import { CliError } from './cliError.ts';
import { caret, type ProblemDocument, renderProblem } from './problemDocument.ts';

/** A definition file and the path that it was read from. */
export interface DefinitionAt {
  readonly path: string;
  readonly definition: FileDefinition;
}

type ProblemItem = NonNullable<ProblemDocument['errors']>[number];

/** Converts a place in a query to the place in its definition file; `file` is a path. Null if the error has no place. */
export function placeInFile(
  { path, definition }: DefinitionAt,
  item: Pick<ProblemItem, 'line' | 'column'>,
): FilePlace | null {
  if (item.line === undefined || item.column === undefined) return null;
  const place = definition.placeOf({ line: item.line, column: item.column });
  return { ...place, file: join(dirname(path), place.file) };
}

/** Turns a refused deployment into an error that names each file concerned, with the place in it. */
export function deploymentProblem(problem: ProblemDocument, files: readonly DefinitionAt[]): CliError {
  const { code, errors = [] } = problem;
  const sentence = problem.error.message;
  const found = errors.flatMap((item) => {
    const file = fileOf(item, files);
    return file === undefined ? [] : [located(item, file, item.message ?? sentence)];
  });
  // Some problems name their endpoint only in the sentence.
  const named = files.filter(
    ({ definition: { definition } }) => mentions(sentence, definition.name) || mentions(sentence, definition.id),
  );
  const wrong = found.length > 0 ? found : named.map((file) => located({}, file, sentence));
  if (wrong.length === 0) return new CliError(`${sentence} [${code}]`, { details: problem });
  const lines = wrong.flatMap(({ text, shown }) => [text, ...shown]);
  return new CliError([...new Set(lines), `Nothing was changed. [${code}]`].join('\n'), {
    details: { ...problem, errors: wrong.map(({ item }) => item) },
  });
}

/**
 * Turns a refused run of a draft into an error with the place in its file. `callerQuery`: the caller query of the run,
 * which has the place of an error that is not in the draft.
 */
export function draftProblem(problem: ProblemDocument, at: DefinitionAt, callerQuery?: string): CliError {
  const { code, errors = [] } = problem;
  const isOfDraft = callerQuery === undefined || code === 'definition.invalid';
  const items = errors.map((item) => {
    const place = isOfDraft ? placeInFile(at, item) : null;
    return place === null ? item : { ...item, in_file: place };
  });
  const first = items.find((item): item is typeof item & { in_file: FilePlace } => 'in_file' in item)?.in_file;
  const where = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: `;
  const text = renderProblem(problem, isOfDraft ? at.definition.definition.query : callerQuery);
  return new CliError(`${where}${text}`, { details: { ...problem, errors: items } });
}

function located(item: ProblemItem, at: DefinitionAt, message: string) {
  const place = placeInFile(at, item);
  const query = at.definition.definition.query;
  const { index: _, ...others } = item;
  return {
    text: `${place === null ? at.path : `${place.file}:${place.line}:${place.column}`}: ${message}`,
    shown: item.line === undefined || item.column === undefined ? [] : caret(query, item.line, item.column),
    item: {
      file: at.path,
      name: at.definition.definition.name,
      ...(place === null ? {} : { in_file: place }),
      ...others,
      message,
    },
  };
}

function fileOf({ index, value }: ProblemItem, files: readonly DefinitionAt[]): DefinitionAt | undefined {
  if (index !== undefined) return files[index];
  if (files.length === 1) return files[0];
  return files.find(({ definition: { definition } }) => value === definition.id || value === definition.name);
}

/** Whether the text contains the name or ID as a whole, not as a part of another one. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w.-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + name.length] ?? ' ');
}
