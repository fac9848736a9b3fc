import { Command, Option } from 'commander';
import { tokenView } from '../../manage/tokenView.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { tokenArgumentText, tokenIdOf } from '../tokenIdOf.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

interface RotateOptions extends SettingFlags {
  readonly overlap: string;
  readonly json?: boolean;
}

/** `logmill tokens rotate TOKEN`: gives a token a new secret and prints it once. */
export function tokensRotateCommand(context: CliContext): Command {
  const command = new Command('rotate')
    .description('give a token a new secret and print it; it cannot be shown again')
    .argument('<token>', tokenArgumentText)
    .addOption(
      new Option('--overlap <seconds>', 'how long the old secret stays valid; 0 ends it at once').default('0', '0'),
    )
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((id: string, options: RotateOptions) =>
    rotate(id, options, context),
  );
}

async function rotate(given: string, options: RotateOptions, context: CliContext): Promise<void> {
  if (!/^\d{1,6}$/.test(options.overlap)) {
    throw new CliError(`--overlap is "${options.overlap}"; it must be a number of seconds.`, { exitCode: 2 });
  }
  const { text, record } = await withTokens(options, context, async ({ tokens }) =>
    tokens.rotate(await tokenIdOf(given, tokens), Number(options.overlap), folderOwner),
  );
  const view = tokenView(record, context.clock.nowMicros());
  if (options.json === true) {
    context.out(`${JSON.stringify({ token: text, ...view }, undefined, 2)}\n`);
    return;
  }
  context.out(`${text}\n`);
  const old = view.previous_secret_until === null ? 'no longer works' : `works until ${view.previous_secret_until}`;
  context.err(`Token ${view.id} has a new secret. Save it now: it cannot be shown again. The old secret ${old}.\n`);
}
