import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** What a token is kept to besides its scopes (contract, section 4). */
export interface TokenRestrictions {
  /** The only projects whose events it reads or sends; at least one, each once, in code unit order. Null: every project. */
  readonly projects: readonly string[] | null;
  /** Whether it is shown redacted rows only (contract, section 6). */
  readonly redact?: true;
}

/** As these restrictions, and shown redacted rows only. */
export function redacting(restrictions: TokenRestrictions | null): TokenRestrictions {
  return { projects: restrictions?.projects ?? null, redact: true };
}

/**
 * Restrictions to these projects, in canonical form. Throws `token.invalid` where there is none, one
 * that no event can have, or more than `limits.tokenProjectsMax`: an empty list must never come to
 * mean every project.
 */
export function restrictedTo(projects: Iterable<string>): TokenRestrictions {
  const unique = new Set(projects);
  if (unique.size === 0) {
    throw new ServiceError('token.invalid', 'A token that is restricted to projects needs at least one project.');
  }
  if (unique.size > limits.tokenProjectsMax) {
    throw new ServiceError(
      'token.invalid',
      `A token is restricted to at most ${limits.tokenProjectsMax} projects; ${unique.size} were given.`,
    );
  }
  for (const project of unique) {
    if (isProject(project)) continue;
    throw new ServiceError(
      'token.invalid',
      `A project is text of 1 to ${limits.parameterBytesMax} bytes without control characters; one of those given is not.`,
    );
  }
  return { projects: [...unique].sort() };
}

/** Text that stands for the restrictions: equal exactly where they are. Null where there are none. */
export function formatRestrictions(restrictions: TokenRestrictions | null): string | null {
  if (restrictions === null) return null;
  const { projects, redact } = restrictions;
  return JSON.stringify({
    ...(projects === null ? {} : { projects: [...projects].sort() }),
    ...(redact === true ? { redact } : {}),
  });
}

/**
 * Reads what `formatRestrictions` wrote. Throws where the text holds anything else: a newer version
 * may have written it, and to leave out a restriction would widen the token.
 */
export function parseRestrictions(text: string | null): TokenRestrictions | null {
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unknownForm();
  const { projects, redact, ...others } = value as { readonly projects?: unknown; readonly redact?: unknown };
  if (Object.keys(others).length > 0) throw unknownForm();
  if (redact !== undefined && redact !== true) throw unknownForm();
  if (projects === undefined && redact === true) return redacting(null);
  if (!Array.isArray(projects) || !projects.every((project) => typeof project === 'string')) throw unknownForm();
  const restrictions = restrictedTo(projects);
  return redact === true ? redacting(restrictions) : restrictions;
}

/** Whether a token with the restrictions `wanted` can reach nothing that one with `own` cannot. */
export function isNoWider(wanted: TokenRestrictions | null, own: TokenRestrictions | null): boolean {
  if (own?.redact === true && wanted?.redact !== true) return false;
  const reached = own?.projects ?? null;
  return reached === null || (wanted?.projects?.every((project) => reached.includes(project)) ?? false);
}

function isProject(text: string): boolean {
  return (
    text !== '' && Buffer.byteLength(text) <= limits.parameterBytesMax && text.isWellFormed() && !/\p{Cc}/u.test(text)
  );
}

function unknownForm(): Error {
  return new Error('a token has restrictions that this version cannot enforce');
}
