import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../start/readSettings.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { type SettingFlags, settingFlags } from './settingOptions.ts';

/**
 * Runs `use` with the tokens of the data folder that the settings name. The store is opened beside a
 * running service, which sees a change within a second (contract, section 4).
 */
export async function withTokenStore<T>(
  options: SettingFlags,
  context: CliContext,
  use: (store: TokenStore) => Promise<T>,
): Promise<T> {
  const { settings } = readSettings({
    environment: context.environment,
    flags: settingFlags(options),
    configFile: options.config,
  });
  // Without this a slip in the path would make a new, empty store there.
  if (!existsSync(join(settings.dataDir, 'store.sqlite'))) {
    throw new CliError(
      `${settings.dataDir} is no data folder of a Logmill service. Name the folder with --data-dir, or start the service once to make it.`,
    );
  }
  // Loaded only here: commands that need no store start faster without it.
  const [{ openDatabase }, { SqliteTokenStore }] = await Promise.all([
    import('../stores/sqlite/database.ts'),
    import('../stores/sqlite/sqliteTokenStore.ts'),
  ]);
  const database = await openDatabase(settings.dataDir);
  try {
    return await use(new SqliteTokenStore(database));
  } finally {
    await database.destroy();
  }
}
