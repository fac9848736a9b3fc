import { join } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import { partOf, replaceFile } from '../files/replaceFile.ts';
import { ensureAdminToken } from '../tokens/ensureAdminToken.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';

export const adminTokenFileName = 'admin-token';

/** Its files in a data folder. */
export const adminTokenFileNames: readonly string[] = [adminTokenFileName, partOf(adminTokenFileName)];

/**
 * At the first start, creates the administration token and writes it to `admin-token` in the data folder, readable by
 * the owner only (contract, section 4). Resolves to its text at the first start, otherwise to undefined.
 */
export async function firstAdminToken(
  store: TokenStore,
  dataDir: string,
  randomness: Randomness,
  nowMicros: number,
): Promise<string | undefined> {
  const file = join(dataDir, adminTokenFileName);
  const keep = async (text: string) => replaceFile(file, `${text}\n`, 0o600);
  return (await ensureAdminToken(store, keep, randomness, nowMicros))?.text;
}
