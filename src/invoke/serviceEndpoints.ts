import type { CallableEndpoint } from './callableEndpoint.ts';
import type { EndpointFinder } from './findEndpoint.ts';

/**
 * The declared endpoints, and before them those of the service itself, which are no definitions of the
 * store: they come with the program, cannot be changed, and read what nothing else can (decision 40).
 */
export function withServiceEndpoints(declared: EndpointFinder, own: readonly CallableEndpoint[]): EndpointFinder {
  return {
    findById: async (id, nowMicros) => own.find((each) => each.id === id) ?? declared.findById(id, nowMicros),
    findByName: async (name, nowMicros) =>
      own.find((each) => each.name === name) ?? declared.findByName(name, nowMicros),
    findVersion: async (id, version, nowMicros) =>
      own.find((each) => each.id === id && each.version === version) ?? declared.findVersion(id, version, nowMicros),
    list: async (nowMicros) => [...own, ...(await declared.list(nowMicros))],
    // Those of the service never change.
    revision: (nowMicros) => declared.revision(nowMicros),
  };
}
