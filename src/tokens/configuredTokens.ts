import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { allScopes, type Scope } from './scope.ts';
import { generatePublicId, hashToken } from './tokenFormat.ts';
import type { TokenRecord, TokenSlot, TokenStore } from './tokenStore.ts';

export interface ConfiguredToken {
  readonly slot: TokenSlot;
  /** Any visible ASCII text of 32 to 512 characters, not necessarily in the form of `tokenFormat.ts`. */
  readonly value: string;
}

const slots: readonly TokenSlot[] = ['admin', 'query', 'ingest'];

const slotScopes: Readonly<Record<TokenSlot, readonly Scope[]>> = {
  admin: allScopes,
  query: [{ kind: 'query' }],
  ingest: [{ kind: 'ingest' }],
};

const settingName = (slot: TokenSlot): string => `LOGMILL_${slot.toUpperCase()}_TOKEN`;

/**
 * Makes the configured tokens the only live ones of their slots. A changed or removed value revokes the old token
 * (contract, section 4). Call it at each start. It checks all values first and throws `token.invalid`, which names the
 * setting but never the value. Returns the settings whose tokens were revoked while they were configured: a restart must
 * not make them valid again.
 */
export async function syncConfiguredTokens(
  store: TokenStore,
  configured: readonly ConfiguredToken[],
  randomness: Randomness,
  nowMicros: number,
): Promise<readonly string[]> {
  check(configured);
  const revoked: string[] = [];
  for (const slot of slots) {
    const token = configured.find((candidate) => candidate.slot === slot);
    const record = token === undefined ? undefined : recordOf(token, randomness, nowMicros);
    if ((await store.configure(slot, record, nowMicros)) === 'revoked') revoked.push(settingName(slot));
  }
  return revoked;
}

function check(configured: readonly ConfiguredToken[]): void {
  const seen = new Map<string, TokenSlot>();
  for (const { slot, value } of configured) {
    const name = settingName(slot);
    if (value.length < 32) {
      throw new ServiceError('token.invalid', `${name} has ${value.length} characters; a token needs at least 32.`);
    }
    if (value.length > 512) {
      throw new ServiceError('token.invalid', `${name} has ${value.length} characters; a token can have at most 512.`);
    }
    // A caller could not send other characters unchanged in a header.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new ServiceError(
        'token.invalid',
        `${name} may contain only visible ASCII characters, without spaces or line ends.`,
      );
    }
    const other = seen.get(value);
    if (other !== undefined) {
      throw new ServiceError(
        'token.invalid',
        `${settingName(other)} and ${name} have the same value; set different ones.`,
      );
    }
    seen.set(value, slot);
  }
}

function recordOf({ slot, value }: ConfiguredToken, randomness: Randomness, nowMicros: number): TokenRecord {
  return {
    publicId: generatePublicId(randomness),
    secretHash: hashToken(value),
    description: `from ${settingName(slot)}`,
    scopes: slotScopes[slot],
    slot,
    restrictions: null,
    createdAtMicros: nowMicros,
    expiresAtMicros: null,
    lastUsedAtMicros: null,
    revokedAtMicros: null,
    previous: null,
  };
}
