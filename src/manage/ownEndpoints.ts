import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import { definitionError } from '../endpoints/definitionIssue.ts';
import type { EndpointChange } from '../endpoints/endpointStore.ts';

/** Names of the service's own endpoints, by id in lower case. */
export type OwnEndpointNames = ReadonlyMap<string, string>;

/**
 * Refuses a definition with a name or ID of the service's own endpoints (decision 40). These take precedence, so the
 * other endpoint could never be called, and it must not look like one of them. Throws `definition.invalid`.
 */
export function refuseOwnNames({ id, name }: Pick<EndpointDefinition, 'id' | 'name'>, own: OwnEndpointNames): void {
  if (name.startsWith('svc.')) {
    throw definitionError(name, [
      { path: ['name'], problem: "must not begin with svc., which is reserved for the service's own endpoints" },
    ]);
  }
  const holder = own.get(id.toLowerCase());
  if (holder === undefined) return;
  throw definitionError(name, [
    { path: ['id'], problem: `is the ID of ${holder}, one of the service's own endpoints` },
  ]);
}

/** Refuses any change of such an id, except a deletion, which frees it. */
export function refuseOwnIds(changes: readonly EndpointChange[], own: OwnEndpointNames): void {
  for (const change of changes) {
    if (change.kind === 'delete') continue;
    const id = 'definition' in change ? change.definition.id : change.id;
    const holder = own.get(id.toLowerCase());
    if (holder === undefined) continue;
    throw new ServiceError(
      'definition.conflict',
      `The ID ${id} belongs to ${holder}, one of the service's own endpoints.`,
    );
  }
}
