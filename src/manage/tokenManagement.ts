import type { AuditAction, AuditEvent } from '../audit/auditTrail.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { isBlank } from '../core/isBlank.ts';
import { type CreatedToken, createToken, type TokenRequest } from '../tokens/createToken.ts';
import { isWithinProjects, requireNoWider, type TokenReach } from '../tokens/delegation.ts';
import { generateSecret, hashToken } from '../tokens/tokenFormat.ts';
import { tokenState } from '../tokens/tokenState.ts';
import type { TokenPageQuery, TokenRecord, TokenStore } from '../tokens/tokenStore.ts';

export interface TokenManagementServices {
  readonly store: TokenStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The requester of an operation on tokens. */
export interface TokenManager {
  /** Null for the owner of the data folder, who may do everything. */
  readonly token: (TokenReach & { readonly publicId: string }) | null;
  /** Null for requests that did not come over HTTP. */
  readonly requestId: string | null;
}

/** Most seconds for which the secret before a rotation can remain valid. */
export const overlapSecondsMax = 7 * 86_400;

/**
 * All operations on tokens (contract, section 4). Callers check the scope `manage` first. For a token that is restricted
 * to projects, tokens with other projects are `token.unknown`.
 */
export class TokenManagement {
  readonly #services: TokenManagementServices;

  constructor(services: TokenManagementServices) {
    this.#services = services;
  }

  /** Throws `token.invalid`, or `auth.scope` or `auth.project` if the token would have more rights than its maker. */
  async create(request: TokenRequest, by: TokenManager): Promise<CreatedToken> {
    const { store, randomness, clock } = this.#services;
    if (request.restrictions?.projects?.some(isBlank) === true) {
      throw new ServiceError(
        'token.invalid',
        'The restrictions are not valid: projects must not contain an empty name.',
        {
          errors: [{ parameter: 'projects', message: 'must not contain an empty name' }],
        },
      );
    }
    return await createToken(store, request, randomness, clock.nowMicros(), by.token, ({ publicId }) =>
      this.#entry('token.create', publicId, by),
    );
  }

  /** In order of creation. */
  async list(query: Omit<TokenPageQuery, 'nowMicros'>, by: TokenManager): Promise<readonly TokenRecord[]> {
    const { store, clock } = this.#services;
    const { limit, state } = query;
    // Reads at least this many at a time, because few of them may be visible.
    const readMax = Math.max(limit, 200);
    const visible: TokenRecord[] = [];
    for (let { after } = query; ; ) {
      const records = await store.page({ limit: readMax, after, state, nowMicros: clock.nowMicros() });
      visible.push(...records.filter((record) => isVisible(record, by)));
      const last = records.at(-1);
      if (visible.length >= limit || records.length < readMax || last === undefined) return visible.slice(0, limit);
      after = [last.createdAtMicros, last.publicId];
    }
  }

  async find(publicId: string, by: TokenManager): Promise<TokenRecord> {
    const record = await this.#services.store.findByPublicId(publicId);
    if (record !== undefined && isVisible(record, by)) return record;
    const value = publicId.slice(0, 64);
    throw new ServiceError(
      'token.unknown',
      `There is no token with the public ID "${value}". The list of tokens shows the public IDs.`,
      { errors: [{ value }] },
    );
  }

  /** Revokes a token for good, at once. `isNew` is false if it was already revoked; its time then does not change. */
  async revoke(publicId: string, by: TokenManager): Promise<{ readonly record: TokenRecord; readonly isNew: boolean }> {
    await this.find(publicId, by);
    const { store, clock } = this.#services;
    const isNew = await store.revoke(publicId, clock.nowMicros(), () => this.#entry('token.revoke', publicId, by));
    return { record: await this.find(publicId, by), isNew };
  }

  /**
   * Gives a token a new secret. The current one remains valid for `overlapSeconds`; older ones end. The requester gets
   * the new secret, so it needs all rights of the token. Throws `token.conflict` if the token is not live or is
   * configured, `token.invalid`, `auth.scope` and `auth.project`.
   */
  async rotate(publicId: string, overlapSeconds: number, by: TokenManager): Promise<CreatedToken> {
    const { store, clock, randomness } = this.#services;
    if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > overlapSecondsMax) {
      throw new ServiceError(
        'token.invalid',
        `The overlap must be a whole number of 0 to ${overlapSecondsMax} seconds.`,
        {
          errors: [{ parameter: 'overlap_seconds', expected: `0 to ${overlapSecondsMax}` }],
        },
      );
    }
    const record = await this.find(publicId, by);
    if (by.token !== null) requireNoWider(record, by.token);
    const nowMicros = clock.nowMicros();
    const text = generateSecret(publicId, randomness);
    if (record.slot !== null) {
      const setting = `LOGMILL_${record.slot.toUpperCase()}_TOKEN`;
      throw new ServiceError('token.conflict', `This token comes from ${setting}. Change that setting instead.`);
    }
    const isLive = tokenState(record, nowMicros) === 'live';
    const overlapMicros = overlapSeconds * 1_000_000;
    const entry = () => this.#entry('token.rotate', publicId, by);
    if (!isLive || !(await store.rotate(publicId, hashToken(text), nowMicros + overlapMicros, entry))) {
      throw new ServiceError('token.conflict', 'This token is revoked or expired. Create a new one.');
    }
    return { text, record: await this.find(publicId, by) };
  }

  #entry(action: AuditAction, target: string, { token, requestId }: TokenManager): readonly AuditEvent[] {
    const atMicros = this.#services.clock.nowMicros();
    return [{ atMicros, actor: token?.publicId ?? null, action, target, version: null, requestId }];
  }
}

function isVisible({ restrictions }: TokenRecord, { token }: TokenManager): boolean {
  return token === null || isWithinProjects(restrictions, token.restrictions);
}
