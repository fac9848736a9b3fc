import type { CountsChanges } from '../core/changeWatch.ts';
import type { EndpointDefinition } from './definition.ts';

/** A numbered, immutable version of an endpoint, with what is known of the endpoint. Times are microseconds since 1970. */
export interface EndpointVersion extends EndpointDefinition {
  /** From 1, without gaps. */
  readonly version: number;
  /** Whether the endpoint answers by name, now. */
  readonly primary: boolean;
  /** When the endpoint was created. */
  readonly createdAtMicros: number;
  /** When this version was made. */
  readonly updatedAtMicros: number;
}

/**
 * Keeps endpoints (contract, sections 2 and 3). An adapter must:
 * - keep exactly one primary among the endpoints that share a name, whatever happens at once;
 * - never alter or renumber a version;
 * - resolve a change only when it is durable, and raise `generation` and `ownChanges` with it;
 * - be safe when several processes use it at once;
 * - remember deleted ids.
 * Ids are taken in lower case. Definitions are stored as they are given: who calls has checked them.
 */
export interface EndpointStore extends CountsChanges {
  /** The current version. */
  findById(id: string): Promise<EndpointVersion | undefined>;
  /** The current version of the endpoint that answers by this name. */
  findPrimary(name: string): Promise<EndpointVersion | undefined>;
  /** The current versions; by name, the primary first, then by id. */
  list(): Promise<readonly EndpointVersion[]>;
  findVersion(id: string, version: number): Promise<EndpointVersion | undefined>;
  /** All versions of one endpoint, newest first; empty where there is none. */
  listVersions(id: string): Promise<readonly EndpointVersion[]>;
  /** Whether the id is or was in use, also by a deleted endpoint. */
  hasEverExisted(id: string): Promise<boolean>;
  /** Version 1. Primary where no other endpoint has the name. `definition.conflict` where the id is or was in use. */
  create(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /**
   * The next version of the endpoint with the definition's id. A changed name is the name of the
   * endpoint from then on; it becomes primary there if nobody else has it. `endpoint.unknown`;
   * `definition.conflict` where a primary would leave namesakes without one.
   */
  change(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /** Makes the endpoint the one that answers by its name, in one step. `endpoint.unknown`. */
  setPrimary(id: string): Promise<void>;
  /** `endpoint.unknown`; `definition.conflict` where it is primary and has namesakes. */
  delete(id: string, nowMicros: number): Promise<void>;
}
