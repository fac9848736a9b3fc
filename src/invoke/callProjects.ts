import { ServiceError } from '../core/errors.ts';
import { projectParameters } from '../googlesql/plan/projectParameters.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/**
 * The projects whose events a call may read, or null for every project. `allowed` are the projects of its token. If
 * every table of the query requires the project field to equal a parameter, the call is also held to the values of
 * those parameters. A caller query above the tables must not widen them, and the engine process verifies that it does
 * not.
 *
 * Throws `auth.project` if a parameter names a project outside the token's restriction (contract, section 1, status
 * 403). Other conditions on the project, such as a pattern or a list, are not refused: they find only events of the
 * token's projects.
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
      // An absent parameter equals nothing, so the table is empty.
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
