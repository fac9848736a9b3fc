import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type StoreDatabase } from './database.ts';

export interface TwoConnections {
  readonly dataDir: string;
  readonly first: StoreDatabase;
  readonly second: StoreDatabase;
  readonly close: () => Promise<void>;
}

/** Two connections to one store in a new folder, as the server and the CLI have them. For tests. */
export async function openTwice(): Promise<TwoConnections> {
  const dataDir = mkdtempSync(join(tmpdir(), 'logmill-store-'));
  const first = await openDatabase(dataDir);
  const second = await openDatabase(dataDir);
  return {
    dataDir,
    first,
    second,
    close: async () => {
      await Promise.all([first.destroy(), second.destroy()]);
      rmSync(dataDir, { recursive: true });
    },
  };
}
