import { environmentName, fileName, flagName, settingNames, settingsSchema } from '../../src/start/settings.ts';

/** The page of settings, from the schema. */
export function settingsPage(): string {
  const sections = settingNames.map((name) => {
    const field = settingsSchema.shape[name];
    const parsed = field.safeParse(undefined);
    const value = parsed.success ? parsed.data : undefined;
    return [
      `### ${fileName(name)}`,
      '',
      field.description ?? '',
      '',
      `\`${environmentName(name)}\` · \`${flagName(name)}\` · default: ${value === undefined ? 'unset' : `\`${shown(value)}\``}`,
    ].join('\n');
  });
  return `# Settings

A setting comes from, each winning over the one before: its default, a configuration file, the environment, the command line.
The file is YAML, named by \`LOGMILL_CONFIG\` or \`--config\`; its keys are the headings below. An empty variable counts as unset.
Names beginning with \`LOGMILL_\` that are no setting are an error, with two exceptions: what container platforms set for a service of this
name (\`LOGMILL_PORT=tcp://…\`, \`LOGMILL_PORT_…\`, \`LOGMILL_SERVICE_…\`) is logged and ignored, and \`LOGMILL_URL\` and \`LOGMILL_TOKEN\` belong
to the [command line](cli.md).

\`logmill config print\` shows the settings in force and where each came from, secrets masked. What it prints is itself a configuration file.

${sections.join('\n\n')}
`;
}

function shown(value: string | number | boolean): string {
  if (typeof value === 'number' && value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20}MiB`;
  return String(value);
}
