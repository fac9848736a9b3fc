import { type AuditOf, unaudited } from '../audit/auditTrail.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { requireNoWider, type TokenReach } from './delegation.ts';
import type { TokenRestrictions } from './restrictions.ts';
import type { Scope } from './scope.ts';
import { generateToken, hashToken } from './tokenFormat.ts';
import type { TokenRecord, TokenStore } from './tokenStore.ts';

export interface TokenRequest {
  /** For people; at most 200 characters, no control characters. */
  readonly description: string;
  /** At least one; see `parseScopes`. */
  readonly scopes: readonly Scope[];
  /** Microseconds since 1970, in the future; null for a token that does not expire. */
  readonly expiresAtMicros?: number | null;
  /** Null for an unrestricted token; see `restrictedTo`. */
  readonly restrictions?: TokenRestrictions | null;
}

export interface CreatedToken {
  /** The secret, which is not stored. */
  readonly text: string;
  readonly record: TokenRecord;
}

/**
 * Creates a token. `maker` is null for the owner of the data folder. Throws `token.invalid`, or `auth.scope` or
 * `auth.project` if the new token would have more rights than the maker's (contract, section 4).
 */
export async function createToken(
  store: Pick<TokenStore, 'create'>,
  request: TokenRequest,
  randomness: Randomness,
  nowMicros: number,
  maker: TokenReach | null = null,
  auditOf: AuditOf<TokenRecord> = unaudited,
): Promise<CreatedToken> {
  const created = draftToken(request, randomness, nowMicros);
  if (maker !== null) requireNoWider(created.record, maker);
  await store.create(created.record, auditOf);
  return created;
}

/** Checks the request and makes a token without storing it. */
export function draftToken(request: TokenRequest, randomness: Randomness, nowMicros: number): CreatedToken {
  if (request.scopes.length === 0) throw new ServiceError('token.invalid', 'A token needs at least one scope.');
  if (request.description.length > 200 || /\p{Cc}/u.test(request.description)) {
    throw new ServiceError(
      'token.invalid',
      `The description of a token must be one line of at most 200 characters; this one has ${request.description.length}.`,
    );
  }
  const expiresAtMicros = request.expiresAtMicros ?? null;
  if (expiresAtMicros !== null && !(Number.isSafeInteger(expiresAtMicros) && expiresAtMicros > nowMicros)) {
    throw new ServiceError('token.invalid', 'The expiry of a token must be in the future.');
  }
  requireBinding(request);
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
      previous: null,
    },
  };
}

/**
 * Refuses restrictions that a token with the scope `manage` could get around, because it can define endpoints: those of
 * parameters, caller queries and redaction. Restrictions of projects, rows, rates and networks remain effective.
 */
function requireBinding({ scopes, restrictions }: TokenRequest): void {
  if (restrictions === undefined || restrictions === null || !scopes.some(({ kind }) => kind === 'manage')) return;
  const { parameters, callerQueries, redact } = restrictions;
  const unbound = [
    ...(parameters === undefined ? [] : ['parameter values']),
    ...(callerQueries === undefined ? [] : ['stored queries']),
    ...(redact === undefined ? [] : ['redacted rows']),
  ];
  if (unbound.length === 0) return;
  throw new ServiceError(
    'token.invalid',
    `A token with the scope manage cannot be restricted to ${unbound.join(' or ')}, because it could define an endpoint to get around that. Leave out the scope or the restriction.`,
  );
}
