import { ServiceError } from '../core/errors.ts';
import { projectParameters } from '../googlesql/plan/projectParameters.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/**
 * Throws `auth.project` where a call names a project that its token is not restricted to (contract,
 * section 1, status 403). A parameter names one where a stored table demands that the stream's
 * matching field equals it. Any other way of choosing events (a pattern, a list) is not refused: it
 * finds events of the token's projects only.
 */
export function requireProjects(
  query: Pick<ResolvedQuery, 'relation'>,
  parameters: ParameterValues,
  projects: readonly string[],
): void {
  for (const parameter of projectParameters(query.relation)) {
    const value = parameters.get(parameter);
    if (value?.kind !== 'string' || projects.includes(value.value)) continue;
    throw new ServiceError(
      'auth.project',
      `The parameter ${parameter} names a project that this token may not read; it may read ${projects.slice(0, 10).join(', ')}.`,
      { errors: [{ parameter, value: value.value, allowed: projects }] },
    );
  }
}
