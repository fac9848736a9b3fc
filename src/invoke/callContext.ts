import type { CompileContext } from '../googlesql/compile.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { Source } from '../sources/source.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { placeOwnerOf } from '../tokens/restrictions.ts';
import type { BoundCall } from './bind.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { callProjects } from './callProjects.ts';
import type { TokenRunner } from './queryQueue.ts';

/** The row limit of a call: a token can lower that of the definition (contract, section 4). */
export function rowsMaxOf({ maxRows }: CallableEndpoint, { restrictions }: AuthenticatedToken): number {
  return Math.min(maxRows, restrictions?.maxRows ?? maxRows);
}

/**
 * Determines the tenant of a call: the token and the projects that it reads for (its restriction, otherwise the project
 * that the call names). So no other token, and no other project of the same token, pays for a tenant's load.
 */
export function runnerOf({ publicId, restrictions }: AuthenticatedToken, parameters: ParameterValues): TokenRunner {
  const named = parameters.get('project');
  const projects = restrictions?.projects ?? (named?.kind === 'string' ? [named.value] : []);
  const tenant = `${publicId} ${JSON.stringify(projects)}`;
  const placeOwner = placeOwnerOf({ publicId, restrictions });
  return { id: publicId, concurrencyMax: restrictions?.concurrency ?? null, tenant, placeOwner };
}

export function contextOf(endpoint: CallableEndpoint, sources: ReadonlyMap<string, Source>): CompileContext {
  return {
    sources: endpoint.service?.sources ?? sources,
    parameters: new Map(endpoint.parameters.map(({ name, type }) => [name, type])),
    isCached: endpoint.cacheSeconds > 0,
  };
}

/**
 * The projects that the isolation check enforces. A stored query of an unrestricted token is not checked: it is the
 * operator's own text, and the check would slow down the most frequent calls.
 */
export function projectsOf(
  token: AuthenticatedToken,
  query: ResolvedQuery,
  bound: BoundCall,
): readonly string[] | null {
  const reached = token.restrictions?.projects ?? null;
  if (reached === null && bound.callerQuery === null) return null;
  return callProjects(query, bound.parameters, reached);
}
