import type { AuditOf } from '../audit/auditTrail.ts';
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
  /** Who made this version: public id of a token, one of `serviceAuthors`, or null where nobody recorded it. */
  readonly author: string | null;
  /** What its author had to say of this version; may be empty. */
  readonly note: string;
}

/** Authors of versions that no token made. No public id of a token begins with `#`. */
export const serviceAuthors = {
  /** Came with the product. */
  shipped: '#shipped',
  /** Was read at start from the folder of definition files that the operator named. */
  files: '#files',
} as const;

/** What a look-up needs of every endpoint, without its definition. */
export type EndpointHead = Pick<EndpointVersion, 'id' | 'name' | 'version' | 'primary'>;

/** One step of a change. `expected`: the current version that it was made for; null for whichever there is. */
export type EndpointChange =
  /**
   * Version 1. Primary where no other endpoint has the name. `definition.conflict` where the id is or was in use, and where
   * another endpoint has the name and it may not share that; it may where nothing is said.
   */
  | { readonly kind: 'create'; readonly definition: EndpointDefinition; readonly mayShareName?: boolean }
  /**
   * The next version of the endpoint with the definition's id. A changed name is the name of the
   * endpoint from then on; it becomes primary there if nobody else has it. `endpoint.unknown`;
   * `definition.conflict` where a primary would leave namesakes without one, and where another endpoint has the changed
   * name and it may not share that; it may where nothing is said.
   */
  | {
      readonly kind: 'change';
      readonly definition: EndpointDefinition;
      readonly expected: number | null;
      readonly mayShareName?: boolean;
    }
  /**
   * Brings the deleted endpoint with the definition's id back, as its next version. Primary where no other endpoint has the
   * name. `endpoint.unknown`; `definition.conflict` where it is not deleted, and where another endpoint has the name and it may
   * not share that; it may where nothing is said.
   */
  | {
      readonly kind: 'restore';
      readonly definition: EndpointDefinition;
      readonly expected: number | null;
      readonly mayShareName?: boolean;
    }
  /** Makes the endpoint the one that answers by its name. `endpoint.unknown`. */
  | { readonly kind: 'primary'; readonly id: string }
  /** `endpoint.unknown`; `definition.conflict` where it is primary and has namesakes. */
  | { readonly kind: 'delete'; readonly id: string; readonly expected: number | null };

/** By whom and when a change is made. */
export interface ChangeOrigin {
  readonly nowMicros: number;
  readonly author: string | null;
  readonly note: string;
}

export interface EndpointPageQuery {
  readonly limit: number;
  /** The last endpoint of the page before; null for the first page. */
  readonly after: Pick<EndpointHead, 'name' | 'id'> | null;
  /** Only endpoints of this name; null for all. */
  readonly name: string | null;
}

/** An endpoint that was deleted, in one of its versions. It answers nobody, whatever `primary` was. */
export interface DeletedEndpoint extends EndpointVersion {
  readonly deletedAtMicros: number;
}

/** What is kept of deleted endpoints: everything. Endpoints that are there are unknown here. */
export interface DeletedEndpoints {
  /** In its last version. */
  find(id: string): Promise<DeletedEndpoint | undefined>;
  /** At most `limit` last versions, by name, then by id. */
  listPage(page: EndpointPageQuery): Promise<readonly DeletedEndpoint[]>;
  findVersion(id: string, version: number): Promise<DeletedEndpoint | undefined>;
  /** Newest first. */
  listVersions(
    id: string,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly DeletedEndpoint[]>;
}

/**
 * Keeps endpoints (contract, sections 2 and 3). An adapter must:
 * - keep exactly one primary among the endpoints that share a name, whatever happens at once;
 * - never alter or renumber a version;
 * - resolve a change only when it is durable, and raise `generation` and `ownChanges` with it;
 * - be safe when several processes use it at once;
 * - keep deleted endpoints with their ids and versions.
 * Ids are taken in lower case. Definitions are stored as they are given: who calls has checked them.
 */
export interface EndpointStore extends CountsChanges {
  readonly deleted: DeletedEndpoints;
  /** The current version. */
  findById(id: string): Promise<EndpointVersion | undefined>;
  /** The current version of the endpoint that answers by this name. */
  findPrimary(name: string): Promise<EndpointVersion | undefined>;
  /** Of all endpoints; by name, the primary first, then by id. */
  listHeads(): Promise<readonly EndpointHead[]>;
  /** The current versions; by name, the primary first, then by id. */
  list(): Promise<readonly EndpointVersion[]>;
  /** At most `limit` current versions, by name, then by id. */
  listPage(page: EndpointPageQuery): Promise<readonly EndpointVersion[]>;
  findVersion(id: string, version: number): Promise<EndpointVersion | undefined>;
  /** Versions of one endpoint, newest first, all or those of the page; empty where there is no such endpoint. */
  listVersions(
    id: string,
    page?: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly EndpointVersion[]>;
  /** Whether the id is or was in use, also by a deleted endpoint. */
  hasEverExisted(id: string): Promise<boolean>;
  /**
   * Makes the changes in their order, all of them or none. Gives for each the endpoint as it is after
   * all of them; for a deletion its last version. `request.precondition_failed` where the version is
   * not the expected one, besides what each change throws.
   */
  apply(
    changes: readonly EndpointChange[],
    origin: ChangeOrigin,
    auditOf?: AuditOf<readonly EndpointVersion[]>,
  ): Promise<readonly EndpointVersion[]>;
  /** What `apply` would give or throw; nothing is kept. */
  tryOut(changes: readonly EndpointChange[], origin: ChangeOrigin): Promise<readonly EndpointVersion[]>;
  /** `apply` of one change by nobody in particular. */
  create(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /** `apply` of one change by nobody in particular. */
  change(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /** `apply` of one change. */
  setPrimary(id: string): Promise<void>;
  /** `apply` of one change. */
  delete(id: string, nowMicros: number): Promise<void>;
}
