import type { Randomness } from '../core/ids.ts';
import { type CreatedToken, draftToken } from './createToken.ts';
import { allScopes } from './scope.ts';
import type { TokenStore } from './tokenStore.ts';

/**
 * Makes an administration token with all scopes where there has never been one, also no revoked one
 * (contract, section 4, "First start"). `keep` puts the text where the operator finds it; it runs
 * before the token is stored, so that a crash in between leaves a dead text, never a lost token.
 * Resolves to undefined where there was one.
 */
export async function ensureAdminToken(
  store: TokenStore,
  keep: (text: string) => Promise<void>,
  randomness: Randomness,
  nowMicros: number,
): Promise<CreatedToken | undefined> {
  if (await store.hasHadManager()) return undefined;
  const created = draftToken(
    { description: 'administration, made at first start', scopes: allScopes },
    randomness,
    nowMicros,
  );
  await keep(created.text);
  return (await store.createFirstManager(created.record)) ? created : undefined;
}
