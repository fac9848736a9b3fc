import { Command } from 'commander';
import { readSettings } from '../../start/readSettings.ts';
import { renderSettings, settingsView } from '../../start/renderSettings.ts';
import type { CliContext } from '../cliContext.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

/** `logmill config print`: prints the effective settings, with secrets masked. */
export function configCommand(context: CliContext): Command {
  const print = new Command('print')
    .description('print the effective settings and the origin of each, with secrets masked')
    .option('--json', 'print JSON');
  addSettingOptions(print).action((options: SettingFlags & { readonly json?: boolean }) => {
    const read = readSettings({
      environment: context.environment,
      flags: settingFlags(options),
      configFile: options.config,
    });
    context.out(options.json === true ? `${JSON.stringify(settingsView(read), undefined, 2)}\n` : renderSettings(read));
    for (const note of read.notes) context.err(`${note}\n`);
  });
  return new Command('config').description('show the settings').addCommand(print);
}
