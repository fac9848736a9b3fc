import { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { type Refusal, readMembers } from '../core/readMembers.ts';
import { canonicalNetwork } from './network.ts';

/** What a token is kept to besides its scopes (contract, section 4). A member that is left out keeps it to nothing. */
export interface TokenRestrictions {
  /** The only projects whose events it reads or sends; at least one, each once, in code unit order. Null: every project. */
  readonly projects: readonly string[] | null;
  /** Whether it is shown redacted rows only (contract, section 6). */
  readonly redact?: true;
  /**
   * The only values of parameters by name, as text, each once and in code unit order. One value locks the
   * parameter: it is bound where a call names none. Of several a call must name one. Endpoints that do not
   * declare each of these parameters cannot be called.
   */
  readonly parameters?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** False where it may not send queries of its own. */
  readonly callerQueries?: false;
  /** Whether a parameter that its endpoint does not declare is refused. */
  readonly strictParameters?: true;
  readonly rate?: RequestRate;
  /** Queries that run for it at the same time, at most. */
  readonly concurrency?: number;
  /** Rows of one answer, at most. */
  readonly maxRows?: number;
  /** The only networks that it may be used from, in the form of `canonicalNetwork`. */
  readonly networks?: readonly string[];
}

/** So many requests in so many seconds, at once or spread. */
export interface RequestRate {
  readonly requests: number;
  readonly seconds: number;
}

const projectProblem = `is text of 1 to ${limits.parameterBytesMax} bytes without control characters`;
const project = z.string(projectProblem).refine(isProject, projectProblem);

const parameterValue = z
  .string('is text')
  .refine(
    (text) =>
      text !== '' && Buffer.byteLength(text) <= limits.parameterBytesMax && text.isWellFormed() && !/\0/.test(text),
    `is text of 1 to ${limits.parameterBytesMax} bytes`,
  );

const networkProblem = 'is a network such as 10.0.0.0/8 or 2001:db8::/32, or an address';
const network = z.string(networkProblem).transform((text, context) => {
  const canonical = canonicalNetwork(text);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: 'custom', message: networkProblem });
  return z.NEVER;
});

const count = (max: number) => {
  const problem = `is a whole number from 1 to ${max}`;
  return z.int(problem).min(1, problem).max(max, problem);
};

const listOf = <Item extends z.ZodType>(item: Item, what: string, max: number) => {
  const problem = `is a list of 1 to ${max} ${what}`;
  return z.array(item, problem).min(1, problem).max(max, problem);
};

const leftOut = (value: boolean) => `is ${value}, or left out`;

const refusal: Refusal = { code: 'token.invalid', sentence: 'A token cannot be restricted so' };

/** Restrictions as JSON: in the store, and in requests for a token. Unknown members are refused. */
export const restrictionsSchema = z.strictObject(
  {
    projects: listOf(project, 'projects', limits.tokenProjectsMax).optional(),
    redact: z.literal(true, leftOut(true)).optional(),
    parameters: z
      .record(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'is no name of a parameter'),
        z.union(
          [parameterValue, listOf(parameterValue, 'values', limits.tokenParameterValuesMax)],
          `is text of 1 to ${limits.parameterBytesMax} bytes, or a list of 1 to ${limits.tokenParameterValuesMax} of them`,
        ),
      )
      .refine((rules) => between(Object.keys(rules).length, 1, limits.tokenParametersMax), {
        error: `are 1 to ${limits.tokenParametersMax}`,
      })
      .optional(),
    caller_queries: z.literal(false, leftOut(false)).optional(),
    strict_parameters: z.literal(true, leftOut(true)).optional(),
    rate: z
      .strictObject({ requests: count(1_000_000), seconds: count(86_400) }, 'is an object of requests and seconds')
      .optional(),
    concurrency: count(1000).optional(),
    max_rows: count(limits.maxRowsMax).optional(),
    networks: listOf(network, 'networks', limits.tokenNetworksMax).optional(),
  },
  'is no JSON object',
);

export type RestrictionsJson = z.input<typeof restrictionsSchema>;

/** As these restrictions, and shown redacted rows only. */
export function redacting(restrictions: TokenRestrictions | null): TokenRestrictions {
  return { projects: null, ...restrictions, redact: true };
}

/**
 * Restrictions to these projects, in canonical form. Throws `token.invalid` where there is none, one
 * that no event can have, or more than `limits.tokenProjectsMax`: an empty list must never come to
 * mean every project.
 */
export function restrictedTo(projects: Iterable<string>): TokenRestrictions {
  const restrictions = restrictionsOf({ projects: [...new Set(projects)] });
  if (restrictions === null) throw new Error('a list of projects restricts nothing');
  return restrictions;
}

/**
 * Restrictions in canonical form; null where nothing is restricted. Throws `token.invalid` that names the
 * member that is wrong.
 */
export function restrictionsOf(json: unknown): TokenRestrictions | null {
  refuseDroppedName(json);
  const { projects, redact, parameters, caller_queries, strict_parameters, rate, concurrency, max_rows, networks } =
    readMembers(restrictionsSchema, json, refusal);
  const restrictions: TokenRestrictions = {
    projects: projects === undefined ? null : inOrder(projects),
    ...(redact === undefined ? {} : { redact }),
    ...(parameters === undefined ? {} : { parameters: rulesOf(parameters) }),
    ...(caller_queries === undefined ? {} : { callerQueries: caller_queries }),
    ...(strict_parameters === undefined ? {} : { strictParameters: strict_parameters }),
    ...(rate === undefined ? {} : { rate: { requests: rate.requests, seconds: rate.seconds } }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(max_rows === undefined ? {} : { maxRows: max_rows }),
    ...(networks === undefined ? {} : { networks: inOrder(networks) }),
  };
  return isUnrestricted(restrictions) ? null : restrictions;
}

/** As in `restrictionsSchema`; locks as text, lists as lists, members in one order. */
export function restrictionsJson(restrictions: TokenRestrictions | null): RestrictionsJson {
  const { projects, redact, parameters, callerQueries, strictParameters, rate, concurrency, maxRows, networks } =
    restrictions ?? { projects: null };
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
    ...(networks === undefined ? {} : { networks: [...networks] }),
  };
}

/** Text that stands for the restrictions: equal exactly where they are. Null where there are none. */
export function formatRestrictions(restrictions: TokenRestrictions | null): string | null {
  return restrictions === null ? null : JSON.stringify(restrictionsJson(restrictions));
}

/**
 * Reads what `formatRestrictions` wrote. Throws where the text holds anything else: a newer version
 * may have written it, and to leave out a restriction would widen the token.
 */
export function parseRestrictions(text: string | null): TokenRestrictions | null {
  if (text === null) return null;
  const restrictions = read(JSON.parse(text));
  // Whatever was read must be all that stands there.
  if (restrictions === null || formatRestrictions(restrictions) !== text) throw unknownForm();
  return restrictions;
}

/** Whether the token is kept to a part of the events, so that it must not learn how many others there are. */
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

/** The schema passes over a member of this name without a word, as it is none of its object. */
function refuseDroppedName(json: unknown): void {
  if (typeof json !== 'object' || json === null || !('parameters' in json)) return;
  const { parameters } = json;
  if (typeof parameters !== 'object' || parameters === null || !Object.hasOwn(parameters, '__proto__')) return;
  throw new ServiceError(
    'token.invalid',
    'A token cannot be restricted so: parameters: __proto__ is no name of a parameter.',
    {
      errors: [{ parameter: 'parameters.__proto__', message: 'is no name of a parameter' }],
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
