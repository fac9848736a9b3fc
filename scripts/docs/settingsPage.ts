import {
  environmentName,
  fileName,
  flagName,
  type SettingName,
  settingNames,
  settingsSchema,
} from '../../src/start/settings.ts';

const groups: Readonly<Record<string, readonly SettingName[]>> = {
  Service: ['host', 'port', 'dataDir', 'endpointsDir', 'trustedProxies', 'corsOrigins', 'headerPrefix', 'shutdownMs'],
  'Definitions and tokens': ['store', 'storeFile', 'storeStaleMax'],
  Tokens: [
    'adminToken',
    'adminTokenFile',
    'queryToken',
    'queryTokenFile',
    'ingestToken',
    'ingestTokenFile',
    'tokenInUrl',
    'requestsPerMinute',
  ],
  Queries: [
    'queryTimeoutMs',
    'queryConcurrency',
    'queryQueueMax',
    'queryQueueWaitMs',
    'resultBytesMax',
    'streamsMax',
    'streamTimeoutMs',
    'queryTextBytesMax',
    'parameterBytesMax',
    'values',
    'memory',
    'engineThreads',
  ],
  Exports: ['exportRowsMax', 'exportBytesMax', 'exportDiskMax', 'exportTimeoutMs'],
  Cache: ['cacheBytes', 'cacheEntries', 'warmingPercent'],
  Redaction: ['redactDetectors', 'redactFields', 'redactPatterns', 'redactKey', 'redactionRowsMax'],
  Ingestion: [
    'sources',
    'sourceAliases',
    'defaultProject',
    'webhooksFile',
    'ingestBytesMax',
    'ingestEventsMax',
    'eventBytesMax',
  ],
  Syslog: [
    'syslogPort',
    'syslogHost',
    'syslogSource',
    'syslogProject',
    'syslogConnectionsMax',
    'syslogTlsCertFile',
    'syslogTlsKeyFile',
    'syslogTlsCaFile',
  ],
  'Storage and retention': ['retentionDays', 'segmentEvents', 'diskBudget', 'diskFreeMin'],
  'Events in ClickHouse': [
    'events',
    'clickhouseUrl',
    'clickhouseDatabase',
    'clickhouseUser',
    'clickhousePassword',
    'clickhousePasswordFile',
    'clickhouseReaderUser',
    'clickhouseReaderPassword',
    'clickhouseReaderPasswordFile',
    'clickhouseCluster',
    'clickhouseQuorum',
    'clickhouseStoragePolicy',
    'clickhouseColdVolume',
    'clickhouseColdDays',
  ],
  'Logs and traces': ['logLevel', 'logFormat', 'slowQueryMs', 'tracesEndpoint', 'tracesHeaders', 'tracesPercent'],
};

/** The page of settings, from the schema. */
export function settingsPage(): string {
  const grouped = Object.values(groups).flat();
  const missing = settingNames.find((name) => !grouped.includes(name));
  if (missing !== undefined) throw new Error(`no section of the settings page has ${missing}`);
  const anchor = (title: string) => title.toLowerCase().replaceAll(' ', '-');
  const contents = Object.entries(groups).map(
    ([title, names]) =>
      `| [${title}](#${anchor(title)}) | ${names.map((name) => `[\`${fileName(name)}\`](#${fileName(name)})`).join(', ')} |`,
  );
  const sections = Object.entries(groups).map(([title, names]) => `## ${title}\n\n${names.map(section).join('\n\n')}`);
  return `# Settings

Logmill starts without any settings. You can set each one in a configuration file, in the environment or on the command line. For example,
this sets the port:

\`\`\`yaml
# logmill.yaml, used with --config logmill.yaml or LOGMILL_CONFIG=logmill.yaml
port: 4100
\`\`\`

\`\`\`sh
LOGMILL_PORT=4100 logmill serve
logmill serve --port 4100
\`\`\`

The command line overrides the environment, and the environment overrides the file. An empty variable counts as unset. To see the settings in
force and where each one comes from, run \`logmill config print\`. Its output is itself a configuration file, with secrets masked. The service reads
its settings at start, so restart it after a change.

An unknown name that begins with \`LOGMILL_\` is an error, with two exceptions:

- \`LOGMILL_URL\` and \`LOGMILL_TOKEN\` belong to the [command line](cli.md).
- Container platforms set variables for a service with this name (\`LOGMILL_PORT=tcp://…\`, \`LOGMILL_PORT_…\`, \`LOGMILL_SERVICE_…\`). Logmill logs
  and ignores these.

| section | settings |
| --- | --- |
${contents.join('\n')}

${sections.join('\n\n')}
`;
}

function section(name: SettingName): string {
  const field = settingsSchema.shape[name];
  const parsed = field.safeParse(undefined);
  const value = parsed.success ? parsed.data : undefined;
  return [
    `### ${fileName(name)}`,
    '',
    field.description ?? '',
    '',
    `\`${environmentName(name)}\` · \`${flagName(name)}\` · default: ${value === undefined ? 'unset' : `\`${shown(value)}\``}`,
    '',
    `Value: ${allowedFor(name)}.`,
  ].join('\n');
}

/** The values that a setting allows, in the words of the error for any other value (`is a whole number from 1 to 12`). */
function allowedFor(name: SettingName): string {
  for (const impossible of ['!', {}]) {
    const { error } = settingsSchema.shape[name].safeParse(impossible);
    const said = error?.issues.map(({ message }) => message).find((message) => message.startsWith('is '));
    if (said !== undefined) return readable(said.slice('is '.length).replace(/;.*/, ''));
  }
  throw new Error(`the setting ${name} does not say what it allows`);
}

/** `a whole number from 1000 to 9000` with separators of thousands. Other texts may hold ports and stay as they are. */
function readable(allowed: string): string {
  if (!allowed.startsWith('a whole number')) return allowed;
  return allowed.replaceAll(/\d+/g, (digits) => Number(digits).toLocaleString('en'));
}

function shown(value: string | number | boolean): string {
  if (typeof value === 'number' && value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20}MiB`;
  return String(value);
}
