import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import { definitionError } from '../endpoints/definitionIssue.ts';
import type { EndpointChange } from '../endpoints/endpointStore.ts';

/** Names of the endpoints of the service itself, by their ids in lower case. */
export type OwnEndpointNames = ReadonlyMap<string, string>;

/**
 * Refuses a definition with a name or an id of the endpoints of the service itself, which come first by both
 * (decision 40): another endpoint would never be called by them, and must never pass for one of them. Throws
 * `definition.invalid`.
 */
export function refuseOwnNames({ id, name }: Pick<EndpointDefinition, 'id' | 'name'>, own: OwnEndpointNames): void {
  if (name.startsWith('svc.')) {
    throw definitionError(name, [
      { path: ['name'], problem: 'must not begin with svc., as the names of the endpoints of the service itself do' },
    ]);
  }
  const holder = own.get(id.toLowerCase());
  if (holder === undefined) return;
  throw definitionError(name, [{ path: ['id'], problem: `is the id of ${holder}, an endpoint of the service itself` }]);
}

/** The same of any change, wherever it comes from. Only deletions may name such an id: they free it. */
export function refuseOwnIds(changes: readonly EndpointChange[], own: OwnEndpointNames): void {
  for (const change of changes) {
    if (change.kind === 'delete') continue;
    const id = 'definition' in change ? change.definition.id : change.id;
    const holder = own.get(id.toLowerCase());
    if (holder === undefined) continue;
    throw new ServiceError(
      'definition.conflict',
      `The id ${id} belongs to ${holder}, an endpoint of the service itself.`,
    );
  }
}
