import type { z } from 'zod';
import { type ErrorItem, ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';
import { fieldNames } from './definitionFields.ts';

/** Something wrong in a definition, and where. */
export interface DefinitionIssue {
  /** `['parameters', 'interval', 'default']`; empty for the whole. */
  readonly path: readonly string[];
  /** Completes "<path> …". */
  readonly problem: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/** A place in the text that a definition was read from; both count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a path stands in the text, or undefined where the definition did not come from one. */
export type Locate = (path: readonly string[]) => TextPosition | undefined;

/** One `definition.invalid` that tells all issues; `label` names the definition or its file. */
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

/** The issue for a person, with its place where the text is at hand. */
export function issueSentence({ path, problem, nearest }: DefinitionIssue, locate: Locate): string {
  const position = locate(path);
  const name = path.join('.');
  const place = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `${name === '' ? 'It' : name}${place} ${problem}.${hint}`;
}

/** Keys of one object that are named where they are no fields; a text that was sent as a definition by mistake may have very many. */
const unknownMax = 100;

/** What zod found, as issues of ours; `unknown` makes the one of a key that is not a field. */
export function issuesOfSchema(
  error: z.ZodError,
  unknown: (path: readonly string[], key: string) => DefinitionIssue = unknownField,
): readonly DefinitionIssue[] {
  return error.issues.flatMap((issue): readonly DefinitionIssue[] => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, unknownMax).map((key) => unknown(path, key));
    if (issue.code === 'invalid_type' && issue.input === undefined) return [{ path, problem: 'is missing' }];
    return [{ path, problem: issue.message }];
  });
}

export function unknownField(path: readonly string[], key: string, more: readonly string[] = []): DefinitionIssue {
  const known =
    path.length === 0 ? fieldNames.definition : path[0] === 'parameters' ? fieldNames.parameter : fieldNames.retention;
  return unknownKey(path, key, [...known, ...more]);
}

/** As `unknownField`, where the fields that are allowed are not those of a definition. */
export function unknownKey(path: readonly string[], key: string, allowed: readonly string[]): DefinitionIssue {
  const nearest = nearestName(key, allowed);
  return {
    path: [...path, key],
    problem: `is not a field; fields are ${allowed.join(', ')}`,
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
  };
}
