export type TokenState = 'live' | 'expired' | 'revoked';

export const tokenStates: readonly TokenState[] = ['live', 'expired', 'revoked'];

export interface TokenTimes {
  /** The token is expired from this time on; null if it never is. */
  readonly expiresAtMicros: number | null;
  readonly revokedAtMicros: number | null;
}

/** A token that is both revoked and expired is revoked. */
export function tokenState({ revokedAtMicros, expiresAtMicros }: TokenTimes, nowMicros: number): TokenState {
  if (revokedAtMicros !== null) return 'revoked';
  return expiresAtMicros !== null && expiresAtMicros <= nowMicros ? 'expired' : 'live';
}
