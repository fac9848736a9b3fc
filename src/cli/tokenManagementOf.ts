import type { ExplainCall } from '../invoke/explainCall.ts';
import type { TokenManagement, TokenManager } from '../manage/tokenManagement.ts';
import { readSettings } from '../start/readSettings.ts';
import { requireDataFolder } from '../start/requireDataFolder.ts';
import type { CliContext } from './cliContext.ts';
import { type SettingFlags, settingFlags } from './settingOptions.ts';

/** Whoever may open the data folder may do everything with its tokens. */
export const folderOwner: TokenManager = { token: null, requestId: null };

export interface OpenedTokens {
  readonly tokens: TokenManagement;
  readonly explainCall: ExplainCall;
}

/**
 * Runs `use` with the tokens of the data folder that the settings name. The store is opened beside a
 * running service, which sees a change within a second (contract, section 4).
 */
export async function withTokens<T>(
  options: SettingFlags,
  context: CliContext,
  use: (opened: OpenedTokens) => Promise<T>,
): Promise<T> {
  const { settings } = readSettings({
    environment: context.environment,
    flags: settingFlags(options),
    configFile: options.config,
  });
  requireDataFolder(settings.dataDir);
  // Loaded only here: commands that need no store start faster without it.
  const [{ openDatabase }, { SqliteTokenStore }, { TokenManagement: Management }, { explainCallsOf }] =
    await Promise.all([
      import('../stores/sqlite/database.ts'),
      import('../stores/sqlite/sqliteTokenStore.ts'),
      import('../manage/tokenManagement.ts'),
      import('../start/explainCalls.ts'),
    ]);
  const database = await openDatabase(settings.dataDir);
  try {
    const { clock, randomness } = context;
    const store = new SqliteTokenStore(database);
    const tokens = new Management({ store, clock, randomness });
    return await use({ tokens, explainCall: explainCallsOf(database, settings) });
  } finally {
    await database.destroy();
  }
}
