import { chmod, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import { ensureAdminToken } from '../tokens/ensureAdminToken.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';

export const adminTokenFileName = 'admin-token';

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
  const keep = async (text: string) => {
    const handle = await open(file, 'w', 0o600);
    try {
      // `open` sets the mode of new files only.
      await chmod(file, 0o600);
      await handle.writeFile(`${text}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  return (await ensureAdminToken(store, keep, randomness, nowMicros))?.text;
}
