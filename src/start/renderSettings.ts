import { stringify } from 'yaml';
import type { SettingsRead } from './readSettings.ts';
import { fileName, secretSettings, settingNames } from './settings.ts';

/**
 * The effective settings as a YAML document that is itself a valid configuration file, with the origin of each. Secrets
 * are masked.
 */
export function renderSettings({ settings, origins }: SettingsRead): string {
  const lines = settingNames.map((name) => {
    const value = settings[name];
    const origin = origins.get(name) ?? 'default';
    if (value === undefined) return `# ${fileName(name)}: unset`;
    // A default is no secret.
    const shown = secretSettings.has(name) && origins.has(name) ? '"********"' : stringify(value).trim();
    return `${fileName(name)}: ${shown} # ${origin}`;
  });
  return `${lines.join('\n')}\n`;
}

/** The effective settings for programs: value (null if unset) and origin by name. Secrets are masked. */
export function settingsView({ settings, origins }: SettingsRead) {
  return Object.fromEntries(
    settingNames.map((name) => {
      const isHidden = secretSettings.has(name) && origins.has(name);
      const value = isHidden ? '********' : (settings[name] ?? null);
      return [fileName(name), { value, origin: origins.get(name) ?? 'default' }];
    }),
  );
}
