import type { AuditEvent } from '../audit/auditTrail.ts';
import type { EndpointChange, EndpointStore, EndpointVersion } from '../endpoints/endpointStore.ts';
import { serviceAuthors } from '../endpoints/endpointStore.ts';
import type { OwnEndpointNames } from './ownEndpoints.ts';

/** An endpoint that had the id of one of the service's own endpoints. */
export interface MovedEndpoint {
  readonly from: EndpointVersion;
  readonly to: EndpointVersion;
}

/**
 * Moves endpoints away from the ids of the service's own endpoints, which earlier releases did not reserve. Each gets a
 * new id, with the same name and the current definition as version 1, and answers by its name if it did before. The
 * old one is deleted, which keeps its versions.
 */
export async function freeOwnIds(
  store: EndpointStore,
  own: OwnEndpointNames,
  { nowMicros, newId }: { readonly nowMicros: number; newId(): string },
): Promise<readonly MovedEndpoint[]> {
  const moved: MovedEndpoint[] = [];
  for (const id of own.keys()) {
    const from = await store.findById(id);
    if (from === undefined) continue;
    const definition = { ...from, id: newId() };
    const changes: readonly EndpointChange[] = [
      { kind: 'create', definition },
      ...(from.primary ? [{ kind: 'primary', id: definition.id } as const] : []),
      { kind: 'delete', id: from.id, expected: from.version },
    ];
    const note = `Moved from the ID ${from.id}, which belongs to ${own.get(id)}`;
    const origin = { nowMicros, author: serviceAuthors.shipped, note };
    const [to] = await store.apply(changes, origin, (results) =>
      changes.map(
        ({ kind }, i): AuditEvent => ({
          atMicros: nowMicros,
          actor: null,
          action: `endpoint.${kind}`,
          target: results[i]?.id ?? null,
          version: results[i]?.version ?? null,
          requestId: null,
        }),
      ),
    );
    if (to !== undefined) moved.push({ from, to });
  }
  return moved;
}
