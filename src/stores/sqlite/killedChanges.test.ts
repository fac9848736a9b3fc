import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { killedChangesContract } from '../sql/killedChanges.contract.ts';
import { openDatabase } from './database.ts';

killedChangesContract('SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'logmill-killed-'));
  const module = pathToFileURL(join(import.meta.dirname, 'database.ts')).href;
  return {
    open: () => openDatabase(dataDir),
    openInScript: `
      import { openDatabase } from ${JSON.stringify(module)};
      const database = await openDatabase(${JSON.stringify(dataDir)});`,
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
});
