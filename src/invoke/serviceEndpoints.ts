import type { CallableEndpoint } from './callableEndpoint.ts';
import type { EndpointFinder } from './findEndpoint.ts';

/**
 * Adds the endpoints of the service itself before the declared ones. They are not in the store, cannot be changed, and
 * read what no other endpoint can (decision 40).
 */
export function withServiceEndpoints(declared: EndpointFinder, own: readonly CallableEndpoint[]): EndpointFinder {
  return {
    findById: async (id, nowMicros) => own.find((each) => each.id === id) ?? declared.findById(id, nowMicros),
    findByName: async (name, nowMicros) =>
      own.find((each) => each.name === name) ?? declared.findByName(name, nowMicros),
    findVersion: async (id, version, nowMicros) =>
      own.find((each) => each.id === id && each.version === version) ?? declared.findVersion(id, version, nowMicros),
    list: async (nowMicros) => [...own, ...(await declared.list(nowMicros))],
    // The endpoints of the service never change.
    revision: (nowMicros) => declared.revision(nowMicros),
  };
}
