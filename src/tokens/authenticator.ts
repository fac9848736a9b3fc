import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../core/errors.ts';
import { ChangeWatch } from '../ports/changeWatch.ts';
import type { TokenRestrictions } from './restrictions.ts';
import type { Scope } from './scope.ts';
import { hashToken, parseToken } from './tokenFormat.ts';
import type { TokenRecord, TokenSlot, TokenStore } from './tokenStore.ts';

/** The caller. */
export interface AuthenticatedToken {
  readonly publicId: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly slot: TokenSlot | null;
  readonly restrictions: TokenRestrictions | null;
  readonly expiresAtMicros: number | null;
}

/** A token in memory. */
interface HeldToken {
  readonly token: AuthenticatedToken;
  /** The secret is no longer valid from this time on; infinite if it does not expire. */
  readonly untilMicros: number;
}

/** Longer texts cannot be tokens and are not hashed. */
const tokenCharsMax = 512;

/**
 * Finds the token of a presented secret.
 *
 * It keeps tokens in memory by the hash of their secret, and drops all of them when the store changes: at once for
 * changes of this process, within half a second for those of another one. Only known secrets are kept, so unknown texts
 * cannot fill the memory.
 */
export class Authenticator {
  readonly #store: TokenStore;
  readonly #watch: ChangeWatch;
  #held = new Map<string, HeldToken>();
  #heldGeneration: number | undefined;
  #lastUsed = new Map<string, number>();

  constructor(store: TokenStore) {
    this.#store = store;
    this.#watch = new ChangeWatch(store);
  }

  /**
   * Throws `auth.missing` if nothing was presented, and the same `auth.invalid` for an unknown, malformed, revoked or
   * expired token.
   */
  async authenticate(presented: string | undefined, nowMicros: number): Promise<AuthenticatedToken> {
    if (presented === undefined || presented === '') {
      throw new ServiceError(
        'auth.missing',
        'This call needs a token. Send it as X-API-KEY: <token> or Authorization: Bearer <token>.',
      );
    }
    const publicIdOf = () => parseToken(presented)?.publicId;
    const token =
      presented.length > tokenCharsMax ? undefined : await this.#find(hashToken(presented), publicIdOf, nowMicros);
    if (token === undefined) {
      throw new ServiceError('auth.invalid', 'The token is not valid: it is unknown, malformed, revoked or expired.');
    }
    return token;
  }

  /** The token with this ID if its current or previous secret has this hash and is valid now. */
  async withHash(publicId: string, secretHash: string, nowMicros: number): Promise<AuthenticatedToken | undefined> {
    return await this.#find(secretHash, () => publicId, nowMicros);
  }

  /**
   * The token with this secret hash, if memory alone shows that it is valid now. Returns the same object until the token
   * changes. If undefined, call `authenticate`: the token may still be valid.
   */
  recognise(secretHash: string, nowMicros: number): AuthenticatedToken | undefined {
    const generation = this.#watch.known(nowMicros);
    if (generation === undefined || generation !== this.#heldGeneration) return undefined;
    const held = this.#held.get(secretHash);
    if (held === undefined || nowMicros >= held.untilMicros) return undefined;
    this.#lastUsed.set(held.token.publicId, nowMicros);
    return held.token;
  }

  /**
   * Writes the times of last use since the last call. Call it about every minute and at shutdown. If writing fails, the
   * times are kept for the next call.
   */
  async flushLastUsed(): Promise<void> {
    if (this.#lastUsed.size === 0) return;
    const batch = this.#lastUsed;
    this.#lastUsed = new Map();
    try {
      await this.#store.recordUse(batch);
    } catch (error) {
      this.#lastUsed = new Map([...batch, ...this.#lastUsed]);
      throw error;
    }
  }

  async #find(
    secretHash: string,
    publicIdOf: () => string | undefined,
    nowMicros: number,
  ): Promise<AuthenticatedToken | undefined> {
    // Read before the record, so that a record is never older than the generation that it is kept under.
    const generation = await this.#watch.generation(nowMicros);
    if (generation !== this.#heldGeneration) {
      this.#held = new Map();
      this.#heldGeneration = generation;
    }
    const held = this.#held;
    const known = held.get(secretHash) ?? heldOf(await this.#load(secretHash, publicIdOf), secretHash);
    if (known === undefined) return undefined;
    held.set(secretHash, known);
    if (nowMicros >= known.untilMicros) return undefined;
    this.#lastUsed.set(known.token.publicId, nowMicros);
    return known.token;
  }

  async #load(secretHash: string, publicIdOf: () => string | undefined): Promise<TokenRecord | undefined> {
    // A configured value may have any form, including that of a token created here.
    const configured = await this.#store.findConfigured(secretHash);
    if (configured !== undefined) return configured;
    const publicId = publicIdOf();
    return publicId === undefined ? undefined : this.#store.findByPublicId(publicId);
  }
}

/** The token if the hash is that of its current or previous secret; undefined if it is revoked or has another secret. */
function heldOf(record: TokenRecord | undefined, secretHash: string): HeldToken | undefined {
  if (record === undefined || record.revokedAtMicros !== null) return undefined;
  const { publicId, description, scopes, slot, restrictions, expiresAtMicros, previous } = record;
  const token = { publicId, description, scopes, slot, restrictions, expiresAtMicros };
  const endsMicros = expiresAtMicros ?? Number.POSITIVE_INFINITY;
  if (sameHash(record.secretHash, secretHash)) return { token, untilMicros: endsMicros };
  // The secret before the last rotation, for as long as it is valid.
  if (previous === null || !sameHash(previous.secretHash, secretHash)) return undefined;
  return { token, untilMicros: Math.min(endsMicros, previous.untilMicros) };
}

/** Compares in constant time. */
function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}
