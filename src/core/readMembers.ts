import * as z from 'zod';
import type { ErrorCode } from './errorCatalogue.ts';
import { type ErrorItem, ServiceError } from './errors.ts';
import { nearestName } from './nearestName.ts';

/** The error of a refused request: its code, and the beginning of its message, such as "The source is not valid". */
export interface Refusal {
  readonly code: ErrorCode;
  readonly sentence: string;
}

const itemsMax = 10;

/**
 * Parses a JSON object of a request with a schema, whose messages complete "<member> …". Throws the refusal, which names
 * missing, wrong and unknown members, the allowed ones, and the nearest one.
 */
export function readMembers<Schema extends z.ZodObject>(
  schema: Schema,
  input: unknown,
  { code, sentence }: Refusal,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  // Unknown names first, because a misspelt name is often why another one is missing.
  const found = parsed.error.issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)));
  const errors = found
    .slice(0, itemsMax)
    .flatMap((issue) => itemsOf(issue, schema, input))
    .slice(0, itemsMax);
  const [first] = errors;
  const hint = first?.nearest === undefined ? '' : ` Did you mean ${first.nearest}?`;
  const detail = `${sentence}: ${first?.parameter ?? 'it'} ${first?.message ?? 'is wrong'}.${hint}`;
  throw new ServiceError(code, detail, { errors });
}

const isUnknown = (issue: z.core.$ZodIssue) => issue.code === 'unrecognized_keys';

function itemsOf(issue: z.core.$ZodIssue, schema: z.ZodObject, input: unknown): readonly ErrorItem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, itemsMax).map((key) => unknownMember(path, key, schema));
  }
  if (path.length === 0) return [{ message: issue.message }];
  return [{ parameter: path.join('.'), message: isMissing(path, input) ? 'is missing' : issue.message }];
}

function unknownMember(path: readonly string[], key: string, schema: z.ZodObject): ErrorItem {
  const allowed = membersAt(path, schema);
  const nearest = nearestName(key, allowed);
  return {
    parameter: [...path, key.slice(0, 64)].join('.'),
    message: `is not a member; allowed: ${allowed.join(', ')}`,
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
  };
}

function membersAt(path: readonly string[], schema: z.ZodObject): readonly string[] {
  let at: unknown = schema;
  for (const name of path) {
    const below: unknown = at instanceof z.ZodObject ? at.shape[name] : undefined;
    at = below instanceof z.ZodOptional || below instanceof z.ZodDefault ? below.unwrap() : below;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function isMissing(path: readonly string[], input: unknown): boolean {
  let at = input;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return false;
    if (!Object.hasOwn(at, name)) return true;
    at = Reflect.get(at, name);
  }
  return false;
}
