import type { AuditOf } from '../audit/auditTrail.ts';
import type { CountsChanges } from '../core/changeWatch.ts';
import type { TokenRestrictions } from './restrictions.ts';
import type { Scope } from './scope.ts';
import type { TokenState } from './tokenState.ts';

/** A token that the configuration gives (`LOGMILL_ADMIN_TOKEN` and so on). */
export type TokenSlot = 'admin' | 'query' | 'ingest';

export interface PreviousSecret {
  readonly secretHash: string;
  /** From this moment on it does not work any more. */
  readonly untilMicros: number;
}

/** A token as it is kept: everything but its secret. Times are microseconds since 1970. */
export interface TokenRecord {
  readonly publicId: string;
  /** `hashToken` of the whole text. */
  readonly secretHash: string;
  readonly description: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** The place in the configuration that gave it, or null where it was created here. */
  readonly slot: TokenSlot | null;
  /** Null where it reaches every project. */
  readonly restrictions: TokenRestrictions | null;
  readonly createdAtMicros: number;
  /** From this moment on the token is expired. */
  readonly expiresAtMicros: number | null;
  /** Coarse: written in batches. */
  readonly lastUsedAtMicros: number | null;
  readonly revokedAtMicros: number | null;
  /** The secret before the last rotation, null where there was none; it works until then. */
  readonly previous: PreviousSecret | null;
}

/** Where a token stands in the list, which is in order of creation. */
export type TokenPosition = readonly [createdAtMicros: number, publicId: string];

export interface TokenPageQuery {
  /** At most so many. */
  readonly limit: number;
  /** Only those after this one; null from the first on. */
  readonly after: TokenPosition | null;
  /** Only those in this state at `nowMicros`; null for all. */
  readonly state: TokenState | null;
  readonly nowMicros: number;
}

/**
 * Keeps tokens. An adapter must:
 * - resolve a change only when it is durable, and raise `generation` and `ownChanges` with it
 *   (`recordUse` is no change in this sense);
 * - give a token back with the restrictions that it was created with, or not at all;
 * - be safe when several processes use it at once;
 * - keep revoked tokens, so that their ids are never given again.
 */
export interface TokenStore extends CountsChanges {
  /** Throws where the public id exists. */
  create(record: TokenRecord, auditOf?: AuditOf<TokenRecord>): Promise<void>;
  /** Creates the token unless there is or was any token with the scope `manage`; atomic. Says whether it did. */
  createFirstManager(record: TokenRecord): Promise<boolean>;
  /** Whether there is or was any token with the scope `manage`. */
  hasHadManager(): Promise<boolean>;
  /** Oldest first; revoked and expired ones too. */
  list(): Promise<readonly TokenRecord[]>;
  /** A part of `list`, without reading what is not in it. */
  page(query: TokenPageQuery): Promise<readonly TokenRecord[]>;
  findByPublicId(publicId: string): Promise<TokenRecord | undefined>;
  /** The live token of a configuration slot whose value has this hash. */
  findConfigured(secretHash: string): Promise<TokenRecord | undefined>;
  /** Revokes for good. False where there is no such token or it was revoked before; the first time then stands. */
  revoke(publicId: string, nowMicros: number, auditOf?: AuditOf<string>): Promise<boolean>;
  /**
   * Gives the token another secret; the one that it had becomes `previous`, in place of the one before. False
   * where there is no such token or it is revoked. Atomic.
   */
  rotate(
    publicId: string,
    secretHash: string,
    previousUntilMicros: number,
    auditOf?: AuditOf<string>,
  ): Promise<boolean>;
  /**
   * Makes `record` the one live token of `slot`, or leaves the slot empty; revokes what was there.
   * Changes nothing where hash and scopes are those of the live token; configured tokens have no restrictions. Atomic. `record.slot` must be `slot`.
   */
  configure(slot: TokenSlot, record: TokenRecord | undefined, nowMicros: number): Promise<'unchanged' | 'changed'>;
  /** Times of last use by public id. Never moves a time back; unknown ids are ignored. */
  recordUse(lastUsedAtMicros: ReadonlyMap<string, number>): Promise<void>;
}
