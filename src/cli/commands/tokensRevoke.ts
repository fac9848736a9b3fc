import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { tokenIdOf } from '../tokenIdOf.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

/** `logmill tokens revoke ID`: revokes a token permanently. */
export function tokensRevokeCommand(context: CliContext): Command {
  const command = new Command('revoke')
    .description('revoke a token permanently; a running service refuses it within a second')
    .argument('<id>', 'ID of the token, as shown by "logmill tokens list", or the token itself');
  return addSettingOptions(command, ['dataDir']).action((id: string, options: SettingFlags) =>
    revoke(id, options, context),
  );
}

async function revoke(given: string, options: SettingFlags, context: CliContext): Promise<void> {
  const id = tokenIdOf(given);
  await withTokens(options, context, async ({ tokens }) => {
    const { record, isNew } = await tokens.revoke(id, folderOwner);
    if (!isNew) {
      context.err(`Token ${id} was already revoked.\n`);
      return;
    }
    context.out(`Revoked token ${id}.\n`);
    if (record.slot !== null) {
      context.err(
        `It comes from LOGMILL_${record.slot.toUpperCase()}_TOKEN and becomes valid again at the next start unless you change that setting.\n`,
      );
    }
  });
}
