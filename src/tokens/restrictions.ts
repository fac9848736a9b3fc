import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { canonicalNetwork } from '../core/network.ts';
import { type Refusal, readMembers } from '../core/readMembers.ts';
import type { RequestRate } from '../ports/requestCounter.ts';

/** Restrictions of a token in addition to its scopes (contract, section 4). An absent member does not restrict it. */
export interface TokenRestrictions {
  /** The only projects whose events the token may read or send: at least one, without repetition, in code unit order. Null: every project. */
  readonly projects: readonly string[] | null;
  /** Whether the token gets only redacted rows (contract, section 6). */
  readonly redact?: true;
  /**
   * The only allowed values of parameters, by name, as text without repetition in code unit order. A single value is
   * bound even if a call leaves it out. If there are several, a call must name one. An endpoint that does not declare
   * all of these parameters cannot be called.
   */
  readonly parameters?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** False if the token may not send caller queries. */
  readonly callerQueries?: false;
  /** Whether undeclared parameters are refused. */
  readonly strictParameters?: true;
  readonly rate?: RequestRate;
  /** Most queries of the token that run at the same time. */
  readonly concurrency?: number;
  /** Most rows of one answer. */
  readonly maxRows?: number;
  /** Most rows of one stream. If absent, `maxRows` limits streams too. */
  readonly streamMaxRows?: number;
  /** The only networks from which the token may be used, in the form of `canonicalNetwork`. */
  readonly networks?: readonly string[];
}

/**
 * The owner of places and disk space that a call of this token holds for long. All tokens that are restricted to the same
 * projects are one owner, because one tenant can have any number of tokens. A token for every project is its own owner.
 */
export function placeOwnerOf(token: {
  readonly publicId: string;
  readonly restrictions: TokenRestrictions | null;
}): string {
  const projects = token.restrictions?.projects ?? null;
  return projects === null ? token.publicId : JSON.stringify(projects);
}

const projectProblem = `must be text of 1 to ${limits.parameterBytesMax} bytes without control characters`;
const project = z.string(projectProblem).refine(isProject, projectProblem);

const parameterValue = z
  .string('must be text')
  .refine(
    (text) =>
      text !== '' && Buffer.byteLength(text) <= limits.parameterBytesMax && text.isWellFormed() && !/\0/.test(text),
    `must be text of 1 to ${limits.parameterBytesMax} bytes`,
  );

const networkProblem = 'must be a network such as 10.0.0.0/8 or 2001:db8::/32, or an address';
const network = z.string(networkProblem).transform((text, context) => {
  const canonical = canonicalNetwork(text);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: 'custom', message: networkProblem });
  return z.NEVER;
});

const count = (max: number) => {
  const problem = `must be a whole number from 1 to ${max}`;
  return z.int(problem).min(1, problem).max(max, problem);
};

const listOf = <Item extends z.ZodType>(item: Item, what: string, max: number) => {
  const problem = `must be a list of 1 to ${max} ${what}`;
  return z.array(item, problem).min(1, problem).max(max, problem);
};

const leftOut = (value: boolean) => `must be ${value} or left out`;

const refusal: Refusal = { code: 'token.invalid', sentence: 'The restrictions are not valid' };

/** Restrictions as JSON: in the store, and in requests for a token. Unknown members are refused. */
export const restrictionsSchema = z.strictObject(
  {
    projects: listOf(project, 'projects', limits.tokenProjectsMax).optional(),
    redact: z.literal(true, leftOut(true)).optional(),
    parameters: z
      .record(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'is not a valid parameter name'),
        z.union(
          [parameterValue, listOf(parameterValue, 'values', limits.tokenParameterValuesMax)],
          `must be text of 1 to ${limits.parameterBytesMax} bytes, or a list of 1 to ${limits.tokenParameterValuesMax} such texts`,
        ),
      )
      .refine((rules) => between(Object.keys(rules).length, 1, limits.tokenParametersMax), {
        error: `must name 1 to ${limits.tokenParametersMax} parameters`,
      })
      .optional(),
    caller_queries: z.literal(false, leftOut(false)).optional(),
    strict_parameters: z.literal(true, leftOut(true)).optional(),
    rate: z
      .strictObject({ requests: count(1_000_000), seconds: count(86_400) }, 'must be an object of requests and seconds')
      .optional(),
    concurrency: count(1000).optional(),
    max_rows: count(limits.maxRowsMax).optional(),
    stream_max_rows: count(limits.streamRowsMax).optional(),
    networks: listOf(network, 'networks', limits.tokenNetworksMax).optional(),
  },
  'must be a JSON object',
);

export type RestrictionsJson = z.input<typeof restrictionsSchema>;

/** Most rows of one stream, or of one export; undefined if the token does not limit them. */
export function streamRowsOf(restrictions: TokenRestrictions | null): number | undefined {
  return restrictions?.streamMaxRows ?? restrictions?.maxRows;
}

/** Adds redaction to restrictions. */
export function redacting(restrictions: TokenRestrictions | null): TokenRestrictions {
  return { projects: null, ...restrictions, redact: true };
}

/**
 * Restrictions to these projects, in canonical form. Throws `token.invalid` if there are none (an empty list must never
 * mean every project), more than `limits.tokenProjectsMax`, or one that no event can have.
 */
export function restrictedTo(projects: Iterable<string>): TokenRestrictions {
  const restrictions = restrictionsOf({ projects: [...new Set(projects)] });
  if (restrictions === null) throw new Error('a list of projects restricts nothing');
  return restrictions;
}

/**
 * Parses restrictions to their canonical form; null if nothing is restricted. Throws `token.invalid`, which names the
 * wrong member.
 */
export function restrictionsOf(json: unknown): TokenRestrictions | null {
  refuseDroppedName(json);
  const members = readMembers(restrictionsSchema, json, refusal);
  const { projects, redact, parameters, caller_queries, strict_parameters, rate, concurrency } = members;
  const { max_rows, stream_max_rows, networks } = members;
  const restrictions: TokenRestrictions = {
    projects: projects === undefined ? null : inOrder(projects),
    ...(redact === undefined ? {} : { redact }),
    ...(parameters === undefined ? {} : { parameters: rulesOf(parameters) }),
    ...(caller_queries === undefined ? {} : { callerQueries: caller_queries }),
    ...(strict_parameters === undefined ? {} : { strictParameters: strict_parameters }),
    ...(rate === undefined ? {} : { rate: { requests: rate.requests, seconds: rate.seconds } }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(max_rows === undefined ? {} : { maxRows: max_rows }),
    ...(stream_max_rows === undefined ? {} : { streamMaxRows: stream_max_rows }),
    ...(networks === undefined ? {} : { networks: inOrder(networks) }),
  };
  return isUnrestricted(restrictions) ? null : restrictions;
}

/** The form of `restrictionsSchema`, with members in a fixed order. A single parameter value is text, not a list. */
export function restrictionsJson(restrictions: TokenRestrictions | null): RestrictionsJson {
  const given: TokenRestrictions = restrictions ?? { projects: null };
  const { projects, redact, parameters, callerQueries, strictParameters, rate, concurrency } = given;
  const { maxRows, streamMaxRows, networks } = given;
  return {
    ...(projects === null ? {} : { projects: [...projects].sort() }),
    ...(redact === undefined ? {} : { redact }),
    ...(parameters === undefined
      ? {}
      : {
          parameters: Object.fromEntries(
            Object.entries(parameters).map(([name, values]) => [name, values.length === 1 ? values[0] : [...values]]),
          ),
        }),
    ...(callerQueries === undefined ? {} : { caller_queries: callerQueries }),
    ...(strictParameters === undefined ? {} : { strict_parameters: strictParameters }),
    ...(rate === undefined ? {} : { rate }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxRows === undefined ? {} : { max_rows: maxRows }),
    ...(streamMaxRows === undefined ? {} : { stream_max_rows: streamMaxRows }),
    ...(networks === undefined ? {} : { networks: [...networks] }),
  };
}

/** Writes restrictions as text, which is equal exactly if the restrictions are. Null if there are none. */
export function formatRestrictions(restrictions: TokenRestrictions | null): string | null {
  return restrictions === null ? null : JSON.stringify(restrictionsJson(restrictions));
}

/**
 * Parses the text of `formatRestrictions`. Throws for anything else: a newer version may have written it, and ignoring a
 * restriction would give the token more rights.
 */
export function parseRestrictions(text: string | null): TokenRestrictions | null {
  if (text === null) return null;
  const restrictions = read(JSON.parse(text));
  // The text must contain nothing else.
  if (restrictions === null || formatRestrictions(restrictions) !== text) throw unknownForm();
  return restrictions;
}

/** Whether the token may read only some events, so counts of other events must not reach it. */
export function limitsRows(restrictions: TokenRestrictions | null): boolean {
  return restrictions !== null && (restrictions.projects !== null || restrictions.parameters !== undefined);
}

function read(json: unknown): TokenRestrictions | null {
  try {
    return restrictionsOf(json);
  } catch (cause) {
    throw new Error(unknownForm().message, { cause });
  }
}

function rulesOf(
  parameters: Readonly<Record<string, string | readonly string[]>>,
): Readonly<Record<string, readonly [string, ...string[]]>> {
  const entries = Object.entries(parameters).map(([name, given]): [string, readonly [string, ...string[]]] => {
    const [first, ...others] = inOrder(typeof given === 'string' ? [given] : given);
    if (first === undefined) throw new Error(`the parameter ${name} has no value`);
    return [name, [first, ...others]];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inOrder(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

/** Refuses `__proto__`, which the schema would silently ignore. */
function refuseDroppedName(json: unknown): void {
  if (typeof json !== 'object' || json === null || !('parameters' in json)) return;
  const { parameters } = json;
  if (typeof parameters !== 'object' || parameters === null || !Object.hasOwn(parameters, '__proto__')) return;
  throw new ServiceError(
    'token.invalid',
    'The restrictions are not valid: parameters.__proto__ is not a valid parameter name.',
    {
      errors: [{ parameter: 'parameters.__proto__', message: 'is not a valid parameter name' }],
    },
  );
}

function between(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

function isUnrestricted({ projects, ...others }: TokenRestrictions): boolean {
  return projects === null && Object.keys(others).length === 0;
}

function isProject(text: string): boolean {
  return (
    text !== '' && Buffer.byteLength(text) <= limits.parameterBytesMax && text.isWellFormed() && !/\p{Cc}/u.test(text)
  );
}

function unknownForm(): Error {
  return new Error('a token has restrictions that this version cannot enforce');
}
