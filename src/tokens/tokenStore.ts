import type { AuditOf } from '../audit/auditTrail.ts';
import type { CountsChanges } from '../ports/changeFeed.ts';
import type { TokenRestrictions } from './restrictions.ts';
import type { Scope } from './scope.ts';
import type { TokenState, TokenTimes } from './tokenState.ts';

/** A setting that defines a token (`LOGMILL_ADMIN_TOKEN` and so on). */
export type TokenSlot = 'admin' | 'query' | 'ingest';

export interface PreviousSecret {
  readonly secretHash: string;
  /** The secret is no longer valid from this time on. */
  readonly untilMicros: number;
}

/** A stored token: everything except its secret. Times are microseconds since 1970. */
export interface TokenRecord extends TokenTimes {
  readonly publicId: string;
  /** `hashToken` of the whole text. */
  readonly secretHash: string;
  readonly description: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** The setting that defines it; null for a created token. */
  readonly slot: TokenSlot | null;
  /** Null if the token is unrestricted. */
  readonly restrictions: TokenRestrictions | null;
  readonly createdAtMicros: number;
  /** Coarse: written in batches. */
  readonly lastUsedAtMicros: number | null;
  /** The secret before the last rotation; null if there was none. */
  readonly previous: PreviousSecret | null;
}

/** Position in the list, which is in the order of creation. */
export type TokenPosition = readonly [createdAtMicros: number, publicId: string];

export interface TokenPageQuery {
  readonly limit: number;
  /** Only tokens after this one; null to start with the first. */
  readonly after: TokenPosition | null;
  /** Only tokens in this state at `nowMicros`; null for all. */
  readonly state: TokenState | null;
  readonly nowMicros: number;
}

/**
 * Keeps tokens. An adapter must:
 * - resolve a change only when it is durable, and raise `generation` and `changesSeen` with it (except for `recordUse`);
 * - return a token with the restrictions that it was created with, or not at all;
 * - be safe when several processes use it at once;
 * - keep revoked tokens, so that their ids are never used again.
 */
export interface TokenStore extends CountsChanges {
  /** Throws if the public ID exists. */
  create(record: TokenRecord, auditOf?: AuditOf<TokenRecord>): Promise<void>;
  /** Creates the token unless there is or was any token with the scope `manage`. Resolves to whether it did. Atomic. */
  createFirstManager(record: TokenRecord): Promise<boolean>;
  /** Whether there is or was any token with the scope `manage`. */
  hasHadManager(): Promise<boolean>;
  /** All tokens, oldest first, including revoked and expired ones. */
  list(): Promise<readonly TokenRecord[]>;
  /** A part of `list`, without reading what is not in it. */
  page(query: TokenPageQuery): Promise<readonly TokenRecord[]>;
  findByPublicId(publicId: string): Promise<TokenRecord | undefined>;
  /** The live token of a configuration slot whose value has this hash. */
  findConfigured(secretHash: string): Promise<TokenRecord | undefined>;
  /** Revokes a token for good. False if it is unknown or already revoked; then its time of revocation does not change. */
  revoke(publicId: string, nowMicros: number, auditOf?: AuditOf<string>): Promise<boolean>;
  /**
   * Gives the token a new secret. The old one becomes `previous` and replaces the one before. False if the token is
   * unknown or revoked. Atomic.
   */
  rotate(
    publicId: string,
    secretHash: string,
    previousUntilMicros: number,
    auditOf?: AuditOf<string>,
  ): Promise<boolean>;
  /**
   * Makes `record` the only live token of `slot`, or empties the slot, and revokes the token that was there. If the live
   * token has the same hash, it stays, and only takes the scopes of `record`: what it sent and did remains its own after
   * a release with new scopes. Changes nothing if the scopes are the same too; configured tokens have no restrictions.
   * If somebody has revoked a configured token with this hash (an audited `revoke`), the slot stays empty: `revoked`.
   * Atomic. `record.slot` must be `slot`.
   */
  configure(
    slot: TokenSlot,
    record: TokenRecord | undefined,
    nowMicros: number,
  ): Promise<'unchanged' | 'changed' | 'revoked'>;
  /** Times of last use by public ID. Never moves a time back; unknown IDs are ignored. */
  recordUse(lastUsedAtMicros: ReadonlyMap<string, number>): Promise<void>;
}
