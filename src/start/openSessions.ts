import type { Randomness } from '../core/ids.ts';
import { OneTimeCodes } from '../sessions/oneTimeCodes.ts';
import { Sessions } from '../sessions/sessions.ts';
import type { Authenticator } from '../tokens/authenticator.ts';
import type { DefinitionStores } from './definitionStores.ts';

/** Sessions in the store that nodes share, and the one-time codes of this node. */
export function openSessions(
  { sessions: store }: Pick<DefinitionStores, 'sessions'>,
  authenticator: Authenticator,
  randomness: Randomness,
): { readonly sessions: Sessions; readonly codes: OneTimeCodes } {
  const codes = new OneTimeCodes(randomness);
  return { sessions: new Sessions({ store, authenticator, codes, randomness }), codes };
}
