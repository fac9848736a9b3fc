import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { scopesBeyond } from './permission.ts';
import { isNoWider, type TokenRestrictions } from './restrictions.ts';
import { formatScope, type Scope } from './scope.ts';
import { generateToken, hashToken } from './tokenFormat.ts';
import type { TokenRecord, TokenStore } from './tokenStore.ts';

export interface TokenRequest {
  /** For people; at most 200 characters, no control characters. */
  readonly description: string;
  /** At least one; see `parseScopes`. */
  readonly scopes: readonly Scope[];
  /** Microseconds since 1970, in the future; null for a token that does not expire. */
  readonly expiresAtMicros?: number | null;
  /** Null for a token that can reach every project; see `restrictedTo`. */
  readonly restrictions?: TokenRestrictions | null;
}

/** The token that asks for a new one. */
export type TokenCreator = Pick<TokenRecord, 'scopes' | 'restrictions'>;

export interface CreatedToken {
  /** The only time that the text is seen. */
  readonly text: string;
  readonly record: TokenRecord;
}

/**
 * Creates a token. `creator` is null where whoever owns the data folder asks. Throws
 * `token.invalid`, and `auth.scope` or `auth.project` where the creator's own token does not reach
 * as far: a token creates only tokens no wider than itself (contract, section 4).
 */
export async function createToken(
  store: TokenStore,
  request: TokenRequest,
  randomness: Randomness,
  nowMicros: number,
  creator: TokenCreator | null = null,
): Promise<CreatedToken> {
  if (creator !== null) requireNoWider(request, creator);
  const created = draftToken(request, randomness, nowMicros);
  await store.create(created.record);
  return created;
}

/** A checked token that is not stored yet. */
export function draftToken(request: TokenRequest, randomness: Randomness, nowMicros: number): CreatedToken {
  if (request.scopes.length === 0) throw new ServiceError('token.invalid', 'A token needs at least one scope.');
  if (request.description.length > 200 || /\p{Cc}/u.test(request.description)) {
    throw new ServiceError(
      'token.invalid',
      `The description of a token has at most 200 characters on one line; this one has ${request.description.length}.`,
    );
  }
  const expiresAtMicros = request.expiresAtMicros ?? null;
  if (expiresAtMicros !== null && !(Number.isSafeInteger(expiresAtMicros) && expiresAtMicros > nowMicros)) {
    throw new ServiceError('token.invalid', 'The expiry of a token must be in the future.');
  }
  const { text, publicId } = generateToken(randomness);
  return {
    text,
    record: {
      publicId,
      secretHash: hashToken(text),
      description: request.description,
      scopes: request.scopes,
      slot: null,
      restrictions: request.restrictions ?? null,
      createdAtMicros: nowMicros,
      expiresAtMicros,
      lastUsedAtMicros: null,
      revokedAtMicros: null,
    },
  };
}

function requireNoWider(request: TokenRequest, creator: TokenCreator): void {
  const beyond = scopesBeyond(creator.scopes, request.scopes);
  if (beyond.length > 0) {
    throw new ServiceError(
      'auth.scope',
      `A token creates only tokens no wider than itself; this one does not have ${beyond.map(formatScope).join(', ')}.`,
    );
  }
  if (isNoWider(request.restrictions ?? null, creator.restrictions)) return;
  if (creator.restrictions?.redact === true && request.restrictions?.redact !== true) {
    throw new ServiceError(
      'auth.scope',
      'A token creates only tokens no wider than itself; this one is shown redacted rows only, so a new one must be as well.',
    );
  }
  const allowed = creator.restrictions?.projects ?? [];
  throw new ServiceError(
    'auth.project',
    `A token creates only tokens no wider than itself; this one is restricted to projects, so a new one must be restricted to some of ${allowed.join(', ')}.`,
    { errors: [{ allowed }] },
  );
}
