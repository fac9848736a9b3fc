import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** What a token is kept to besides its scopes (contract, section 4). */
export interface TokenRestrictions {
  /** The only projects whose events it reads or sends; at least one, each once, in code unit order. */
  readonly projects: readonly string[];
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
  return JSON.stringify({ projects: [...restrictions.projects].sort() });
}

/**
 * Reads what `formatRestrictions` wrote. Throws where the text holds anything else: a newer version
 * may have written it, and to leave out a restriction would widen the token.
 */
export function parseRestrictions(text: string | null): TokenRestrictions | null {
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'projects') throw unknownForm();
  const { projects } = value as { readonly projects: unknown };
  if (!Array.isArray(projects) || !projects.every((project) => typeof project === 'string')) throw unknownForm();
  return restrictedTo(projects);
}

/** Whether a token with the restrictions `wanted` can reach nothing that one with `own` cannot. */
export function isNoWider(wanted: TokenRestrictions | null, own: TokenRestrictions | null): boolean {
  if (own === null) return true;
  return wanted?.projects.every((project) => own.projects.includes(project)) ?? false;
}

function isProject(text: string): boolean {
  return (
    text !== '' && Buffer.byteLength(text) <= limits.parameterBytesMax && text.isWellFormed() && !/\p{Cc}/u.test(text)
  );
}

function unknownForm(): Error {
  return new Error('a token has restrictions that this version cannot enforce');
}
