import { timingSafeEqual } from 'node:crypto';
import { ChangeWatch } from '../core/changeWatch.ts';
import { ServiceError } from '../core/errors.ts';
import type { TokenRestrictions } from './restrictions.ts';
import type { Scope } from './scope.ts';
import { hashToken, parseToken } from './tokenFormat.ts';
import type { TokenRecord, TokenSlot, TokenStore } from './tokenStore.ts';

/** Who is calling. */
export interface AuthenticatedToken {
  readonly publicId: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly slot: TokenSlot | null;
  readonly restrictions: TokenRestrictions | null;
  readonly expiresAtMicros: number | null;
}

/** A token that some text opens, as far as its record tells. */
interface HeldToken {
  readonly token: AuthenticatedToken;
  /** From this moment on the text opens nothing; infinite where it does for good. */
  readonly untilMicros: number;
}

/** Longer texts are no token of ours; they are not even hashed. */
const tokenCharsMax = 512;

/**
 * Turns a presented text into the token that it is.
 *
 * Tokens are held in memory by the hash of their text and dropped together when the store has
 * changed: at once for changes by this process, within half a second for those of another one.
 * Only live tokens are held, so unknown texts cannot fill the memory.
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
   * Throws `auth.missing` where nothing was presented, and one and the same `auth.invalid` for an
   * unknown, malformed, revoked or expired token.
   */
  async authenticate(presented: string | undefined, nowMicros: number): Promise<AuthenticatedToken> {
    if (presented === undefined || presented === '') {
      throw new ServiceError(
        'auth.missing',
        'This call needs a token: send it as X-API-KEY: <token> or Authorization: Bearer <token>.',
      );
    }
    const token = presented.length > tokenCharsMax ? undefined : await this.#find(presented, nowMicros);
    if (token === undefined) {
      throw new ServiceError('auth.invalid', 'The token is not valid: it is unknown, malformed, revoked or expired.');
    }
    this.#lastUsed.set(token.publicId, nowMicros);
    return token;
  }

  /**
   * The token whose text has this hash, where memory alone can tell that it is valid now; as long as nothing
   * of it has changed it is the same object each time. Undefined says nothing: `authenticate` decides then.
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
   * Writes the times of last use gathered since the last call. To be called every minute or so and
   * at shutdown. What could not be written is kept for the next call.
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

  async #find(presented: string, nowMicros: number): Promise<AuthenticatedToken | undefined> {
    const secretHash = hashToken(presented);
    // Read before the record: a record is never older than the generation that it is held under.
    const generation = await this.#watch.generation(nowMicros);
    if (generation !== this.#heldGeneration) {
      this.#held = new Map();
      this.#heldGeneration = generation;
    }
    const held = this.#held;
    const known = held.get(secretHash) ?? heldOf(await this.#load(presented, secretHash), secretHash);
    if (known === undefined) return undefined;
    held.set(secretHash, known);
    return nowMicros < known.untilMicros ? known.token : undefined;
  }

  async #load(presented: string, secretHash: string): Promise<TokenRecord | undefined> {
    // A configured value may have any form, also that of a token made here.
    const configured = await this.#store.findConfigured(secretHash);
    if (configured !== undefined) return configured;
    const parsed = parseToken(presented);
    if (parsed === undefined) return undefined;
    return this.#store.findByPublicId(parsed.publicId);
  }
}

/** What the text of this hash opens, now or once: nothing where the token is revoked or has another secret. */
function heldOf(record: TokenRecord | undefined, secretHash: string): HeldToken | undefined {
  if (record === undefined || record.revokedAtMicros !== null) return undefined;
  const { publicId, description, scopes, slot, restrictions, expiresAtMicros, previous } = record;
  const token = { publicId, description, scopes, slot, restrictions, expiresAtMicros };
  const endsMicros = expiresAtMicros ?? Number.POSITIVE_INFINITY;
  if (sameHash(record.secretHash, secretHash)) return { token, untilMicros: endsMicros };
  // The secret before a rotation, for as long as that works.
  if (previous === null || !sameHash(previous.secretHash, secretHash)) return undefined;
  return { token, untilMicros: Math.min(endsMicros, previous.untilMicros) };
}

/** In constant time. */
function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}
