import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { allScopes, type Scope } from './scope.ts';
import { generatePublicId, hashToken } from './tokenFormat.ts';
import type { TokenRecord, TokenSlot, TokenStore } from './tokenStore.ts';

export interface ConfiguredToken {
  readonly slot: TokenSlot;
  /** Any visible ASCII text of 32 to 512 characters; need not have the form of `tokenFormat.ts`. */
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
 * Makes the tokens that the configuration gives the only live ones of their slots: a changed value
 * revokes the old one, a removed value too (contract, section 4). Call at each start. Checks all
 * values first; throws `token.invalid` naming the setting, never the value.
 */
export async function syncConfiguredTokens(
  store: TokenStore,
  configured: readonly ConfiguredToken[],
  randomness: Randomness,
  nowMicros: number,
): Promise<void> {
  check(configured);
  for (const slot of slots) {
    const token = configured.find((candidate) => candidate.slot === slot);
    const record = token === undefined ? undefined : recordOf(token, randomness, nowMicros);
    await store.configure(slot, record, nowMicros);
  }
}

function check(configured: readonly ConfiguredToken[]): void {
  const seen = new Map<string, TokenSlot>();
  for (const { slot, value } of configured) {
    const name = settingName(slot);
    if (value.length < 32) {
      throw new ServiceError('token.invalid', `${name} has ${value.length} characters; a token has 32 or more.`);
    }
    if (value.length > 512) {
      throw new ServiceError('token.invalid', `${name} has ${value.length} characters; a token has at most 512.`);
    }
    // What cannot travel in a header unchanged could never be presented.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new ServiceError(
        'token.invalid',
        `${name} may hold visible ASCII characters only, without spaces or line ends.`,
      );
    }
    const other = seen.get(value);
    if (other !== undefined) {
      throw new ServiceError(
        'token.invalid',
        `${settingName(other)} and ${name} have the same value; give each its own.`,
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
