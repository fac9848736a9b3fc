import type { AuditOf } from '../audit/auditTrail.ts';
import type { CountsChanges } from '../ports/changeFeed.ts';
import type { EndpointDefinition } from './definition.ts';

/** A numbered, immutable version of an endpoint, with facts about the endpoint. Times are microseconds since 1970. */
export interface EndpointVersion extends EndpointDefinition {
  /** From 1, without gaps. */
  readonly version: number;
  /** Whether the endpoint currently answers by its name. */
  readonly primary: boolean;
  /** When the endpoint was created. */
  readonly createdAtMicros: number;
  /** When this version was made. */
  readonly updatedAtMicros: number;
  /** Who made this version: the public ID of a token or one of `serviceAuthors`; null if not recorded. */
  readonly author: string | null;
  /** The author's note about this version; may be empty. */
  readonly note: string;
}

/** Authors of versions that were not made with a token. Public IDs of tokens never begin with `#`. */
export const serviceAuthors = {
  /** Shipped with the product. */
  shipped: '#shipped',
  /** Read at start from the operator's folder of definition files. */
  files: '#files',
} as const;

/** The part of an endpoint that look-ups need, without its definition. */
export type EndpointHead = Pick<EndpointVersion, 'id' | 'name' | 'version' | 'primary' | 'updatedAtMicros'>;

/**
 * One step of a change. `expected` is the version that must be current; null for any. `mayShareName` (default: true)
 * allows a name that another endpoint has.
 */
export type EndpointChange =
  /**
   * Makes version 1. The endpoint is primary if no other one has the name. `definition.conflict` if the id is or was in
   * use, or if another endpoint has the name and sharing is not allowed.
   */
  | { readonly kind: 'create'; readonly definition: EndpointDefinition; readonly mayShareName?: boolean }
  /**
   * Makes the next version of the endpoint with the definition's id. If the name changes, the endpoint becomes primary
   * unless another one has the new name. `endpoint.unknown`. `definition.conflict` if a primary endpoint would leave
   * others of its name without one, or if another endpoint has the changed name and sharing is not allowed.
   */
  | {
      readonly kind: 'change';
      readonly definition: EndpointDefinition;
      readonly expected: number | null;
      readonly mayShareName?: boolean;
    }
  /**
   * Restores the deleted endpoint with the definition's id, as its next version. It is primary if no other one has the
   * name. `endpoint.unknown`. `definition.conflict` if it is not deleted, or if another endpoint has the name and
   * sharing is not allowed.
   */
  | {
      readonly kind: 'restore';
      readonly definition: EndpointDefinition;
      readonly expected: number | null;
      readonly mayShareName?: boolean;
    }
  /** Makes the endpoint the one that answers by its name. `endpoint.unknown`. */
  | { readonly kind: 'primary'; readonly id: string }
  /** Deletes the endpoint. `endpoint.unknown`. `definition.conflict` if it is primary and others have its name. */
  | { readonly kind: 'delete'; readonly id: string; readonly expected: number | null };

/** Who makes a change, when, and with what note. */
export interface ChangeOrigin {
  readonly nowMicros: number;
  readonly author: string | null;
  readonly note: string;
}

export interface EndpointPageQuery {
  readonly limit: number;
  /** The last endpoint of the previous page; null for the first page. */
  readonly after: Pick<EndpointHead, 'name' | 'id'> | null;
  /** Only endpoints with this name; null for all. */
  readonly name: string | null;
}

/** A version of a deleted endpoint. It cannot be called, whatever `primary` was. */
export interface DeletedEndpoint extends EndpointVersion {
  readonly deletedAtMicros: number;
}

/** Reads deleted endpoints, which keep all versions. Other endpoints are unknown here. */
export interface DeletedEndpoints {
  /** The last version. */
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
 * - keep exactly one primary among the endpoints that share a name, even under concurrent changes;
 * - never alter or renumber a version;
 * - resolve a change only when it is durable, and raise `generation` and `changesSeen` with it;
 * - be safe when several processes use it at once;
 * - keep deleted endpoints with their ids and versions.
 * Ids must be in lower case. Definitions are stored as they are; the caller has checked them.
 */
export interface EndpointStore extends CountsChanges {
  readonly deleted: DeletedEndpoints;
  /** The current version. */
  findById(id: string): Promise<EndpointVersion | undefined>;
  /** The current version of the endpoint that answers by this name. */
  findPrimary(name: string): Promise<EndpointVersion | undefined>;
  /** All endpoints, by name, the primary first, then by id. */
  listHeads(): Promise<readonly EndpointHead[]>;
  /** The current versions, by name, the primary first, then by id. */
  list(): Promise<readonly EndpointVersion[]>;
  /** At most `limit` current versions, by name, then by id. */
  listPage(page: EndpointPageQuery): Promise<readonly EndpointVersion[]>;
  findVersion(id: string, version: number): Promise<EndpointVersion | undefined>;
  /** Versions of one endpoint, newest first: all, or those of the page. Empty for an unknown endpoint. */
  listVersions(
    id: string,
    page?: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly EndpointVersion[]>;
  /** Whether the id is or was in use, including by a deleted endpoint. */
  hasEverExisted(id: string): Promise<boolean>;
  /**
   * Makes the changes in order, all or none. Returns for each one the endpoint as it is after all changes, or the last
   * version for a deletion. Throws `request.precondition_failed` if the version is not the expected one, and the errors
   * of each change.
   */
  apply(
    changes: readonly EndpointChange[],
    origin: ChangeOrigin,
    auditOf?: AuditOf<readonly EndpointVersion[]>,
  ): Promise<readonly EndpointVersion[]>;
  /** Returns or throws the same as `apply`, but stores nothing. */
  tryOut(changes: readonly EndpointChange[], origin: ChangeOrigin): Promise<readonly EndpointVersion[]>;
  /** `apply` of one change without an author. */
  create(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /** `apply` of one change without an author. */
  change(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion>;
  /** `apply` of one change. */
  setPrimary(id: string): Promise<void>;
  /** `apply` of one change. */
  delete(id: string, nowMicros: number): Promise<void>;
}
