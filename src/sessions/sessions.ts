import type { AuditAction, AuditEvent } from '../audit/auditTrail.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { ChangeWatch } from '../ports/changeWatch.ts';
import type { AuthenticatedToken, Authenticator } from '../tokens/authenticator.ts';
import { draftToken } from '../tokens/createToken.ts';
import { allScopes } from '../tokens/scope.ts';
import { hashToken } from '../tokens/tokenFormat.ts';
import type { TokenRecord } from '../tokens/tokenStore.ts';
import { type OneTimeCodes, secretBytes } from './oneTimeCodes.ts';
import type { SessionRecord, SessionStore } from './sessionStore.ts';

/** A session ends after this time, whether it is used or not. */
export const sessionMicros = 12 * 3_600_000_000;

export interface SessionServices {
  readonly store: SessionStore;
  readonly authenticator: Pick<Authenticator, 'withHash'>;
  readonly codes: OneTimeCodes;
  readonly randomness: Randomness;
}

/** The token that a session begins with. */
export interface SessionToken {
  readonly publicId: string;
  /** `hashToken` of its text. */
  readonly secretHash: string;
  readonly expiresAtMicros: number | null;
  /** The token itself, if it is stored with the session. */
  readonly newRecord?: TokenRecord;
}

/** A session that is valid now, and the token that it acts for. */
export interface LiveSession {
  readonly record: SessionRecord;
  readonly token: AuthenticatedToken;
}

/** What a request that begins or ends a session leaves in the audit trail. */
export interface SessionRequest {
  readonly nowMicros: number;
  readonly requestId: string;
}

/**
 * Sessions: a page in a browser acts for a token without keeping its text. A session has exactly the rights of its
 * token, and ends with the secret of the token that it began with, at its expiry, or when it is signed out.
 *
 * Sessions are kept in memory like tokens (authenticator.ts) and dropped when the store changes, so on every node they
 * end as fast as a token is revoked.
 */
export class Sessions {
  readonly #services: SessionServices;
  readonly #watch: ChangeWatch;
  #held = new Map<string, SessionRecord>();
  #heldGeneration: number | undefined;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#watch = new ChangeWatch(services.store);
  }

  /** Begins a session. Its secret is returned only here. */
  async begin(
    token: SessionToken,
    { nowMicros, requestId }: SessionRequest,
  ): Promise<{ readonly secret: string; readonly record: SessionRecord }> {
    const { store, randomness } = this.#services;
    const secret = Buffer.from(randomness.bytes(secretBytes)).toString('base64url');
    const record: SessionRecord = {
      secretHash: hashToken(secret),
      tokenId: token.publicId,
      tokenHash: token.secretHash,
      createdAtMicros: nowMicros,
      expiresAtMicros: Math.min(nowMicros + sessionMicros, token.expiresAtMicros ?? Number.POSITIVE_INFINITY),
    };
    const created = token.newRecord === undefined ? [] : [tokenEntry(token.publicId, nowMicros, requestId)];
    const auditOf = () => [...created, entry('session.create', token.publicId, nowMicros, requestId)];
    await store.create(record, auditOf, token.newRecord);
    return { secret, record };
  }

  /**
   * Exchanges a one-time code for a new token with all scopes, which lives as long as a session and whose text nobody
   * has. Calls `begin` with it, which stores it with its session. If that fails, the code can be used again. Throws
   * `session.code_invalid`.
   */
  async redeem<T>(code: string, { nowMicros }: SessionRequest, begin: (token: SessionToken) => Promise<T>): Promise<T> {
    const { codes, randomness } = this.#services;
    return await codes.redeem(code, nowMicros, async () => {
      const request = {
        description: 'for the console, from the link printed at start',
        scopes: allScopes,
        expiresAtMicros: nowMicros + sessionMicros,
      };
      const { record } = draftToken(request, randomness, nowMicros);
      return await begin({ ...record, newRecord: record });
    });
  }

  /** Throws `session.invalid` if there is no such session, or if it or its token is not valid any more. */
  async find(secret: string, nowMicros: number): Promise<LiveSession> {
    const record = secretForm.test(secret) ? await this.#record(hashToken(secret), nowMicros) : undefined;
    if (record === undefined || nowMicros >= record.expiresAtMicros) throw ended();
    const token = await this.#services.authenticator.withHash(record.tokenId, record.tokenHash, nowMicros);
    if (token === undefined) throw ended();
    return { record, token };
  }

  async end({ record }: LiveSession, { nowMicros, requestId }: SessionRequest): Promise<void> {
    await this.#services.store.end(record.secretHash, () => [
      entry('session.end', record.tokenId, nowMicros, requestId),
    ]);
  }

  /** Ends every session of the token. Resolves to their number. */
  async endAllOf({ record }: LiveSession, { nowMicros, requestId }: SessionRequest): Promise<number> {
    return await this.#services.store.endAllOf(record.tokenId, (count) => [
      { ...entry('session.end_all', record.tokenId, nowMicros, requestId), count },
    ]);
  }

  async #record(secretHash: string, nowMicros: number): Promise<SessionRecord | undefined> {
    // Read before the record, so that a record is never older than the generation that it is kept under.
    const generation = await this.#watch.generation(nowMicros);
    if (generation !== this.#heldGeneration) {
      this.#held = new Map();
      this.#heldGeneration = generation;
    }
    const held = this.#held;
    const record = held.get(secretHash) ?? (await this.#services.store.find(secretHash));
    if (record === undefined) return undefined;
    if (nowMicros >= record.expiresAtMicros) held.delete(secretHash);
    else held.set(secretHash, record);
    return record;
  }
}

/** Of `begin`. Other texts are not hashed. */
const secretForm = /^[\w-]{43}$/;

function entry(action: AuditAction, actor: string | null, atMicros: number, requestId: string): AuditEvent {
  return { atMicros, actor, action, target: actor, version: null, requestId };
}

function tokenEntry(publicId: string, atMicros: number, requestId: string): AuditEvent {
  return { ...entry('token.create', null, atMicros, requestId), target: publicId };
}

function ended(): ServiceError {
  return new ServiceError(
    'session.invalid',
    'The session is over: it expired, was signed out, or its token is not valid any more. Sign in again.',
  );
}
