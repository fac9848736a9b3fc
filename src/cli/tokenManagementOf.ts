import type { ExplainCall } from '../invoke/explainCall.ts';
import type { NamedByScopes } from '../manage/scopeNotices.ts';
import type { TokenManagement, TokenManager } from '../manage/tokenManagement.ts';
import { readSettings } from '../start/readSettings.ts';
import { requireDataFolder } from '../start/requireDataFolder.ts';
import type { CliContext } from './cliContext.ts';
import { type SettingFlags, settingFlags } from './settingOptions.ts';

/** Anyone who can open the data folder may manage all its tokens. */
export const folderOwner: TokenManager = { token: null, requestId: null };

export interface OpenedTokens {
  readonly tokens: TokenManagement;
  readonly explainCall: ExplainCall;
  readonly named: NamedByScopes;
}

/**
 * Runs `use` with the tokens of the data folder that the settings name. A running service may have the store open too;
 * it notices a change within a second (contract, section 4).
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
  // Loaded here so that commands that need no store start faster.
  const [
    { openDatabase },
    { SqlTokenStore },
    { SqlEndpointStore },
    { SqlSourceStore },
    { TokenManagement: Management },
    { explainCallsOf },
    { declareSources },
  ] = await Promise.all([
    import('../stores/sqlite/database.ts'),
    import('../stores/sql/sqlTokenStore.ts'),
    import('../stores/sql/sqlEndpointStore.ts'),
    import('../stores/sql/sqlSourceStore.ts'),
    import('../manage/tokenManagement.ts'),
    import('../start/explainCalls.ts'),
    import('../start/declareSources.ts'),
  ]);
  const database = await openDatabase(settings.dataDir);
  try {
    const { clock, randomness } = context;
    const store = new SqlTokenStore(database);
    const tokens = new Management({ store, clock, randomness });
    const sources = await declareSources(settings, new SqlSourceStore(database));
    const named: NamedByScopes = {
      hasEndpoint: async (id) => (await new SqlEndpointStore(database).findById(id)) !== undefined,
      sources: () => sources.names(),
    };
    return await use({ tokens, explainCall: explainCallsOf(database, settings), named });
  } finally {
    await database.destroy();
  }
}
