import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TwoConnections } from '../sql/twoConnections.fixture.ts';
import { openDatabase } from './database.ts';

/** Two connections to one store in a new folder, as the server and the CLI have them. For tests. */
export async function openTwice(): Promise<TwoConnections> {
  const dataDir = mkdtempSync(join(tmpdir(), 'logmill-store-'));
  const first = await openDatabase(dataDir);
  const second = await openDatabase(dataDir);
  return {
    first,
    second,
    close: async () => {
      await Promise.all([first.destroy(), second.destroy()]);
      rmSync(dataDir, { recursive: true });
    },
  };
}
