import { type Command, Option } from 'commander';
import { flagName, type SettingName, settingNames, settingsSchema } from '../start/settings.ts';

/** Values of the flags that `addSettingOptions` declares, as commander hands them over. */
export type SettingFlags = Readonly<Partial<Record<SettingName | 'config', string>>>;

/** Declares a flag for each setting, with its description. `readSettings` checks the values. */
export function addSettingOptions(command: Command, names: readonly SettingName[] = settingNames): Command {
  for (const name of names) {
    const description = settingsSchema.shape[name].description ?? '';
    command.addOption(new Option(`${flagName(name)} <value>`, helpText(description)));
  }
  return command.option(
    '--config <file>',
    'YAML file of settings; flags and environment variables override it (default: LOGMILL_CONFIG)',
  );
}

/** A description of a setting in the style of the other options: clauses in lower case, without Markdown. */
function helpText(description: string): string {
  return description
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .split('. ')
    .map((sentence) => sentence.replace(/^(?!Logmill\b)[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()))
    .join('; ');
}

/** The given flags that are settings. */
export function settingFlags(options: SettingFlags): Readonly<Partial<Record<SettingName, string>>> {
  const entries = settingNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
  return Object.fromEntries(entries);
}
