import { ServiceError } from '../core/errors.ts';
import { projectParameters } from '../googlesql/plan/projectParameters.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/**
 * The only projects whose events a call may read, or null for every project. `allowed` are those of
 * its token; where each table that the query could read demands that the stream's matching field
 * equals a parameter, the call is held to the values of those parameters, whoever makes it: what a
 * caller writes above the tables must not widen them, and the engine process checks that it has not.
 *
 * Throws `auth.project` where a parameter names a project that the token is not restricted to
 * (contract, section 1, status 403). Any other way of choosing events (a pattern, a list) is not
 * refused: it finds events of the token's projects only.
 */
export function callProjects(
  query: Pick<ResolvedQuery, 'relation'>,
  parameters: ParameterValues,
  allowed: readonly string[] | null,
): readonly string[] | null {
  const named = new Set<string>();
  let isOpen = false;
  for (const names of projectParameters(query.relation)) {
    isOpen ||= names.size === 0;
    for (const name of names) {
      const value = parameters.get(name);
      // An absent one equals nothing: the table is empty.
      if (value?.kind !== 'string') continue;
      if (allowed !== null && !allowed.includes(value.value)) throw notAllowed(name, value.value, allowed);
      named.add(value.value);
    }
  }
  return isOpen || named.size === 0 ? allowed : [...named];
}

function notAllowed(parameter: string, value: string, allowed: readonly string[]): ServiceError {
  return new ServiceError(
    'auth.project',
    `The parameter ${parameter} names a project that this token may not read; it may read ${allowed.slice(0, 10).join(', ')}.`,
    { errors: [{ parameter, value, allowed }] },
  );
}
