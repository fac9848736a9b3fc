import type { ExplainCall } from '../invoke/explainCall.ts';
import type { NamedByScopes } from '../manage/scopeNotices.ts';
import type { TokenManagement, TokenManager } from '../manage/tokenManagement.ts';
import { readSettings } from '../start/readSettings.ts';
import type { CliContext } from './cliContext.ts';
import { type SettingFlags, settingFlags } from './settingOptions.ts';

/** Anyone who can open the data folder may manage all its tokens. */
export const folderOwner: TokenManager = { token: null, requestId: null };

export interface OpenedTokens {
  readonly tokens: TokenManagement;
  readonly explainCall: ExplainCall;
  readonly named: NamedByScopes;
  /** The ID of the endpoint that answers by the name; undefined if there is none. */
  readonly endpointIdOf: (name: string) => Promise<string | undefined>;
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
  // Loaded here so that commands that need no store start faster.
  const [{ withDefinitionStores }, { TokenManagement: Management }, { explainCallsOf }, { declareSources }] =
    await Promise.all([
      import('../start/withDefinitionStores.ts'),
      import('../manage/tokenManagement.ts'),
      import('../start/explainCalls.ts'),
      import('../start/declareSources.ts'),
    ]);
  return await withDefinitionStores(settings, async (stores) => {
    const { clock, randomness } = context;
    const tokens = new Management({ store: stores.tokens, clock, randomness });
    const sources = await declareSources(settings, stores.sources);
    const named: NamedByScopes = {
      hasEndpoint: async (id) => (await stores.endpoints.findById(id)) !== undefined,
      sources: () => sources.names(),
    };
    return await use({
      tokens,
      explainCall: explainCallsOf(stores.endpoints, settings),
      named,
      endpointIdOf: async (name) => (await stores.endpoints.findPrimary(name))?.id,
    });
  });
}
