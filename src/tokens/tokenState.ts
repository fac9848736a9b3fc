import type { TokenRecord } from './tokenStore.ts';

export type TokenState = 'live' | 'expired' | 'revoked';

export const tokenStates: readonly TokenState[] = ['live', 'expired', 'revoked'];

/** A token that is both revoked and expired is revoked. */
export function tokenState(
  { revokedAtMicros, expiresAtMicros }: Pick<TokenRecord, 'revokedAtMicros' | 'expiresAtMicros'>,
  nowMicros: number,
): TokenState {
  if (revokedAtMicros !== null) return 'revoked';
  return expiresAtMicros !== null && expiresAtMicros <= nowMicros ? 'expired' : 'live';
}
