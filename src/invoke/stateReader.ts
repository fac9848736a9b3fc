import type { StateAt } from '../cache/cacheEntry.ts';
import { sourcesOfSameRows } from '../googlesql/plan/repeatableRows.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { EventChanges } from '../ports/eventChanges.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { BoundCall } from './bind.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { callProjects } from './callProjects.ts';

/** The parts of a call that decide which events its query can read. */
interface StateCall {
  readonly endpoint: CallableEndpoint;
  readonly token: AuthenticatedToken;
  readonly bound: BoundCall;
}

/**
 * Returns what reads the state of the events that decide the answer of a call, in addition to its cache key (decision 103).
 * Null if something else decides it too: the clock, chance, an incomplete order, or a retention window of the endpoint.
 */
export function stateReader(
  { endpoint, token, bound }: StateCall,
  query: ResolvedQuery,
  changes: EventChanges | undefined,
): StateAt | null {
  const { cacheSeconds, retention, service } = endpoint;
  if (changes === undefined || cacheSeconds > 0 || retention !== null || service !== undefined) return null;
  const sources = sourcesOfSameRows(query);
  if (sources === null) return null;
  const projects = callProjects(query, bound.parameters, token.restrictions?.projects ?? null);
  return (nowMicros) => changes.stateOf(sources, projects, nowMicros);
}
