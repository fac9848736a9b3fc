import type * as z from 'zod';
import { type ErrorItem, ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';
import { fieldNames } from './definitionFields.ts';

/** An error in a definition, and its place. */
export interface DefinitionIssue {
  /** For example `['parameters', 'interval', 'default']`; empty for the whole definition. */
  readonly path: readonly string[];
  /** Completes "<path> …". */
  readonly problem: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/** A place in the text of a definition. Both members count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds the place of a path in the text; undefined if the definition was not read from a text. */
export type Locate = (path: readonly string[]) => TextPosition | undefined;

/** Makes one `definition.invalid` from all issues. `label` names the definition or its file. */
export function definitionError(
  label: string,
  issues: readonly DefinitionIssue[],
  locate: Locate = () => undefined,
): ServiceError {
  const items: ErrorItem[] = [];
  const sentences: string[] = [];
  for (const issue of issues) {
    const { path, problem, allowed, nearest } = issue;
    const name = path.join('.');
    sentences.push(issueSentence(issue, locate));
    items.push({
      ...(name === '' ? {} : { token: name }),
      ...locate(path),
      ...(allowed === undefined ? {} : { allowed }),
      ...(nearest === undefined ? {} : { nearest }),
      message: problem,
    });
  }
  return new ServiceError('definition.invalid', `The definition ${label} is not valid. ${sentences.join(' ')}`, {
    errors: items,
  });
}

/** The issue as a sentence, with its place if the text is known. */
export function issueSentence({ path, problem, nearest }: DefinitionIssue, locate: Locate): string {
  const position = locate(path);
  const name = path.join('.');
  const place = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `${name === '' ? 'It' : name}${place} ${problem}.${hint}`;
}

/** Most unknown keys that are reported for one object. A text sent by mistake can have very many. */
const unknownMax = 100;

/** Converts zod's errors. `unknown` makes the issue of an unknown key. */
export function issuesOfSchema(
  error: z.ZodError,
  unknown: (path: readonly string[], key: string) => DefinitionIssue = unknownField,
): readonly DefinitionIssue[] {
  return error.issues.flatMap((issue): readonly DefinitionIssue[] => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, unknownMax).map((key) => unknown(path, key));
    if (issue.code === 'invalid_type' && issue.input === undefined) return [{ path, problem: 'is missing' }];
    // The sentence about the key is that of the schema of keys.
    if (issue.code === 'invalid_key') return [{ path, problem: issue.issues[0]?.message ?? issue.message }];
    return [{ path, problem: issue.message }];
  });
}

export function unknownField(path: readonly string[], key: string, more: readonly string[] = []): DefinitionIssue {
  const known =
    path.length === 0 ? fieldNames.definition : path[0] === 'parameters' ? fieldNames.parameter : fieldNames.retention;
  return unknownKey(path, key, [...known, ...more]);
}

/** Like `unknownField`, for objects other than definitions. */
export function unknownKey(path: readonly string[], key: string, allowed: readonly string[]): DefinitionIssue {
  const nearest = nearestName(key, allowed);
  return {
    path: [...path, key],
    problem: `is not a field; allowed: ${allowed.join(', ')}`,
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
  };
}
