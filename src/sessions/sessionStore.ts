import type { AuditOf } from '../audit/auditTrail.ts';
import type { CountsChanges } from '../ports/changeFeed.ts';
import type { TokenRecord } from '../tokens/tokenStore.ts';

/** A stored session: everything except its secret. Times are microseconds since 1970. */
export interface SessionRecord {
  /** `hashToken` of the secret. */
  readonly secretHash: string;
  /** Public ID of the token that the session acts for. */
  readonly tokenId: string;
  /** `hashToken` of the token that the session began with: the session ends when this secret of the token does. */
  readonly tokenHash: string;
  readonly createdAtMicros: number;
  /** The session is over from this time on. */
  readonly expiresAtMicros: number;
}

/** Most live sessions of one token. A further one ends the oldest. */
export const sessionsOfTokenMax = 100;

/**
 * Keeps sessions. An adapter must:
 * - resolve a change only when it is durable;
 * - raise `generation` and `changesSeen` with every change that ends a live session, as changes of the tokens do;
 * - be safe when several processes use it at once.
 */
export interface SessionStore extends CountsChanges {
  /**
   * Keeps the session and removes expired ones. If the token has `sessionsOfTokenMax` live sessions, ends the oldest
   * of them. With `newToken`, also creates the token that the session acts for: both are stored, or neither.
   */
  create(record: SessionRecord, auditOf?: AuditOf<SessionRecord>, newToken?: TokenRecord): Promise<void>;
  find(secretHash: string): Promise<SessionRecord | undefined>;
  /** Ends one session. False if there is none. */
  end(secretHash: string, auditOf?: AuditOf<string>): Promise<boolean>;
  /** Ends every session of the token. Resolves to their number. */
  endAllOf(tokenId: string, auditOf?: AuditOf<number>): Promise<number>;
}
