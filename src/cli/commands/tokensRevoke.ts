import { Command } from 'commander';
import { parseToken } from '../../tokens/tokenFormat.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { withTokenStore } from '../tokenStoreOf.ts';

/** `logmill tokens revoke ID`: ends a token for good. */
export function tokensRevokeCommand(context: CliContext): Command {
  const command = new Command('revoke')
    .description('end a token for good; a running service refuses it within a second')
    .argument('<id>', 'id of the token as "logmill tokens list" shows it, or the token itself');
  return addSettingOptions(command, ['dataDir']).action((id: string, options: SettingFlags) =>
    revoke(id, options, context),
  );
}

async function revoke(given: string, options: SettingFlags, context: CliContext): Promise<void> {
  const id = parseToken(given)?.publicId ?? given;
  await withTokenStore(options, context, async (store) => {
    const record = await store.findByPublicId(id);
    if (record === undefined) {
      throw new CliError(`There is no token with the id ${id.slice(0, 20)}. "logmill tokens list --all" shows all.`);
    }
    if (!(await store.revoke(id, context.clock.nowMicros()))) {
      context.err(`Token ${id} was revoked before.\n`);
      return;
    }
    context.out(`Token ${id} is revoked.\n`);
    if (record.slot !== null) {
      context.err(
        `It comes from LOGMILL_${record.slot.toUpperCase()}_TOKEN and will be valid again after the next start unless that setting is changed.\n`,
      );
    }
  });
}
