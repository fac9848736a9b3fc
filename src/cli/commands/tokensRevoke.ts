import { Command } from 'commander';
import { tokenView } from '../../manage/tokenView.ts';
import type { CliContext } from '../cliContext.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { tokenArgumentText, tokenIdOf } from '../tokenIdOf.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

interface RevokeOptions extends SettingFlags {
  readonly json?: boolean;
}

/** `logmill tokens revoke TOKEN`: revokes a token permanently. */
export function tokensRevokeCommand(context: CliContext): Command {
  const command = new Command('revoke')
    .description('revoke a token permanently; a running service refuses it within a second')
    .argument('<token>', tokenArgumentText)
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((token: string, options: RevokeOptions) =>
    revoke(token, options, context),
  );
}

async function revoke(given: string, options: RevokeOptions, context: CliContext): Promise<void> {
  await withTokens(options, context, async ({ tokens }) => {
    const id = await tokenIdOf(given, tokens);
    const { record, isNew } = await tokens.revoke(id, folderOwner);
    if (options.json === true) {
      const view = tokenView(record, context.clock.nowMicros());
      context.out(`${JSON.stringify({ revoked_now: isNew, ...view }, undefined, 2)}\n`);
    } else if (isNew) {
      context.out(`Revoked token ${id}.\n`);
    } else {
      context.err(`Token ${id} was already revoked.\n`);
    }
    if (isNew && record.slot !== null) {
      context.err(
        `It comes from LOGMILL_${record.slot.toUpperCase()}_TOKEN and becomes valid again at the next start unless you change that setting.\n`,
      );
    }
  });
}
