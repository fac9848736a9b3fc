import { ServiceError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { serviceProject } from '../../../sources/serviceCalls.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import type { Route, RouteCall } from '../../route.ts';
import { type ManagedRoute, managedRoute } from '../endpoints/managed.ts';

/**
 * The project in the path. Throws `project.invalid`, or `auth.project` if the token is restricted to other projects.
 */
export function managedProject({ pathParts }: RouteCall, { restrictions }: AuthenticatedToken): string {
  const project = pathParts.project ?? '';
  const reached = restrictions?.projects ?? null;
  if (reached !== null && !reached.includes(project)) throw outside();
  const bytes = Buffer.byteLength(project);
  if (bytes > 0 && bytes <= limits.parameterBytesMax && project !== serviceProject) return project;
  throw new ServiceError('project.invalid', `A project must have 1 to ${limits.parameterBytesMax} bytes.`, {
    errors: [{ parameter: 'project' }],
  });
}

/** For operations that affect every project. Throws `auth.project` if the token is restricted to some. */
export function requireEveryProject({ restrictions }: AuthenticatedToken): void {
  if ((restrictions?.projects ?? null) !== null) throw outside();
}

/** Makes a route of an operation that affects every project, which the description of the API shows to no other token. */
export const everyProjectRoute = (route: ManagedRoute): Route => managedRoute(route, requireEveryProject);

function outside(): ServiceError {
  return new ServiceError('auth.project', 'This token may manage only the projects that it is restricted to.');
}
