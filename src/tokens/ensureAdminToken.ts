import type { Randomness } from '../core/ids.ts';
import { type CreatedToken, draftToken } from './createToken.ts';
import { allScopes } from './scope.ts';
import type { TokenStore } from './tokenStore.ts';

/**
 * Creates an administration token with all scopes if there has never been one, not even a revoked one (contract, section
 * 4, "First start"). Resolves to undefined otherwise.
 *
 * @param keep stores the secret for the operator. It runs before the token is stored, so that a crash in between leaves
 *   a useless secret, never a token without a known secret.
 */
export async function ensureAdminToken(
  store: TokenStore,
  keep: (text: string) => Promise<void>,
  randomness: Randomness,
  nowMicros: number,
): Promise<CreatedToken | undefined> {
  if (await store.hasHadManager()) return undefined;
  const created = draftToken(
    { description: 'administration, created at first start', scopes: allScopes },
    randomness,
    nowMicros,
  );
  await keep(created.text);
  return (await store.createFirstManager(created.record)) ? created : undefined;
}
