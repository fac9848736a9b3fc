import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtModule } from '../../../test/support/builtModule.ts';
import { killedChangesContract } from '../sql/killedChanges.contract.ts';
import { openDatabase } from './database.ts';

killedChangesContract('SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'logmill-killed-'));
  return {
    open: () => openDatabase(dataDir),
    openInScript: `
      import { openDatabase } from ${builtModule('database')};
      const database = await openDatabase(${JSON.stringify(dataDir)});`,
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
});
